"""The two proxies that a check calls, and the log of what was answered.

``student.f(x)`` and ``reference.f(x)`` take the same way: arguments are rounded once to the run's dtype, handed
to whoever answers, and plain values come back. Who answers is an ``Answers``: an isolated child, or a trusted
text run in this process (`grader.trusted`).
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from grader.errors import IsolationError, StudentFault
from grader.isolation.inside import values, wire
from grader.isolation.inside.wire import Handle
from grader.isolation.worker import handles
from grader.verdict import Status

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

Target = tuple[Any, ...]


class Answers(Protocol):
    """Whoever answers calls."""

    def call(self, target: Target, args: tuple[Any, ...], kwargs: dict[str, Any], *, tensors: bool) -> Any:
        """Answer one call with plain values; objects come back as handles."""

    def forget(self) -> None:
        """An example has ended: its handles are no longer needed."""


@dataclass(frozen=True, slots=True)
class Call:
    """One call and how it ended: ``value``, or the ``fault`` that took its place.

    ``known`` is its question where a check asks it whatever it is answered; empty elsewhere. ``objects`` says
    whether objects take part in it.
    """

    target: Target
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    tensors: bool
    value: Any = None
    fault: StudentFault | None = None
    known: bytes = b""
    objects: bool = False

    @property
    def name(self) -> str:
        """The function as a check wrote it: ``f``, ``probe.f``, ``ConvVAE.forward``."""
        return target_name(self.target)

    def answered(self, value: Any) -> Call:
        """Return the call with its answer."""
        objects = self.objects or has_handle(value)
        return Call(self.target, self.args, self.kwargs, self.tensors, value, None, self.known, objects)

    def failed(self, fault: StudentFault) -> Call:
        """Return the call with what took its answer's place."""
        return Call(self.target, self.args, self.kwargs, self.tensors, None, fault, self.known, self.objects)

    def with_objects(self, own: Mapping[int, Handle]) -> Call:
        """Return the call with other objects in the places of those that it names, by their numbers."""
        asked = (self.target, self.args, self.kwargs)
        target, args, kwargs = mapped(asked, lambda leaf: own.get(leaf.id, leaf) if isinstance(leaf, Handle) else leaf)
        return Call(target, args, kwargs, self.tensors, known=self.known, objects=self.objects)

    @property
    def question(self) -> bytes:
        """A digest of what was asked: equal for two calls of one function with the same arguments, whoever answers."""
        if self.known:
            return self.known
        plain = mapped((self.args, self.kwargs), lambda leaf: None if isinstance(leaf, Handle) else leaf)
        return hashlib.sha256(self.name.encode() + b"\0" + wire.encode(plain)).digest()


def target_name(target: Target) -> str:
    """Return how a target reads.

    >>> target_name(("probe", "shapes"))
    'probe.shapes'
    """
    head = target[0].kind if isinstance(target[0], Handle) else target[0]
    return ".".join(part for part in (head, *target[1:]) if part)


@dataclass(slots=True)
class Log:
    """What one candidate answered, example by example.

    A fault counts even where a check swallows the exception, unless ``refuses`` asked for it. One of our own is in it
    too, as BROKEN.
    """

    examples: list[list[Call]] = field(default_factory=list)
    telling: int = -1  # the place of the example that the verdict tells of

    @property
    def told(self) -> list[Call]:
        """The calls of the example that the verdict tells of."""
        return self.examples[self.telling] if self.examples else []

    def begin(self) -> None:
        """A new example starts."""
        self.examples.append([])

    def add(self, call: Call) -> None:
        """Keep one call."""
        if not self.examples:
            self.begin()
        self.examples[-1].append(call)

    @property
    def fault(self) -> StudentFault | None:
        """The first fault that nothing asked for."""
        for call in self.calls:
            if call.fault is not None and not call.fault.excused:
                return call.fault
        return None

    @property
    def calls(self) -> Iterator[Call]:
        """All calls, in order."""
        for example in self.examples:
            yield from example


class Proxy:
    """``student`` or ``reference`` inside a check: attributes are functions to call."""

    def __init__(self, answers: Answers, log: Log, *, dtype: str, takes_tensors: Mapping[str, bool]) -> None:
        self._answers = answers
        self._log = log
        self._dtype = dtype
        self._takes_tensors = takes_tensors

    def __getattr__(self, name: str) -> Function | Probes:
        if name.startswith("__"):
            raise AttributeError(name)
        return Probes(self) if name == "probe" else Function(self, (name,))

    def _call(self, target: Target, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        call = self._question(target, args, kwargs)
        try:
            value = self._answers.call(target, call.args, call.kwargs, tensors=call.tensors)
        except StudentFault as fault:
            self._log.add(call.failed(fault))
            raise
        except IsolationError as error:  # ours, and it counts as ours even if the check swallows it
            self._log.add(call.failed(StudentFault(Status.BROKEN, f"{error}")))
            raise
        self._log.add(call.answered(value))
        return self._wrapped(value)

    def _question(self, target: Target, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Call:
        """Return a call as it is sent, without an answer."""
        sent, named = rounded(mapped((args, kwargs), self._unwrapped), self._dtype)
        return Call(target, sent, named, self._tensors(target), objects=has_handle((target, sent, named)))

    def _tensors(self, target: Target) -> bool:
        # What is no function of the reference takes tensors if anything does: a probe, a class by another name.
        elsewhere = any(self._takes_tensors.values())
        if not isinstance(target[0], Handle):
            return elsewhere if target[0] == "probe" else self._takes_tensors.get(target[0], False)
        methods = (target[1],) if target[1] else ("forward", "__call__")
        names = (f"{target[0].kind}.{method}" for method in methods)
        return next((self._takes_tensors[name] for name in names if name in self._takes_tensors), elsewhere)

    def _unwrapped(self, leaf: Any) -> Any:
        if isinstance(leaf, Object):
            if leaf._proxy is not self:  # noqa: SLF001 - one unit
                raise TypeError(f"{leaf!r} belongs to the other side: student and reference each use their own objects")
            return leaf._handle  # noqa: SLF001 - one unit
        if isinstance(leaf, np.generic):
            return leaf.item()
        if leaf is None or isinstance(leaf, (bool, int, float, complex, str, Fraction, np.ndarray, Handle)):
            return leaf
        return values.export(leaf, _refuse)

    def _wrapped(self, value: Any) -> Any:
        return mapped(value, lambda leaf: Object(self, leaf) if isinstance(leaf, Handle) else leaf)


@dataclass(frozen=True, slots=True)
class Function:
    """One function of a proxy; calling it is one framed call."""

    proxy: Proxy
    target: Target

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call it; raises StudentFault where a student's answer ends otherwise than by returning."""
        return self.proxy._call(self.target, args, kwargs)  # noqa: SLF001 - one unit

    @property
    def __name__(self) -> str:
        return target_name(self.target)


@dataclass(frozen=True, slots=True)
class Probes:
    """``student.probe``: functions that run beside the student's objects."""

    proxy: Proxy

    def __getattr__(self, name: str) -> Function:
        if name.startswith("__"):
            raise AttributeError(name)
        return Function(self.proxy, ("probe", name))


class Object:
    """An object that stays where it was made; a check may call it and its methods, nothing else."""

    def __init__(self, proxy: Proxy, handle: Handle) -> None:
        self._proxy = proxy
        self._handle = handle

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the object itself."""
        return self._proxy._call((self._handle, ""), args, kwargs)  # noqa: SLF001 - one unit

    def __getattr__(self, name: str) -> Function:
        if name.startswith("_"):
            raise AttributeError(name)
        return Function(self._proxy, (self._handle, name))

    def __repr__(self) -> str:
        return f"<{self._handle.kind}, kept by whoever made it>"

    @property
    def kind(self) -> str:
        """The name of its class."""
        return self._handle.kind

    @property
    def __name__(self) -> str:
        return self.kind


def rounded(value: Any, dtype: str) -> Any:
    """Return ``value`` with every float in it rounded to ``dtype``; integers, text and handles stay.

    >>> rounded((0.1, 3), "float32")
    (0.10000000149011612, 3)
    """
    real = np.dtype(dtype)
    wide = np.dtype(np.complex64 if real == np.float32 else np.complex128)

    def narrow(leaf: Any) -> Any:
        if isinstance(leaf, (float, np.floating)):
            return float(real.type(leaf))
        if isinstance(leaf, complex):
            return complex(wide.type(leaf))
        if isinstance(leaf, np.ndarray) and leaf.dtype.kind in "fc":
            return leaf.astype(real if leaf.dtype.kind == "f" else wide)
        return leaf

    with np.errstate(over="ignore"):  # a number beyond float32 becomes infinite
        return mapped(value, narrow)


def mapped(value: Any, change: Callable[[Any], Any]) -> Any:
    """Return a container with every leaf changed; the shape stays."""
    if type(value) is list:
        return [mapped(item, change) for item in value]
    if type(value) is tuple:
        return tuple(mapped(item, change) for item in value)
    if type(value) is dict:
        return {key: mapped(item, change) for key, item in value.items()}
    return change(value)


def _refuse(value: Any) -> Handle:
    raise TypeError(f"a check can send plain values only; got {type(value).__name__}")


def has_handle(value: Any) -> bool:
    """Whether an object that stays with its maker is in a value."""
    return next(handles(value), None) is not None
