"""The random generators that a student's code may draw from, set anew before each call.

The seeds of a script are few, since each example starts with the same ones, and making a state of a seed takes Python's
own generator longer than all else that surrounds a call. So the states that it has made are kept and copied back.
"""

from __future__ import annotations

import _random
import ctypes
import random
import sys
from typing import Any, Final

import numpy as np

_KEPT: Final = 1024  # seeds
_STATE_BYTES: Final = 4 + 624 * 4  # a position, and the numbers of a Mersenne twister
_HEAD_BYTES: Final = object.__basicsize__  # what comes before that in the object


class Generators:
    """Python's, numpy's and torch's global generators, by the functions that they have before a student's code runs."""

    def __init__(self) -> None:
        self._python = _Copied() if _can_be_copied() else random.seed
        self._numpy = np.random.seed  # the legacy generator is what students may be using

    def seed(self, seed: int, torch: Any = None, device: str = "cpu") -> None:
        """Set all of them, torch's if it is given: as their own functions do, whatever was drawn before."""
        self._python(seed)
        self._numpy(seed % 2**32)
        if torch is None:
            return
        if device == "cpu":
            torch.default_generator.manual_seed(seed)  # torch.manual_seed asks every device first and takes 0.5 ms
        else:
            torch.manual_seed(seed)


class _Copied:
    """Sets Python's own generator: to a seed's state as it was made the first time, where there has been one."""

    def __init__(self) -> None:
        self._generator: Any = random._inst  # noqa: SLF001 - it has no public name
        self._seed = random.seed
        self._place = id(self._generator) + _HEAD_BYTES
        self._made: dict[int, bytes] = {}

    def __call__(self, seed: int) -> None:
        made = self._made.get(seed)
        if made is not None:
            ctypes.memmove(self._place, made, _STATE_BYTES)
            self._generator.gauss_next = None
            return
        self._seed(seed)
        if len(self._made) < _KEPT:
            self._made[seed] = ctypes.string_at(self._place, _STATE_BYTES)


def _can_be_copied() -> bool:
    """Whether this Python keeps a generator's state where it is looked for: CPython has done so since it has one."""
    size = _random.Random.__basicsize__ - _HEAD_BYTES
    if sys.implementation.name != "cpython" or not _STATE_BYTES <= size < _STATE_BYTES + ctypes.sizeof(ctypes.c_void_p):
        return False
    one, other = random.Random(1), random.Random(2)  # noqa: S311 - no secret
    ctypes.memmove(id(other) + _HEAD_BYTES, ctypes.string_at(id(one) + _HEAD_BYTES, _STATE_BYTES), _STATE_BYTES)
    return one.getstate() == other.getstate()
