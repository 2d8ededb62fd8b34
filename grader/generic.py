"""Wrong and unusable answers that fit any problem, made from what the reference answers; all in this process.

A wrong answer must fail some check wherever it differs from the right one. An unusable one must never pass and must
never be called our own fault.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from grader import compare, examples
from grader.outcome import Outcome
from grader.student import Call, Log, has_handle, target_name
from grader.verdict import Status, combined

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from grader.blame import Bench
    from grader.problem import Check, Problem
    from grader.student import Answers

UNUSABLE: Mapping[str, Any] = {
    "None": None,
    "text": "text",
    "[]": [],
    "{}": {},
    "ragged": [[1.0, 2.0], [3.0]],
}


@dataclass(slots=True)
class Survey:
    """What was tried and what came through."""

    tried: int = 0
    complaints: list[str] = field(default_factory=list)


class Altered:
    """Answers as the reference does, with the results of one function changed."""

    def __init__(self, reference: Answers, function: str, change: Callable[[Any, tuple[Any, ...]], Any]) -> None:
        self._reference = reference
        self._function = function
        self._change = change
        self.differed = False
        self.applied = False

    def call(self, target: tuple[Any, ...], args: tuple[Any, ...], kwargs: dict[str, Any], *, tensors: bool) -> Any:
        """Answer one call, changed if it is the function's."""
        right = self._reference.call(target, args, kwargs, tensors=tensors)
        if target_name(target) != self._function:
            return right
        changed = self._change(right, (*args, *kwargs.values()))
        if changed is _SAME:
            return right
        self.applied = True
        self.differed = self.differed or not compare.agree(changed, right)
        return changed

    def forget(self) -> None:
        """An example has ended."""
        self._reference.forget()


def survey(problem: Problem, bench: Bench, stored: Mapping[str, examples.Stored]) -> Survey:
    """Try every generic answer for every function that the checks call."""
    found = Survey()
    logs = {check.name: _reference_log(check, bench, stored) for check in problem.checks}
    calls = [call for log in logs.values() for call in log.calls]
    found.complaints += [
        f"(g) {name} returns a bool: a probe measures and never judges; return the measured numbers"
        for name in dict.fromkeys(call.name for call in calls if _judges(call))
    ]
    for function in dict.fromkeys(call.name for call in calls if _is_plain(call)):
        callers = [check for check in problem.checks if any(c.name == function for c in logs[check.name].calls)]
        trial = _Trial(bench, stored, function, callers, found.complaints)
        for name, change in WRONG.items():
            found.tried += trial.demand_caught(name, change)
        for name, value in _unusable([call.value for call in calls if call.name == function]):
            trial.demand_blame(name, value)
            found.tried += 1
    return found


@dataclass(frozen=True, slots=True)
class _Trial:
    """One function whose results are altered, and the checks that call it."""

    bench: Bench
    stored: Mapping[str, examples.Stored]
    function: str
    callers: list[Check]
    complaints: list[str]

    def demand_caught(self, name: str, change: Callable[[Any, tuple[Any, ...]], Any]) -> bool:
        """Demand that a wrong answer fails somewhere if it differs anywhere; return whether it could be made."""
        altered = Altered(self._reference, self.function, change)
        for check in self.callers:
            if self.function in check.free:
                continue
            outcome = self._run(check, altered)
            if outcome.status is Status.BROKEN:
                self._complain("e", name, f"makes {check.name} BROKEN: {outcome.trouble}")
            if outcome.status is not Status.PASSED:
                return True
        if altered.differed:
            self._complain("e", name, "passes every check, though it is not the right result")
        return altered.applied

    def demand_blame(self, name: str, value: Any) -> None:
        """Demand that an unusable answer is neither PASSED nor BROKEN."""
        statuses = []
        for check in self.callers:
            outcome = self._run(check, Altered(self._reference, self.function, lambda *_: value))
            statuses.append(outcome.status)
            if outcome.status is Status.BROKEN:
                self._complain("f", name, f"makes {check.name} BROKEN: {outcome.trouble}")
        if combined(statuses) is Status.PASSED:
            self._complain("f", name, "passes every check that calls it")

    @property
    def _reference(self) -> Answers:
        assert self.bench.reference is not None, "a proof needs the reference"
        return self.bench.reference

    def _complain(self, demand: str, name: str, what: str) -> None:
        self.complaints.append(f"({demand}) {self.function} answered with {name} {what}")

    def _run(self, check: Check, altered: Altered) -> Outcome:
        outcome = Outcome(Status.PASSED)
        for example in self.stored[check.name]:
            outcome = self.bench.run(check, examples.decode(example), altered, Log())
            if outcome.status is not Status.PASSED:
                break
        return outcome


def _reference_log(check: Check, bench: Bench, stored: Mapping[str, examples.Stored]) -> Log:
    assert bench.reference is not None, "a proof needs the reference"
    log = Log()
    for example in stored[check.name]:
        bench.run(check, examples.decode(example), bench.reference, log)
    return log


def _is_plain(call: Call) -> bool:
    """Whether a call is one whose results can be replaced: not a probe's, and no object in it."""
    return call.fault is None and not call.name.startswith("probe.") and not has_handle(call.value)


def _judges(call: Call) -> bool:
    return call.name.startswith("probe.") and _holds_bool(call.value)


class _Same:
    """Says that a change does not apply to a result."""


_SAME = _Same()
Change = "Callable[[Any, tuple[Any, ...]], Any]"


def _on_arrays(change: Callable[[np.ndarray[Any, Any]], Any], least: int = 1) -> Callable[..., Any]:
    """Make a change of results out of a change of numeric arrays with at least ``least`` dimensions."""

    def changed(value: Any, args: tuple[Any, ...]) -> Any:
        del args
        return _each(value, lambda array: change(array) if array.ndim >= least else _SAME)

    return changed


def _each(value: Any, change: Callable[[np.ndarray[Any, Any]], Any]) -> Any:
    """Change every numeric leaf of a result; _SAME if the change applies to none."""
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return _SAME
    if isinstance(value, np.ndarray):
        return change(value) if value.dtype.kind in "iufc" and value.size else _SAME
    if isinstance(value, dict):
        parts = {key: _each(item, change) for key, item in value.items()}
        return (
            _SAME
            if all(p is _SAME for p in parts.values())
            else {key: value[key] if part is _SAME else part for key, part in parts.items()}
        )
    if isinstance(value, (list, tuple)):
        whole = _as_array(value)
        if whole is not None and whole.ndim:
            new = change(whole)
            return _SAME if new is _SAME else _like(new, value)
        each = [_each(item, change) for item in value]
        return (
            _SAME
            if all(p is _SAME for p in each)
            else type(value)(old if part is _SAME else part for old, part in zip(value, each, strict=True))
        )
    whole = _as_array(value)
    if whole is None:
        return _SAME
    new = change(whole)
    return new if new is _SAME or not isinstance(new, np.ndarray) or new.ndim else new.item()


def _as_array(value: Any) -> np.ndarray[Any, Any] | None:
    try:
        array = np.asarray(value)
        if array.dtype == object:
            array = np.asarray(value, dtype=float)
    except (ValueError, TypeError, OverflowError):
        return None
    return array if array.dtype.kind in "iufc" else None


def _like(array: Any, value: Any) -> Any:
    return array.tolist() if isinstance(value, list) else tuple(array.tolist()) if isinstance(value, tuple) else array


def _argument(value: Any, args: tuple[Any, ...]) -> Any:
    """An argument of equal shape in place of the result."""
    want = _as_array(value)
    for argument in args:
        given = _as_array(argument)
        if want is not None and given is not None and given.shape == want.shape:
            return argument
    return _SAME


def _always(answer: bool) -> Callable[..., Any]:
    return lambda value, _args: answer if isinstance(value, bool) else _SAME


def _second_half_zeroed(array: np.ndarray[Any, Any]) -> Any:
    flat = array.ravel().copy()
    flat[flat.size // 2 :] = 0
    return flat.reshape(array.shape) if flat.size > 1 else _SAME


def _shifted(step: int) -> Callable[[np.ndarray[Any, Any]], Any]:
    return lambda array: array + step if array.dtype.kind in "iu" else _SAME


def _along(axis: int, change: Callable[..., Any]) -> Callable[[np.ndarray[Any, Any]], Any]:
    return lambda array: change(array, axis) if array.ndim > axis else _SAME


WRONG: Mapping[str, Callable[..., Any]] = {
    "zeros": _on_arrays(np.zeros_like, 0),
    "ones": _on_arrays(np.ones_like, 0),
    "its mean": _on_arrays(lambda array: np.full(array.shape, array.mean())),
    "an argument of equal shape": _argument,
    "its transpose": _on_arrays(lambda array: array.T.copy(), 2),
    "itself reversed along axis 0": _on_arrays(_along(0, np.flip)),
    "itself reversed along axis 1": _on_arrays(_along(1, np.flip)),
    "itself reversed along axis 2": _on_arrays(_along(2, np.flip)),
    "itself rolled along axis 0": _on_arrays(_along(0, lambda array, axis: np.roll(array, 1, axis))),
    "itself rolled along axis 1": _on_arrays(_along(1, lambda array, axis: np.roll(array, 1, axis))),
    "itself rolled along axis 2": _on_arrays(_along(2, lambda array, axis: np.roll(array, 1, axis))),
    "its second half zeroed": _on_arrays(_second_half_zeroed),
    "one more": _on_arrays(_shifted(1), 0),
    "one less": _on_arrays(_shifted(-1), 0),
    "NaN": _on_arrays(lambda array: np.full(array.shape, np.nan), 0),
    "float16": _on_arrays(lambda array: array.astype(np.float16) if array.dtype.kind == "f" else _SAME, 0),
    "True": _always(True),
    "False": _always(False),
    "a column": _on_arrays(lambda array: array[:, None] if array.ndim == 1 else _SAME),
}


def _unusable(values: list[Any]) -> Iterator[tuple[str, Any]]:
    yield from UNUSABLE.items()
    for value in values:
        array = _as_array(value)
        if array is not None and array.ndim:
            yield "the wrong length", np.concatenate([array, array[:1]])
            return


def judging_probes(problem: Problem) -> list[str]:
    """Return complaints about probes that judge: that raise or assert, compare by a tolerance or return a bool."""
    if not problem.probes:
        return []
    complaints = []
    for node in ast.walk(ast.parse(problem.probes)):
        if isinstance(node, (ast.Assert, ast.Raise)):
            complaints.append(
                f"(g) probes.py, line {node.lineno}: a probe measures and never judges; it may not raise or assert"
            )
        if isinstance(node, ast.Import) and any(a.name.split(".")[0] in {"grader", "reference"} for a in node.names):
            complaints.append(
                f"(g) probes.py, line {node.lineno}: a probe runs beside the student and imports nothing of ours"
            )
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in {"grader", "reference"}:
            complaints.append(
                f"(g) probes.py, line {node.lineno}: a probe runs beside the student and imports nothing of ours"
            )
    return complaints


def _holds_bool(value: Any) -> bool:
    if isinstance(value, dict):
        return any(_holds_bool(item) for item in value.values())
    if isinstance(value, (list, tuple)):
        return any(_holds_bool(item) for item in value)
    return isinstance(value, bool) or (isinstance(value, np.ndarray) and value.dtype == bool)
