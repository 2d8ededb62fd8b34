"""Which known mistake yields these very numbers.

A wrong variant fits a function when its results equal the student's on every logged call of that function, and at
least one of them differs from the right value. One fit gives its hint; several give it only if they share it. Where
there are no variants (a student's machine) the same question is put to answers that were recorded from them.
"""

from __future__ import annotations

import base64
import functools
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from grader import compare
from grader.errors import AuthoringError
from grader.isolation.inside import wire
from grader.isolation.inside.wire import Handle
from grader.isolation.worker import handles
from grader.student import Log, Proxy, has_handle, mapped
from grader.trusted import REMEMBERED, trusted
from grader.variants import reach

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from grader.course import ProblemFiles
    from grader.problem import Problem
    from grader.student import Answers, Call
    from grader.trusted import Trusted
    from grader.variants import Variant

    Asked = Callable[[str, int], Collection[bytes] | None]

FORMAT = 1


class _Missing:
    """Stands where a candidate gave no value; equal to nothing."""


MISSING = _Missing()


def trusted_reference(problem: Problem) -> Trusted:
    """Return who answers for a problem's reference, which there must be."""
    return trusted(problem.reference, f"reference/{problem.slug}.py", problem.probes)


def trusted_variant(problem: Problem, variant: Variant) -> Trusted:
    """Return who answers for one of a problem's variants."""
    return trusted(variant.text, f"variants/{variant.name}.py", problem.probes)


def hints(
    problem: Problem,
    files: ProblemFiles,
    logs: Mapping[str, Log],
    failed: Iterable[str],
    asked: Asked = lambda _check, _place: None,
    *,
    remembered: Callable[[str, Callable[[], str]], str] = lambda _function, find: find(),
) -> dict[str, str]:
    """Return a hint for each failed check that a known mistake explains.

    Args:
        problem: the problem.
        files: its files, for recorded answers where it has no variants.
        logs: what the student answered, by check.
        failed: the checks that said FAILED.
        asked: the questions that a check puts to the reference on an example of that place; None for any. A call
            that is none of these got a value that the student made, and is not put to anybody in this process: its
            answer could take for ever.
        remembered: the hint for a function, if its answers have been seen before, or else found by the call given.
    """
    failed = tuple(name for name in failed if name in logs)
    if not failed:
        return {}
    calls = _Calls(logs, asked)
    known = _from_variants(problem, calls) if problem.wrong else _from_record(files.mistakes, logs)

    @functools.cache
    def explained(function: str) -> str:
        return remembered(function, lambda: _hint(calls.of(function), known))

    found = {name: next(filter(None, map(explained, calls.functions(name))), "") for name in failed}
    return {name: hint for name, hint in found.items() if hint}


class _Calls:
    """The logged calls of a student, and which of them may be put to somebody else."""

    def __init__(self, logs: Mapping[str, Log], asked: Asked = lambda _check, _place: None) -> None:
        self._logs = logs
        self._asked = asked
        self._homes = {
            id(call): (name, place, example)
            for name, log in logs.items()
            for place, example in enumerate(log.examples)
            for call in example
        }
        self._allowed: dict[int, bool] = {}
        self._names: dict[int, frozenset[str]] = {}
        self._questions: dict[tuple[int, int], tuple[Any, ...]] = {}

    def functions(self, check: str) -> list[str]:
        """Return the functions that answered in a check, in order."""
        return list(dict.fromkeys(call.name for call in self._logs[check].calls if call.fault is None))

    def of(self, function: str) -> list[Call]:
        """Return all answered calls of a function, whatever the check, that may be put to somebody else."""
        answered = (call for log in self._logs.values() for call in log.calls if call.fault is None)
        return [call for call in answered if call.name == function and self.allowed(call)]

    def example(self, call: Call) -> list[Call]:
        """Return the calls of a call's example that may be put to somebody else, in order."""
        return [one for one in self._homes[id(call)][2] if self.allowed(one)]

    def names(self, call: Call) -> frozenset[str]:
        """Return the names of the answer's file that a call goes by, with those that its objects come from."""
        if id(call) not in self._names:
            asked = self.example(call) if call.objects else [call]
            self._names[id(call)] = frozenset(one.target[0] for one in asked if len(one.target) == 1)
        return self._names[id(call)]

    def questions(self, calls: Sequence[Call]) -> tuple[Any, ...]:
        """Return what calls ask in order, and the numbers of the objects that they name and give."""
        first = id(calls[0]), len(calls)
        if first not in self._questions:
            self._questions[first] = tuple((one.known, *(_numbers(one) if one.objects else ())) for one in calls)
        return self._questions[first]

    def allowed(self, call: Call) -> bool:
        """Whether a check itself asks this, whoever answers."""
        if call.known:
            return True
        if id(call) not in self._allowed:
            name, place, _ = self._homes[id(call)]
            questions = self._asked(name, place)
            self._allowed[id(call)] = questions is None or call.question in questions
        return self._allowed[id(call)]


@dataclass(frozen=True, slots=True)
class Mistake:
    """One known mistake, ready to be compared: its hint, what it answers to a call, and whether that is wrong.

    ``answer`` gives MISSING where the mistake has no answer. ``right`` are calls that it is known to answer rightly,
    where how is not told; they are taken to agree.
    """

    hint: str
    answer: Callable[[Call], Any]
    is_wrong: Callable[[Call, Any], bool]
    right: Collection[int] = ()

    def fits(self, calls: Sequence[Call]) -> bool:
        """Whether it gives the student's values on all of these calls, a wrong one among them."""
        wrong = False
        for call in calls:
            if id(call) in self.right:
                continue
            answer = self.answer(call)
            if answer is MISSING or not compare.agree(call.value, answer):
                return False
            wrong = wrong or self.is_wrong(call, answer)
        return wrong


@dataclass(frozen=True, slots=True)
class Known:
    """The known mistakes, and whether the student's own value is wrong where that can be told."""

    mistakes: Sequence[Mistake]
    is_wrong: Callable[[Call], bool]


class Replayed:
    """What a trusted candidate answers to logged calls, found out when it is asked for."""

    def __init__(self, candidate: Trusted, calls: _Calls) -> None:
        self._candidate = candidate
        self._calls = calls
        self._values: dict[int, Any] = {}

    def __call__(self, call: Call) -> Any:
        """Return the answer to one call, or MISSING; where objects are answered its whole example is replayed."""
        if id(call) not in self._values:
            asked = self._calls.example(call)
            if not any(one.objects for one in asked):
                asked = [call]
            self._values.update((id(one), value) for one, value in zip(asked, self._answers(asked), strict=True))
        return self._values[id(call)]

    def _answers(self, asked: Sequence[Call]) -> list[Any]:
        """Return the answers to questions in order; to known ones it answers every student alike, so just once."""
        if not all(one.known for one in asked):
            return replay(asked, self._candidate)
        key = self._calls.questions(asked)
        answers = self._candidate.answers.get(key)
        if answers is None:
            answers = replay(asked, self._candidate)
            if len(self._candidate.answers) < REMEMBERED:
                self._candidate.answers[key] = answers
        return answers


def _hint(answered: Sequence[Call], known: Known) -> str:
    """Return the one hint of the mistakes that fit all answers of a function; "" if there is none, or more."""
    # A mistake that does not fit is found out at the first wrong value, so those are asked about first.
    suspicious = sorted(answered, key=lambda call: not known.is_wrong(call))
    fitting = {mistake.hint for mistake in known.mistakes if mistake.fits(suspicious)}
    return fitting.pop() if len(fitting) == 1 else ""


def _from_variants(problem: Problem, calls: _Calls) -> Known:
    right = Replayed(trusted_reference(problem), calls)

    def differs(call: Call, value: Any) -> bool:
        # Where the reference raises, whatever is answered is wrong.
        return right(call) is MISSING or not compare.agree(value, right(call))

    within = reach(problem.reference)

    def mistake(variant: Variant) -> Mistake:
        answers, replaced = Replayed(trusted_variant(problem, variant), calls), variant.replaces.partition(".")[0]

        def answer(call: Call) -> Any:
            # What lies out of its reach it answers as the reference does, which is known by now.
            touched = any(replaced in within.get(name, {replaced}) for name in calls.names(call))
            return answers(call) if touched else right(call)

        return Mistake(hint_of(variant, problem), answer, differs)

    return Known([mistake(variant) for variant in problem.wrong], lambda call: differs(call, call.value))


def hint_of(variant: Variant, problem: Problem) -> str:
    """Return a wrong variant's hint: its own, or that of the variant it is alike."""
    if variant.alike:
        return next(other.hint for other in problem.wrong if other.name == variant.alike)
    return variant.hint


def _numbers(call: Call) -> tuple[tuple[int, ...], tuple[int, ...]]:
    named = handles((call.target, call.args, call.kwargs))
    return tuple(one.id for one in named), tuple(one.id for one in handles(call.value))


def _answers(candidate: Trusted, logs: Mapping[str, Log]) -> dict[int, Any]:
    replayed = Replayed(candidate, _Calls(logs))
    answers = {id(call): replayed(call) for log in logs.values() for call in log.calls}
    return {key: value for key, value in answers.items() if value is not MISSING}


def replay(calls: Sequence[Call], candidate: Answers) -> list[Any]:
    """Return what a trusted candidate answers to the calls of one example, in order; MISSING where it cannot.

    A handle in the student's arguments stands for the object that the candidate itself made at the same place.
    """
    own: dict[int, Handle] = {}
    values: list[Any] = []
    for call in calls:
        value = _replayed(call, candidate, own)
        if call.fault is None and value is not MISSING:
            own.update(_paired(call.value, value))
        values.append(value)
    candidate.forget()
    return values


def _replayed(call: Call, candidate: Answers, own: Mapping[int, Handle]) -> Any:
    def translated(leaf: Any) -> Any:
        return own[leaf.id] if isinstance(leaf, Handle) else leaf

    try:
        target = tuple(translated(part) for part in call.target)
        args, kwargs = mapped((call.args, call.kwargs), translated)
        return candidate.call(target, args, kwargs, tensors=call.tensors)
    except Exception:  # noqa: BLE001 - a mistake that cannot answer explains nothing
        return MISSING


def _paired(theirs: Any, ours: Any) -> dict[int, Handle]:
    if isinstance(theirs, Handle) and isinstance(ours, Handle):
        return {theirs.id: ours}
    if isinstance(theirs, dict) and isinstance(ours, dict):
        shared = [key for key in theirs if key in ours]
        return _paired([theirs[key] for key in shared], [ours[key] for key in shared])
    if isinstance(theirs, (list, tuple)) and isinstance(ours, (list, tuple)):
        pairs = [_paired(a, b) for a, b in zip(theirs, ours, strict=False)]
        return {key: value for pair in pairs for key, value in pair.items()}
    return {}


def record(problem: Problem) -> str:
    """Return, as JSON text, what each wrong variant answers to the visible checks' own calls, with its hint.

    Only checks without drawn arguments have calls that are the same everywhere. No right value is in it: of calls
    that a mistake answers rightly, only that it does is told.

    Raises:
        AuthoringError: the reference does not pass a visible check.
    """
    logs = {check.name: _visible_calls(problem, check.name) for check in problem.checks if check.visible}
    keys = _keys(logs)
    mistakes = []
    right = _answers(trusted_reference(problem), logs)
    for variant in problem.wrong:
        answers = _answers(trusted_variant(problem, variant), logs)
        same = {key for key, value in answers.items() if key in right and compare.agree(value, right[key])}
        told = {keys[key]: value for key, value in answers.items() if key not in same and not has_handle(value)}
        if told:
            mistakes.append(
                {
                    "hint": hint_of(variant, problem),
                    "answers": {key: base64.b64encode(wire.encode(value)).decode() for key, value in told.items()},
                    "right": sorted(keys[key] for key in same),
                }
            )
    content = {"format": FORMAT, "asked": sorted(keys.values()), "mistakes": mistakes}
    return json.dumps(content, indent=1) + "\n"


def _visible_calls(problem: Problem, name: str) -> Log:
    check, log = problem.check(name), Log()
    if check.given is None:
        reference = trusted_reference(problem)
        dtype = problem.settings.dtype or "float64"
        log.begin()
        try:
            check.function(student=Proxy(reference, log, dtype=dtype, takes_tensors=problem.takes_tensors))
        except Exception as error:
            raise AuthoringError(f"the reference of {problem.slug} does not pass {name}: {error}") from error
        finally:
            reference.forget()
    return log


def _from_record(text: str, logs: Mapping[str, Log]) -> Known:
    nothing = Known([], lambda _call: True)
    if not text:
        return nothing
    try:
        content = json.loads(text)
        entries = content["mistakes"] if content["format"] == FORMAT else []
        keys = _keys(logs)
        asked = set(content["asked"])
        return Known([_recorded(entry, keys, asked) for entry in entries], lambda _call: True)
    except (AttributeError, LookupError, RecursionError, TypeError, ValueError):
        return nothing  # a hint is a courtesy; a damaged record costs nothing else


def _recorded(entry: Mapping[str, Any], keys: Mapping[int, str], asked: Collection[str]) -> Mistake:
    if not isinstance(entry["hint"], str):
        raise TypeError("a hint is text")
    told = {key: wire.decode(base64.b64decode(blob)) for key, blob in entry["answers"].items()}
    same = set(entry["right"])
    return Mistake(
        entry["hint"],
        lambda call: told.get(keys[id(call)], MISSING),
        lambda _call, _value: True,  # only wrong values are told
        # What was not asked when the answers were recorded, as drawn arguments are not, says nothing either way.
        {call for call, key in keys.items() if key in same or key not in asked},
    )


def _keys(logs: Mapping[str, Log]) -> dict[int, str]:
    """Return a name for each call that is the same on every machine: its check, place, function and arguments."""
    keys = {}
    for name, log in logs.items():
        for place, call in enumerate(log.calls):
            digest = call.question.hex()[:16]
            keys[id(call)] = f"{name}/{place}/{digest}"
    return keys
