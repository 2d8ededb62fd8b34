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
JUDGES = {"allclose", "isclose", "assert_allclose", "assert_close", "approx"}


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
        altered = Altered(self._reference, self.function, lambda *_: value)
        for check in self.callers:
            outcome = self._run(check, altered)
            statuses.append(outcome.status)
            if outcome.status is Status.BROKEN:
                self._complain("f", name, f"makes {check.name} BROKEN: {outcome.trouble}")
        if combined(statuses) is Status.PASSED and altered.differed:
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


def _on_arrays(
    change: Callable[[np.ndarray[Any, Any]], Any], least: int = 1, kinds: str = "iufc"
) -> Callable[..., Any]:
    """Make a change of results out of a change of arrays of some kinds with at least ``least`` dimensions."""

    def one(array: np.ndarray[Any, Any]) -> Any:
        return change(array) if array.ndim >= least and array.dtype.kind in kinds else _SAME

    def changed(value: Any, _args: tuple[Any, ...]) -> Any:
        with np.errstate(all="ignore"):
            return _each(value, one)

    return changed


def _each(value: Any, change: Callable[[np.ndarray[Any, Any]], Any]) -> Any:
    """Change every array, number and table of numbers in a result; _SAME if the change applies to none."""
    whole = _as_array(value)
    if whole is None or _holds_arrays(value):
        return _parts(value, lambda part: _each(part, change))
    new = change(whole)
    return new if new is _SAME else _like(np.asarray(new), value)


def _parts(value: Any, change: Callable[[Any], Any]) -> Any:
    """Change the parts of a container; _SAME if it is none, or the change applies to no part."""
    if not isinstance(value, (dict, list, tuple)):
        return _SAME
    items = list(value.values()) if isinstance(value, dict) else list(value)
    changed = [change(item) for item in items]
    if all(part is _SAME for part in changed):
        return _SAME
    mixed = [old if part is _SAME else part for old, part in zip(items, changed, strict=True)]
    return dict(zip(value, mixed, strict=True)) if isinstance(value, dict) else type(value)(mixed)


def _as_array(value: Any) -> np.ndarray[Any, Any] | None:
    """Return what holds nothing but numbers or truths as one array; None for anything else, and if it is empty."""
    if value is None or isinstance(value, (str, dict)):
        return None
    try:
        array = np.asarray(value)
        if array.dtype == object:
            array = np.asarray(value, dtype=float)
    except (ValueError, TypeError, OverflowError):
        return None
    return array if array.dtype.kind in "biufc" and array.size else None


def _holds_arrays(value: Any) -> bool:
    """Whether arrays lie in a list: they are changed one by one and stay arrays."""
    if isinstance(value, (list, tuple)):
        return any(isinstance(item, np.ndarray) or _holds_arrays(item) for item in value)
    return False


def _like(array: np.ndarray[Any, Any], value: Any) -> Any:
    """Return an array as what it takes the place of: an array, a list, a tuple or a number."""
    if isinstance(value, np.ndarray):
        return array
    return tuple(array.tolist()) if isinstance(value, tuple) else array.tolist()


def _argument(value: Any, args: tuple[Any, ...]) -> Any:
    """An argument of equal shape in place of the result."""
    want = _as_array(value)
    for argument in args:
        given = _as_array(argument)
        if want is not None and given is not None and given.shape == want.shape and given.dtype.kind in "iufc":
            return argument
    return _SAME


def _always(answer: bool) -> Callable[..., Any]:
    def changed(value: Any, _args: tuple[Any, ...] = ()) -> Any:
        if isinstance(value, bool):
            return answer
        if isinstance(value, np.ndarray):
            return np.full(value.shape, answer) if value.dtype.kind == "b" and value.size else _SAME
        return _parts(value, changed)

    return changed


def _second_half_zeroed(array: np.ndarray[Any, Any]) -> Any:
    flat = array.ravel().copy()
    flat[flat.size // 2 :] = 0
    return flat.reshape(array.shape) if flat.size > 1 else _SAME


def _moved(change: Callable[..., Any], axis: int) -> Callable[..., Any]:
    return _on_arrays(lambda array: change(array, axis), axis + 1, "biufc")


def _rolled(array: np.ndarray[Any, Any], axis: int) -> Any:
    return np.roll(array, 1, axis)


WRONG: Mapping[str, Callable[..., Any]] = {
    "zeros": _on_arrays(np.zeros_like, 0),
    "ones": _on_arrays(np.ones_like, 0),
    "its mean": _on_arrays(lambda array: np.full(array.shape, array.mean())),
    "an argument of equal shape": _argument,
    "its transpose": _on_arrays(lambda array: array.T.copy(), 2, "biufc"),
    "itself reversed along axis 0": _moved(np.flip, 0),
    "itself reversed along axis 1": _moved(np.flip, 1),
    "itself reversed along axis 2": _moved(np.flip, 2),
    "itself rolled along axis 0": _moved(_rolled, 0),
    "itself rolled along axis 1": _moved(_rolled, 1),
    "itself rolled along axis 2": _moved(_rolled, 2),
    "its second half zeroed": _on_arrays(_second_half_zeroed),
    "one more": _on_arrays(lambda array: array + 1, 0, "iu"),
    "one less": _on_arrays(lambda array: array - 1, 0, "iu"),
    "NaN": _on_arrays(lambda array: np.full(array.shape, np.nan), 0),
    "float16": _on_arrays(lambda array: array.astype(np.float16), 0, "f"),
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
    nodes = [node for node in ast.walk(ast.parse(problem.probes)) if isinstance(node, (ast.stmt, ast.expr))]
    return [f"(g) probes.py, line {node.lineno}: {fault}" for node in nodes if (fault := _fault_of(node))]


def _fault_of(node: ast.stmt | ast.expr) -> str:
    if isinstance(node, (ast.Assert, ast.Raise)):
        return "a probe measures and never judges; it may not raise or assert"
    if (isinstance(node, ast.Name) and node.id in JUDGES) or (isinstance(node, ast.Attribute) and node.attr in JUDGES):
        return "a probe measures and never judges; it may not compare by a tolerance"
    modules = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
    modules += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
    if any(module.split(".")[0] in {"grader", "reference"} for module in modules):
        return "a probe runs beside the student and imports nothing of ours"
    return ""


def _holds_bool(value: Any) -> bool:
    if isinstance(value, dict):
        return any(_holds_bool(item) for item in value.values())
    if isinstance(value, (list, tuple)):
        return any(_holds_bool(item) for item in value)
    return isinstance(value, bool) or (isinstance(value, np.ndarray) and value.dtype == bool)
