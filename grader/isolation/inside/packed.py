"""A script on its way into a child: the grader alone writes it, so it may travel in a form that is quick to read.

Reading a script's frame part by part took a tenth of a child's life. Nothing ever comes back in this form: whatever
a child says is read by `wire`, which trusts nobody.
"""

from __future__ import annotations

import io
import pickle
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING or __package__:
    from .nodes import Handle
else:  # in the child, where this folder is no package
    from nodes import Handle

if TYPE_CHECKING:
    import numpy as np


class _Packer(pickle.Pickler):
    """Writes handles as numbers: their class goes by another name in a child."""

    def persistent_id(self, value: Any) -> tuple[int, str] | None:
        return (value.id, value.kind) if type(value) is Handle else None


class _Unpacker(pickle.Unpickler):
    def persistent_load(self, pid: Any) -> Handle:
        return Handle(*pid)


def pack(value: Any) -> bytes:
    """Return a value that `wire` can send as bytes that a child reads quickly.

    What is the same object in two places is so in the child: give each call arrays of its own.
    """
    written = io.BytesIO()
    _Packer(written, protocol=5).dump(value)
    return written.getvalue()


def unpack(packed: np.ndarray[Any, np.dtype[np.uint8]]) -> Any:
    """Return what the grader has packed, sent as an array; its own arrays can be written to.

    Never called on what a child sends.
    """
    return _Unpacker(io.BytesIO(packed.data)).load()
