"""A trusted text that answers calls in this process: the reference, or a variant of it."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import re
import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from grader.isolation.inside import values, wire
from grader.isolation.inside.generators import Generators
from grader.isolation.inside.wire import Handle
from grader.problem import execute
from grader.student import has_handle, mapped, rounded, target_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from grader.student import Target

# What one trusted text remembers of its answers; what depends on a student's own values is not asked twice anyway.
REMEMBERED = 8192
REMEMBERED_BYTES = 64 * 2**20

_GENERATORS = Generators()


class Trusted:
    """Answers from a trusted text, in this process, in float64 on the CPU, memoised by the arguments."""

    def __init__(self, text: str, name: str, probes: str = "") -> None:
        self._text = text
        self._names_torch = re.search(r"^\s*(import|from) torch\b", text, re.MULTILINE) is not None
        self._name = name
        self._probes_text = probes
        self._namespace: dict[str, Any] | None = None
        self._probes: dict[str, Any] = {}
        self._memory: dict[tuple[Target, bool, bytes], Any] = {}
        self._remembered = 0
        self._objects: dict[int, Any] = {}
        self.answers: dict[Any, list[Any]] = {}  # to known questions, for whoever compares with many students

    def call(self, target: Target, args: tuple[Any, ...], kwargs: dict[str, Any], *, tensors: bool) -> Any:
        """Answer one call; whatever the trusted text raises comes through."""
        wide = rounded((args, kwargs), "float64")
        if isinstance(target[0], Handle) or has_handle(wide):
            return self._answer(target, wide[0], wide[1], tensors=tensors)
        key = (target, tensors, hashlib.sha256(wire.encode(wide)).digest())
        if key in self._memory:
            return self._memory[key]
        value = self._answer(target, wide[0], wide[1], tensors=tensors)
        size = _size(value)
        if not has_handle(value) and len(self._memory) < REMEMBERED and self._remembered + size <= REMEMBERED_BYTES:
            self._memory[key] = value
            self._remembered += size
        return value

    def forget(self) -> None:
        """Drop the objects of an example."""
        self._objects.clear()

    def _answer(self, target: Target, args: tuple[Any, ...], kwargs: dict[str, Any], *, tensors: bool) -> Any:
        # A mistake that overflows is no news to whoever grades.
        with np.errstate(all="ignore"), _float64(torch=tensors or self._names_torch) as as_tensor:
            function = self._function(target)
            reseed()
            given = self._given(as_tensor if tensors else _copied)
            args, kwargs = mapped((args, kwargs), given)
            result = function(*args, **kwargs)
            # What a class of the text makes is an object, in a child too, even if it could be sent by value.
            own = isinstance(function, type) and function.__module__ == (self._namespace or {}).get("__name__")
            return self._keep(result) if own else values.export(result, self._keep)

    def _given(self, given: Callable[[Any], Any]) -> Callable[[Any], Any]:
        return lambda leaf: self._objects[leaf.id] if isinstance(leaf, Handle) else given(leaf)

    def _function(self, target: Target) -> Callable[..., Any]:
        if self._namespace is None:
            reseed()
            self._probes = execute(self._probes_text, "probes.py") if self._probes_text else {}
            self._namespace = execute(self._text, self._name)
        if isinstance(target[0], Handle):
            owner = self._objects[target[0].id]
            return getattr(owner, target[1]) if target[1] else owner  # type: ignore[no-any-return]
        place = self._probes if target[0] == "probe" else self._namespace
        if target[-1] not in place:
            raise NameError(f"{self._name} has no {target_name(target)}")
        return place[target[-1]]  # type: ignore[no-any-return]

    def _keep(self, value: Any) -> Handle:
        handle = Handle(len(self._objects) + 1, type(value).__name__)
        self._objects[handle.id] = value
        return handle


@functools.lru_cache(maxsize=512)
def trusted(text: str, name: str, probes: str = "") -> Trusted:
    """Return who answers from a trusted text; one a process, so that what it remembers serves every student."""
    return Trusted(text, name, probes)


@contextlib.contextmanager
def _float64(*, torch: bool) -> Iterator[Callable[[Any], Any]]:
    """Make torch compute in float64 on one thread meanwhile; yield how a leaf is given as a tensor."""
    module = import_module("torch") if torch else sys.modules.get("torch")
    if module is None:
        yield _copied
        return
    before, threads = module.get_default_dtype(), module.get_num_threads()
    module.set_default_dtype(module.float64)
    module.set_num_threads(1)
    try:
        yield lambda leaf: _tensor(leaf, module)
    finally:
        module.set_default_dtype(before)
        module.set_num_threads(threads)


def _copied(leaf: Any) -> Any:
    return leaf.copy() if isinstance(leaf, np.ndarray) else leaf


def _tensor(leaf: Any, torch: Any) -> Any:
    return torch.from_numpy(leaf.copy()) if isinstance(leaf, np.ndarray) else leaf


def _size(value: Any) -> int:
    """Return about how many bytes a plain value takes."""
    if isinstance(value, dict):
        return sum(_size(part) for pair in value.items() for part in pair)
    if isinstance(value, (list, tuple)):
        return sum(map(_size, value)) + 64
    return value.nbytes + 128 if isinstance(value, np.ndarray) else len(value) if isinstance(value, str) else 32


def reseed(seed: int = 0) -> None:
    """Start every global generator of random numbers in this process anew: no state may depend on what ran before."""
    _GENERATORS.seed(seed, sys.modules.get("torch"))
