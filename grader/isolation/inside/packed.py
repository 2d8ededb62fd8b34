"""Reads what the grader has packed; see `grader.isolation.packing`. For a child alone: it believes every byte."""

from __future__ import annotations

import io
import marshal
import pickle
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING or __package__:
    from .nodes import Handle
else:  # in the child, where this folder is no package
    from nodes import Handle

if TYPE_CHECKING:
    from types import CodeType

    import numpy as np


class _Unpacker(pickle.Unpickler):
    def persistent_load(self, pid: Any) -> Handle:
        return Handle(*pid)


def unpack(packed: np.ndarray[Any, np.dtype[np.uint8]]) -> Any:
    """Return what the grader has packed, sent as an array; its own arrays can be written to."""
    return _Unpacker(io.BytesIO(packed.data)).load()


def code(packed: np.ndarray[Any, np.dtype[np.uint8]]) -> CodeType:
    """Return what the grader has compiled, sent as an array."""
    found: CodeType = marshal.loads(packed.tobytes())  # noqa: S302 - from the process that started this one
    return found
