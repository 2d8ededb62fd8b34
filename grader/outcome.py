"""How one check went, and the words for it: what the student reads, and what the instructor reads.

The student's message about a hidden check holds the promise, the status, the kind of miss and, for exceptions, the
type with the student's own file and line: no input, no expected value, no exception text and no output.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from grader.isolation.inside.wire import Handle
from grader.sketch import on_graph
from grader.verdict import CheckResult, Status

if TYPE_CHECKING:
    from collections.abc import Mapping

    from grader.errors import Failure, StudentFault
    from grader.picture import Picture
    from grader.problem import Check
    from grader.student import Call, Log

KINDS = {
    "value": "A value is not right.",
    "shape": "A result does not have the right shape.",
    "dtype": "A result is narrower than float32.",
    "NaN": "A result is NaN or infinite where it must not be, or finite where it must not be.",
    "type": "A result is not of the right type.",
    "length": "A result does not have the right number of items.",
    "keys": "A result does not have the right keys.",
    "refusal": "Arguments that must be refused were accepted.",
    "promise": "The promise does not hold.",
}
BROKEN = (
    "This check could not be judged. That is the grader's fault, not yours: no points are taken, "
    "and it will be judged again."
)
WIDTH = 200  # characters of one value in a message
CALLS = 12  # calls that a detail lists


@dataclass(frozen=True, slots=True)
class Outcome:
    """How one check went, before it is put into words.

    ``trouble`` is what an exception in the check, or in our own machinery, said; ``example`` the arguments it
    went wrong on; ``share`` the worst ``|got - wanted| / allowed`` over all examples judged.
    """

    status: Status
    failure: Failure | None = None
    fault: StudentFault | None = None
    trouble: str = ""
    example: Mapping[str, Any] | None = None
    share: float | None = None
    output: str = ""


def result(check: Check, outcome: Outcome, log: Log | None, hint: str) -> CheckResult:
    """Put an outcome into words; a pure function of what happened."""
    finding = _finding(check, outcome, _last_call(log))
    scores = {Status.PASSED: check.points, Status.BROKEN: None}
    return CheckResult(
        name=check.name,
        visible=check.visible,
        promise=check.promise,
        status=outcome.status,
        score=scores.get(outcome.status, 0.0),
        points=check.points,
        message=printable(f"{check.promise}\n{finding}".strip()),
        detail="" if outcome.status is Status.PASSED else printable(_detail(outcome, log)),
        hint=hint,
        share=outcome.share,
        picture=_picture(outcome, log),
    )


def _picture(outcome: Outcome, log: Log | None) -> Picture | None:
    picture = outcome.failure.picture if outcome.failure is not None else None
    if picture is None:
        return None
    calls = log.told if log is not None else []
    return on_graph(picture, (one for call in reversed(calls) for one in (*call.args, *call.kwargs.values())))


def _finding(check: Check, outcome: Outcome, last: Call | None) -> str:
    if outcome.status is Status.PASSED:
        return ""
    if outcome.status is Status.BROKEN:
        return BROKEN
    if outcome.status is Status.SKIPPED:
        return "Skipped: the time for this problem was used up by the checks before. 0 points."
    if outcome.fault is not None:
        return _fault_finding(check, outcome, outcome.fault)
    if outcome.failure is not None:
        return _failure_finding(check, outcome, outcome.failure)
    return _unusable_finding(check, outcome, last)


def _fault_finding(check: Check, outcome: Outcome, fault: StudentFault) -> str:
    if not check.visible:
        return fault.summary
    said = f"{fault.exception[0] if fault.exception else 'It said'}: {fault.text}" if fault.text else ""
    lines = [fault.summary, fault.traceback.rstrip() or said, *_given(outcome)]
    return "\n".join(line for line in lines if line)


def _failure_finding(check: Check, outcome: Outcome, failure: Failure) -> str:
    if not check.visible:
        return KINDS.get(failure.kind, KINDS["promise"])
    return "\n".join([f"{failure}"[:1].upper() + f"{failure}"[1:], *_given(outcome)])


def _unusable_finding(check: Check, outcome: Outcome, last: Call | None) -> str:
    if last is None:
        return "What was returned could not be used by this check."
    if check.visible:
        finding = f"`{last.name}` returned {kind_of(last.value)}, which this check could not use."
        return "\n".join([finding, *_given(outcome)])
    # A length, a shape or the name of a class could carry an input out: whoever returned it chose it.
    name = last.target[0] if isinstance(last.target[0], str) else last.target[1] or "__call__"
    return f"`{name}` returned {_sort_of(last.value)}, which this check could not use."


def _given(outcome: Outcome) -> list[str]:
    return [f"With {arguments(outcome.example)}"] if outcome.example else []


def _detail(outcome: Outcome, log: Log | None) -> str:
    lines: list[str] = []
    if outcome.example:
        lines.append(f"inputs: {arguments(outcome.example)}")
    if outcome.failure is not None:
        lines.append(f"miss ({outcome.failure.kind}): {outcome.failure}")
    if outcome.fault is not None:
        lines += [f"fault: {outcome.fault.summary}", outcome.fault.text, outcome.fault.traceback]
    lines += [outcome.trouble, *_calls(log)]
    if outcome.output:
        lines.append(f"output:\n{outcome.output}")
    return "\n".join(line.rstrip() for line in lines if line)


def _calls(log: Log | None) -> list[str]:
    calls = log.told if log is not None else []
    lines = [f"  {spelled(call)} -> {_ending(call)}" for call in calls[-CALLS:]]
    return ["calls:", *lines] if lines else []


def _ending(call: Call) -> str:
    return call.fault.status.value if call.fault is not None else compact(call.value)


def _last_call(log: Log | None) -> Call | None:
    calls = [call for call in log.told if call.fault is None] if log is not None else []
    return calls[-1] if calls else None


def arguments(example: Mapping[str, Any]) -> str:
    """Return how named arguments read.

    >>> arguments({"sigma2": 4.0, "batch": 32})
    'sigma2=4.0, batch=32'
    """
    return ", ".join(f"{name}={compact(value)}" for name, value in example.items())


def spelled(call: Call) -> str:
    """Return how a call reads."""
    named = [f"{name}={compact(value)}" for name, value in call.kwargs.items()]
    return f"{call.name}({', '.join([*map(compact, call.args), *named])})"


def compact(value: Any) -> str:
    """Return a short, one-line form of any value that can be sent.

    >>> compact([0.5, "text"])
    "[0.5, 'text']"
    """
    if isinstance(value, np.ndarray):
        text = np.array2string(value, threshold=24, edgeitems=3, separator=", ", precision=6)
        text = f"{' '.join(text.split())} (shape {value.shape}, {value.dtype})"
    else:
        text = _safe_repr(value)
    return text if len(text) <= WIDTH else f"{text[: WIDTH - 1]}…"


def _safe_repr(value: Any) -> str:
    try:
        return ascii(value) if isinstance(value, str) else repr(value)
    except ValueError:  # an int with more digits than Python prints
        return f"a value of type {type(value).__name__}"


def kind_of(value: Any) -> str:
    """Return what a value is, in words a student uses.

    >>> kind_of([1, 2]), kind_of(None)
    ('a list of 2 items', 'None')
    """
    if value is None:
        return "None"
    if isinstance(value, np.ndarray):
        return f"an array of shape {value.shape}"
    if isinstance(value, str):
        return "text"
    if isinstance(value, (list, tuple)):
        return f"a {type(value).__name__} of {len(value)} items"
    kind = getattr(value, "kind", None)
    return f"an object of type {kind}" if isinstance(kind, str) else f"a value of type {type(value).__name__}"


def _sort_of(value: Any) -> str:
    if value is None or isinstance(value, str):
        return kind_of(value)
    if isinstance(value, np.ndarray):
        return "an array"
    if isinstance(value, (list, tuple, dict)):
        return f"a {type(value).__name__}"
    return "an object" if isinstance(value, Handle) else "a number"


def printable(text: str) -> str:
    r"""Return text with what cannot be seen, other than line ends and tabs, written as an escape.

    >>> printable("a\x1b[2J")
    'a\\x1b[2J'
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in "\n\t" else c.encode("unicode_escape").decode("ascii") for c in text)
