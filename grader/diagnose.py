"""Which known mistake yields these very numbers.

A wrong variant fits a function when its results equal the student's on every logged call of that function, and at
least one of them differs from the right value. One fit gives its hint; several give it only if they share it. Where
there are no variants (a student's machine) the same question is put to answers that were recorded from them.
"""

from __future__ import annotations

import base64
import hashlib
import json
from typing import TYPE_CHECKING, Any

from grader import compare
from grader.isolation.inside import wire
from grader.isolation.inside.wire import Handle
from grader.student import Log, Proxy, has_handle, mapped, trusted

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from grader.course import ProblemFiles
    from grader.problem import Problem
    from grader.student import Answers, Call
    from grader.variants import Variant

FORMAT = 1


class _Missing:
    """Stands where a candidate gave no value; equal to nothing."""


MISSING = _Missing()


def hints(problem: Problem, files: ProblemFiles, logs: Mapping[str, Log], failed: Iterable[str]) -> dict[str, str]:
    """Return a hint for each failed check that a known mistake explains.

    Args:
        problem: the problem.
        files: its files, for recorded answers where it has no variants.
        logs: what the student answered, by check.
        failed: the checks that said FAILED.
    """
    failed = tuple(failed)
    if not failed:
        return {}
    known = _from_variants(problem, logs) if problem.wrong else _from_record(files.mistakes, logs)
    found = {name: _hint(logs, name, known) for name in failed if name in logs}
    return {name: hint for name, hint in found.items() if hint}


class Mistake:
    """One known mistake, ready to be compared: its hint, its answers by call, and where it is wrong."""

    def __init__(self, hint: str, answers: Mapping[int, Any], differs: set[int]) -> None:
        self.hint = hint
        self._answers = answers
        self._differs = differs

    def fits(self, calls: Sequence[Call]) -> bool:
        """Whether it gives the student's values on all of these calls, a wrong one among them."""
        answered = [call for call in calls if id(call) in self._answers]
        return (
            len(answered) == len(calls)
            and any(id(call) in self._differs for call in calls)
            and all(compare.agree(call.value, self._answers[id(call)]) for call in calls)
        )


def _hint(logs: Mapping[str, Log], check: str, known: Sequence[Mistake]) -> str:
    for name in dict.fromkeys(call.name for call in logs[check].calls if call.fault is None):
        calls = [call for log in logs.values() for call in log.calls if call.name == name and call.fault is None]
        fitting = {mistake.hint for mistake in known if mistake.fits(calls)}
        if len(fitting) == 1:
            return fitting.pop()
    return ""


def _from_variants(problem: Problem, logs: Mapping[str, Log]) -> list[Mistake]:
    right = _answers(trusted(problem.reference, f"reference/{problem.slug}.py", problem.probes), logs)
    return [_mistake(variant, problem, logs, right) for variant in problem.wrong]


def _mistake(variant: Variant, problem: Problem, logs: Mapping[str, Log], right: Mapping[int, Any]) -> Mistake:
    answers = _answers(trusted(variant.text, f"variants/{variant.name}.py", problem.probes), logs)
    differs = {key for key, value in answers.items() if key in right and not compare.agree(value, right[key])}
    return Mistake(hint_of(variant, problem), answers, differs)


def hint_of(variant: Variant, problem: Problem) -> str:
    """Return a wrong variant's hint: its own, or that of the variant it is alike."""
    if variant.alike:
        return next(other.hint for other in problem.wrong if other.name == variant.alike)
    return variant.hint


def _answers(candidate: Answers, logs: Mapping[str, Log]) -> dict[int, Any]:
    answers: dict[int, Any] = {}
    for log in logs.values():
        for example in log.examples:
            replayed = replay(example, candidate)
            answers |= {id(call): value for call, value in zip(example, replayed, strict=True) if value is not MISSING}
    return answers


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
    if isinstance(theirs, (list, tuple)) and isinstance(ours, (list, tuple)):
        pairs = [_paired(a, b) for a, b in zip(theirs, ours, strict=False)]
        return {key: value for pair in pairs for key, value in pair.items()}
    return {}


def record(problem: Problem) -> str:
    """Return, as JSON text, what each wrong variant answers to the visible checks' own calls, with its hint.

    Only checks without drawn arguments have calls that are the same everywhere. No right value is in it.
    """
    logs = {check.name: _visible_calls(problem, check.name) for check in problem.checks if check.visible}
    keys = _keys(logs)
    mistakes = []
    for variant in problem.wrong:
        right = _answers(trusted(problem.reference, f"reference/{problem.slug}.py", problem.probes), logs)
        answers = _answers(trusted(variant.text, f"variants/{variant.name}.py", problem.probes), logs)
        told = {keys[key]: value for key, value in answers.items() if not has_handle(value)}
        differs = {keys[key] for key, value in answers.items() if not compare.agree(value, right.get(key))}
        if differs & set(told):
            mistakes.append(
                {
                    "hint": hint_of(variant, problem),
                    "answers": {key: base64.b64encode(wire.encode(value)).decode() for key, value in told.items()},
                    "differs": sorted(differs),
                }
            )
    return json.dumps({"format": FORMAT, "mistakes": mistakes}, indent=1) + "\n"


def _visible_calls(problem: Problem, name: str) -> Log:
    check, log = problem.check(name), Log()
    if check.given is None:
        reference = trusted(problem.reference, f"reference/{problem.slug}.py", problem.probes)
        dtype = problem.settings.dtype or "float64"
        log.begin()
        check.function(student=Proxy(reference, log, dtype=dtype, takes_tensors=problem.takes_tensors))
        reference.forget()
    return log


def _from_record(text: str, logs: Mapping[str, Log]) -> list[Mistake]:
    if not text:
        return []
    try:
        content = json.loads(text)
        entries = content["mistakes"] if content["format"] == FORMAT else []
        keys = _keys(logs)
        return [_recorded(entry, keys) for entry in entries]
    except (ValueError, KeyError, TypeError, wire.WireError):
        return []  # a hint is a courtesy; a damaged record costs nothing else


def _recorded(entry: Mapping[str, Any], keys: Mapping[int, str]) -> Mistake:
    told = {key: wire.decode(base64.b64decode(blob)) for key, blob in entry["answers"].items()}
    differs = set(entry["differs"])
    answers = {call: told[key] for call, key in keys.items() if key in told}
    return Mistake(entry["hint"], answers, {call for call, key in keys.items() if key in differs})


def _keys(logs: Mapping[str, Log]) -> dict[int, str]:
    """Return a name for each call that is the same on every machine: its check, place, function and arguments."""
    keys = {}
    for name, log in logs.items():
        for place, call in enumerate(log.calls):
            plain = mapped((call.args, call.kwargs), lambda leaf: None if isinstance(leaf, Handle) else leaf)
            digest = hashlib.sha256(call.name.encode() + wire.encode(plain)).hexdigest()[:16]
            keys[id(call)] = f"{name}/{place}/{digest}"
    return keys
