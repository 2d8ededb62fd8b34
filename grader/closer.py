"""A closer look at a check that is not passed: the call behind it, its arguments, and the lines of the student's file.

All of it is for students at their own machines, about visible checks.
"""

from __future__ import annotations

import ast
import enum
import functools
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from grader.isolation.faults import main_files
from grader.isolation.profile import Source
from grader.verdict import Status

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from grader.errors import StudentFault
    from grader.excerpt import Miss
    from grader.outcome import Outcome
    from grader.problem import Problem
    from grader.student import Call, Log
    from grader.submission import Answer

AROUND = 2  # lines ahead of the one that is shown
PARTS = 2000  # of an answer, up to which a part of it is looked for


class Relation(enum.Enum):
    """How what a check speaks of comes from a call."""

    RETURNED = "returned"  # it is what the call returned
    PART = "part"  # it is a part of that
    ONE = "one"  # it is one of several numbers, each from a call of its own
    AFTER = "after"  # it was worked out from that, perhaps
    ENDED = "ended"  # the call itself ended in a status of its own


@dataclass(frozen=True, slots=True)
class Spot:
    """A line of the student's file; ``lines`` holds it, last, with those ahead of it, as number and text."""

    file: str
    number: int
    function: str
    lines: tuple[tuple[int, str], ...]

    @property
    def place(self) -> str:
        """File and line."""
        return placed(self.file, self.number)


@dataclass(frozen=True, slots=True)
class Closer:
    """What is known about one check that is not passed, beyond its verdict.

    ``drawn`` are the arguments that the check was given, ``simplest`` says that simpler ones were looked for. ``spots``
    lead from the line that failed outward, to the function that the check called. ``raised`` is the exception with its
    text.
    """

    said: str
    miss: Miss | None = None
    call: Call | None = None
    relation: Relation = Relation.AFTER
    given: tuple[tuple[str, Any], ...] = ()
    drawn: Mapping[str, Any] = field(default_factory=dict)
    simplest: bool = False
    spots: tuple[Spot, ...] = ()
    raised: str = ""
    output: str = ""
    calls: tuple[Call, ...] = ()


@dataclass(frozen=True, slots=True)
class Desk:
    """The problem and the student's files that a look is taken at.

    ``paths`` has what the student opens a file by, by the name that tracebacks show.
    """

    problem: Problem
    answer: Answer | None
    paths: Mapping[str, str]

    def look(self, finding: str, outcome: Outcome, log: Log | None, *, simplest: bool = False) -> Closer:
        """Return what is behind an outcome.

        Args:
            finding: what its verdict says.
            outcome: how the check went.
            log: what was called.
            simplest: whether the example is the simplest that was found.
        """
        told = log.told if log is not None else []
        call, relation = _telling(told, outcome)
        fault, failure = outcome.fault, outcome.failure
        if fault is not None:
            said = self._unwritten(fault, call) if fault.status is Status.NOT_ATTEMPTED else _whole(fault.summary)
        else:
            said = _whole(f"{failure}") if failure is not None else finding.partition("\nWith ")[0]
        written = fault is not None and fault.status is not Status.NOT_ATTEMPTED
        return Closer(
            said=said,
            miss=failure.miss if failure is not None else None,
            call=call,
            relation=relation,
            given=tuple(self._named(call)) if call is not None else (),
            drawn=dict(outcome.example or {}),
            simplest=simplest,
            spots=tuple(self._spots(fault)) if fault is not None and written else (),
            raised=_raised(fault) if fault is not None and written else "",
            output=outcome.output,
            calls=tuple(told),
        )

    def shown(self, file: str) -> str:
        """Return what a file of a traceback is opened by."""
        name, comma, cell = file.partition(", cell ")
        return f"{self.paths.get(name, name)}{', cell ' if comma else ''}{cell}"

    def _unwritten(self, fault: StudentFault, call: Call | None) -> str:
        if not fault.frames:
            return fault.summary
        file, number, function, _ = fault.frames[-1]
        called = call.name.rpartition(".")[2] if call is not None else ""
        at = f"({placed(self.shown(file), number)})"
        if function and called and function != called:
            return f"`{called}` needs `{function}`, not written yet {at}"
        return f"`{called or function}` is not written yet {at}"

    def _named(self, call: Call) -> Iterator[tuple[str, Any]]:
        probe = call.name.startswith("probe.")
        named = parameters(self.problem.probes if probe else self.problem.stub)
        names = named.get(call.name.removeprefix("probe."), ())
        for place, value in enumerate(call.args):
            yield names[place] if place < len(names) else f"argument {place + 1}", value
        yield from call.kwargs.items()

    def _spots(self, fault: StudentFault) -> Iterator[Spot]:
        texts = self._texts()
        for file, number, function, _ in reversed(fault.frames):
            lines = texts.get(file, [])
            ahead = range(max(1, number - AROUND), min(number, len(lines)) + 1)
            shown = tuple((one, lines[one - 1]) for one in ahead)
            yield Spot(self.shown(file), number, "" if function == "<module>" else function, shown)

    def _texts(self) -> dict[str, list[str]]:
        if self.answer is None:
            return {}
        source = Source(slug=self.problem.slug, main=self.answer.main)
        texts = [*main_files(source), *((f"{name}.py", text) for name, text in self.answer.helpers)]
        return {name: text.splitlines() for name, text in texts}


def placed(file: str, number: int) -> str:
    """Return a file and a line as editors and people read them.

    >>> placed("xor.py", 3), placed("xor.ipynb, cell 2", 3)
    ('xor.py:3', 'xor.ipynb, cell 2, line 3')
    """
    return f"{file}, line {number}" if ", cell " in file else f"{file}:{number}"


@functools.lru_cache(maxsize=64)
def parameters(text: str) -> dict[str, tuple[str, ...]]:
    r"""Return what the arguments of each function and method of a text are called; ``self`` is left out.

    >>> parameters("def f(x, *, n=1): ...\nclass A:\n    def __init__(self, d): ...\n    def g(self, y): ...")
    {'f': ('x',), 'A.__init__': ('d',), 'A.g': ('y',), 'A': ('d',)}
    """
    try:
        body = ast.parse(text).body
    except SyntaxError:
        return {}
    named: dict[str, tuple[str, ...]] = {}
    for node in body:
        if isinstance(node, ast.FunctionDef):
            named[node.name] = _arguments(node)
        elif isinstance(node, ast.ClassDef):
            methods = [one for one in node.body if isinstance(one, ast.FunctionDef)]
            named |= {f"{node.name}.{one.name}": _arguments(one)[1:] for one in methods}
            for made, like in ((node.name, "__init__"), (node.name, "forward")):
                named.setdefault(made, named.get(f"{node.name}.{like}", ()))
    return named


def _arguments(node: ast.FunctionDef) -> tuple[str, ...]:
    return tuple(one.arg for one in (*node.args.posonlyargs, *node.args.args))


def _telling(calls: Sequence[Call], outcome: Outcome) -> tuple[Call | None, Relation]:
    """Return the call that an outcome speaks of."""
    if outcome.fault is not None:
        ended = next((call for call in calls if call.fault is outcome.fault), None)
        return ended, Relation.ENDED
    answered = [call for call in calls if call.fault is None]
    compared = outcome.failure.compared if outcome.failure is not None else ()
    looked_for = [leaf for answer in compared for leaf in _leaves(answer)]
    one = _one_of(answered, looked_for, outcome)
    if one is not None:
        return one, Relation.ONE
    for call in reversed(answered):
        relation = _relation(list(_leaves(call.value)), looked_for)
        if relation is not None:
            return call, relation
    return (answered[-1] if answered else None), Relation.AFTER


def _one_of(answered: Sequence[Call], looked_for: list[Any], outcome: Outcome) -> Call | None:
    """Return the call that gave the wrong number, where a list of answers to several calls was compared."""
    miss = outcome.failure.miss if outcome.failure is not None else None
    last = answered[-len(looked_for) :]
    if miss is None or miss.path or not 1 < len(looked_for) == len(last) == miss.size:
        return None
    given = [list(_leaves(call.value)) for call in last]
    apart = all(len(leaves) == 1 and _same(leaves[0], leaf) for leaves, leaf in zip(given, looked_for, strict=True))
    return last[miss.entry] if apart else None


def _relation(returned: list[Any], looked_for: list[Any]) -> Relation | None:
    if not looked_for or len(returned) < len(looked_for):
        return None
    if len(returned) == len(looked_for):
        return Relation.RETURNED if all(map(_same, returned, looked_for)) else None
    if len(returned) > PARTS:
        return None
    starts = range(len(returned) - len(looked_for) + 1)
    found = any(all(map(_same, returned[start:], looked_for)) for start in starts)
    return Relation.PART if found else None


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        for part in value:
            yield from _leaves(part)
    else:
        yield value


def _same(one: Any, other: Any) -> bool:
    if one is other:
        return True
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray) or type(one) is not type(other):
        return False
    return bool(one == other or one != one)  # noqa: PLR0124 - NaN


def _raised(fault: StudentFault) -> str:
    if fault.exception and fault.exception[0] != "SystemExit":
        return f"{fault.exception[0]}: {fault.text}" if fault.text else fault.exception[0]
    return "" if fault.exception else fault.text


def _whole(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]


def paths(main: str, files: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return what files are opened by, by the name that tracebacks show.

    Args:
        main: the name that the problem's own file goes by.
        files: name and path of each file, the problem's own first.
    """
    shown = dict(files)
    return {main: next(iter(shown.values()), main), **shown}
