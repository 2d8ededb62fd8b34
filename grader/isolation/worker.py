"""One submission's answer to one problem, run in children: what a check's calls go through."""

from __future__ import annotations

import functools
import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from grader.errors import AuthoringError, IsolationError, StudentFault
from grader.isolation import faults
from grader.isolation.faults import Subject
from grader.isolation.importing import Importer
from grader.isolation.inside import wire
from grader.isolation.inside.wire import Handle, WireError
from grader.verdict import Status

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from types import TracebackType

    from grader.isolation.profile import Launcher, Profile, Source
    from grader.isolation.session import Session

    Target = tuple[Any, ...]

_SEEDS = 2**63
_REST_SECONDS = 1.0  # what a living child needs to say so, even on a busy machine
_LABEL_CHARACTERS = 80


@dataclass(frozen=True, slots=True)
class Line:
    """One call of a script, as far as its faults are put into words."""

    target: Target
    args: int
    names: tuple[str, ...]
    scene: int
    refused: bool  # whether an answer may raise here


@dataclass(frozen=True, slots=True)
class Performance:
    """What a child answered to a script: a value a line, None where there is a fault; faults by line.

    It may end before the script does, with a fault that was not asked for. ``key`` is a digest of the answers;
    empty where one of them is a fault, whose words are the student's own. Answers that are known by their digest
    are not read again.
    """

    values: list[Any]
    faults: Mapping[int, StudentFault]
    key: bytes


def seed_of(run_seed: int, call: int) -> int:
    """Return the seed of an example's call: the same in every run of it, and telling nothing of the run's own."""
    digest = hashlib.sha256(f"{run_seed}:{call}".encode()).digest()
    return int.from_bytes(digest, "little") % _SEEDS


class Worker:
    """Calls a student's functions in a child, and starts a fresh child when one has died.

    ::

        with Worker(launcher, source, profile) as worker:
            worker.begin(seconds=2)                       # a check starts
            worker.call(("f",), (x,), {}, tensors=False)  # a plain value, or StudentFault
            worker.forget()                               # an example ended

    Args:
        launcher: starts the children; stays the caller's.
        source: what they import.
        profile: the conditions that they run under.
    """

    def __init__(self, launcher: Launcher, source: Source, profile: Profile) -> None:
        self._importer = Importer(launcher, source, profile)
        self._file = source.main.name
        self._run_seed = profile.seed
        self._session: Session | None = None
        self._refusal: StudentFault | None = None  # importing failed; it will not be tried again
        self._fault: StudentFault | None = None  # the child died in this check
        self._labels: dict[int, str] = {}  # of the handles that may be used
        self._hasty = 0.0  # CPU time of the check, from before this budget
        self._stale = True  # whether the child may hold objects of an example that has ended
        self._calls = 0
        self.used = 0.0  # CPU time of the children that have ended, in seconds

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _frames: TracebackType | None
    ) -> None:
        self.close()

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader should know: lines and cells that were left out, cells that failed, inexact operations."""
        return tuple(self._importer.notes)

    @property
    def spent(self) -> float:
        """CPU time that the child has used since the check began, in seconds."""
        return self._hasty + (0.0 if self._session is None else self._session.spent)

    def begin(self, seconds: float, *, rest: bool = True) -> None:
        """Start a check: a fresh child if there is none alive, and a new budget.

        Args:
            seconds: CPU time for all calls until the next begin; waiting may take three times that and 1 s.
            rest: whether to hear first that the child is in order; not needed ahead of `perform`, which bears one
                that is not.

        Raises:
            StudentFault: the source cannot be imported; each later begin raises it again.
            IsolationError: no child could be started.
        """
        if self._refusal is not None:
            raise self._refusal.with_traceback(None)
        self._fault = None
        self._hasty = 0.0
        self.forget()
        self._session = self._rested(ask=rest) or self._started()
        self._session.allow(seconds)

    def call(self, target: Target, args: Sequence[Any], kwargs: Mapping[str, Any], *, tensors: bool) -> Any:
        """Return what a call in the child returns, as a plain value.

        Args:
            target: ``("f",)``, ``("probe", "g")``, or ``(handle, "method")``, where ``""`` calls the object itself.
            args: plain values and handles.
            kwargs: the same by name.
            tensors: whether the function gets torch tensors for numpy arrays.

        Raises:
            StudentFault: the call ended in a status of its own. If that cost the child its life, each later
                call of the check raises the same.
            AuthoringError: the check calls what there is not, or with what cannot be sent.
        """
        if self._fault is not None:
            raise self._fault.with_traceback(None)
        if self._session is None:
            raise IsolationError("a call was made before a check began")
        self._check_known(target, args, kwargs)
        called = _called(target, self._labels)
        subject = Subject(label=f"`{called}`", file=self._file, arguments=counted(len(args), tuple(kwargs)))
        request = {
            "op": "call",
            "target": target,
            "args": tuple(args),
            "kwargs": dict(kwargs),
            "tensors": tensors,
            "seed": seed_of(self._run_seed, self._calls + 1),
            "forget": self._stale,
        }
        try:
            reply = self._session.exchange(request, subject)
        except StudentFault as fault:
            self._fault = fault
            raise
        self._stale = False
        self._calls += 1
        return self._value(self._session, reply, subject, called)

    def perform(
        self,
        request: bytes,
        scripts: Sequence[Sequence[Line]],
        seconds: float,
        known: Callable[[int, bytes], bool] = lambda _place, _key: False,
    ) -> list[Performance] | None:
        """Have the child answer whole scripts in one exchange, right after `begin`.

        Args:
            request: the scripts, as a frame; see `grader.script.request`.
            scripts: their calls.
            seconds: CPU time that they may take.
            known: whether a script's answers of this digest have been read before.

        Returns:
            The answers to each; None if the child did not perform every script to its end, or to a fault of the
            student's, in that time. A fresh child is needed then: see `renew`.
        """
        if self._session is None:
            raise IsolationError("a script was given before a check began")
        self.allow(seconds)
        try:
            reader = self._session.send(request, Subject(label="a script", file=self._file))
            parts = reader.value()["value"]
            return [
                self._performance(part, lines, functools.partial(known, place))
                for place, (part, lines) in enumerate(zip(parts, scripts, strict=True))
            ]
        except (StudentFault, LookupError, TypeError, ValueError):  # a WireError is a ValueError
            return None

    def renew(self) -> None:
        """Put a fresh child into the place of this one; what that has used counts.

        Raises:
            StudentFault, IsolationError: as from `begin`.
        """
        self._hasty = self.spent
        self._session = self._started()

    def allow(self, seconds: float) -> None:
        """Start a new budget within a check; what has been used counts."""
        if self._session is not None:
            self._hasty = self.spent
            self._session.allow(seconds)

    def forget(self) -> None:
        """End an example: its handles are void, and the next example's calls draw the same random numbers."""
        self._stale = True  # the child hears of it with the next call
        self._labels.clear()
        self._calls = 0

    def output(self) -> str:
        """Return what was printed since the check began: escaped, the middle left out if it is long."""
        return "" if self._session is None else self._session.output()

    def close(self) -> None:
        """End the child. Safe to call twice."""
        if self._session is not None:
            self._session.close()
            self.used += self._session.used
            self._session = None

    def _performance(self, part: Any, lines: Sequence[Line], known: Callable[[bytes], bool]) -> Performance:
        """Read the answers to a script.

        Raises LookupError, TypeError or ValueError if they are none.
        """
        if type(part) is not np.ndarray or part.dtype != np.uint8 or part.ndim != 1:
            raise TypeError("these are no bytes")
        key = hashlib.sha256(part.data).digest()
        if known(key):
            return Performance([], {}, key)
        reply = wire.decode(part.data, leaves=wire.ROOM_LEAVES, size=wire.ROOM_SIZE)
        values, told, inexact = reply["value"], reply["faults"], self._noted(reply)
        if type(values) is not list or type(told) is not dict or not set(told) <= set(range(len(values))):
            raise TypeError("these are no answers")
        faults = self._faults(values, told, lines) if told else {}
        if any(fault.status is Status.OUT_OF_MEMORY for fault in faults.values()):
            raise ValueError("it is asked again call by call")
        ended = len(values) - 1 in faults and not lines[len(values) - 1].refused
        if len(values) != len(lines) and not ended:
            raise ValueError("the script was not performed to its end")
        return Performance(values, faults, b"" if told or inexact else key)

    def _faults(self, values: list[Any], told: dict[int, Any], lines: Sequence[Line]) -> dict[int, StudentFault]:
        faults: dict[int, StudentFault] = {}
        labels: dict[int, str] = {}
        scene = -1
        for number, (value, line) in enumerate(zip(values, lines, strict=False)):
            if line.scene != scene:
                scene = line.scene
                labels.clear()
            called = _called(line.target, labels)
            if number in told:
                subject = Subject(label=f"`{called}`", file=self._file, arguments=counted(line.args, line.names))
                fault = self._importer.faulty({"fault": told[number]}, subject)
                assert fault is not None, "a fault was told"
                faults[number] = fault
            labels.update(_labelled(called, value))
        return faults

    def _noted(self, reply: dict[str, Any]) -> bool:
        """Note whether numbers may vary, which a reply may warn of.

        Raises:
            WireError: what it has in that place are no warnings.
        """
        warnings = reply.get("warnings", [])
        if type(warnings) is not list:
            raise WireError("a reply's warnings are no list")
        if warnings:
            # Which operation it was is the child's word, and notes are shown to students: so it is not repeated.
            self._importer.note("torch used an operation without a deterministic form; numbers may vary between runs")
        return bool(warnings)

    def _rested(self, *, ask: bool) -> Session | None:
        """Return the child if it is still good; what an earlier check left on its channel costs no later one."""
        if self._session is None or not self._session.alive:
            return None
        self._session.allow(_REST_SECONDS)
        try:
            if ask:
                self._session.exchange({"op": "rest"}, Subject(label="a rest between checks", file=self._file))
        except StudentFault:
            return None
        self._session.forget_output()
        return self._session

    def _started(self) -> Session:
        self.close()
        try:
            return self._importer.session(seed_of(self._run_seed, 0))
        except StudentFault as fault:
            self._refusal = fault
            raise

    def _value(self, session: Session, reply: dict[str, Any], subject: Subject, called: str) -> Any:
        try:
            self._noted(reply)
            fault = self._importer.faulty(reply, subject)
            value = None if fault is not None else reply["value"]
        except (KeyError, WireError) as error:
            self._fault = session.end(faults.broke_protocol(subject, str(error)))
            raise self._fault from error
        if fault is None:
            self._labels.update(_labelled(called, value))
            return value
        if fault.status is Status.OUT_OF_MEMORY:  # what it holds would count against the next check
            self._fault = session.end(fault)
        raise fault

    def _check_known(self, target: Target, args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
        if target[0] == "probe" and target[-1] not in self._importer.probes and len(target) > 1:
            raise AuthoringError(f"probes.py has no function {target[1]!r}")
        for handle in handles((target, args, kwargs)):
            if handle.id not in self._labels:
                raise AuthoringError(f"a {handle.kind} of an example that has ended is used again")


def _called(target: Target, labels: Mapping[int, str]) -> str:
    if len(target) == 1:
        return str(target[0])
    owner, name = target
    if isinstance(owner, Handle):
        return f"{labels[owner.id]}.{name}" if name else f"{labels[owner.id]}(...)"
    return f"{owner}.{name}"


def _labelled(called: str, value: Any) -> Iterator[tuple[int, str]]:
    """Yield what the objects in an answer are called."""
    label = called if called.endswith(")") else f"{called}()"
    return ((handle.id, label[:_LABEL_CHARACTERS]) for handle in handles(value))


def counted(args: int, names: Sequence[str]) -> str:
    """Return the words for how many arguments a call has."""
    number = args + len(names)
    named = ", ".join(f"`{name}`" for name in names)
    return f"{number} argument{'' if number == 1 else 's'}" + (f" ({named} by name)" if named else "")


def handles(value: Any) -> Iterator[Handle]:
    """Yield the handles in a value, in order."""
    if isinstance(value, Handle):
        yield value
    elif isinstance(value, (list, tuple)):
        for part in value:
            yield from handles(part)
    elif isinstance(value, dict):
        yield from handles(tuple(value.values()))
