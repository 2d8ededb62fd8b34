"""A script on its way into a child, packed so that it is quick to read there.

Only this direction is packed: whatever a child says is read by `inside.wire`, which trusts nobody. What reads the
packed form is `inside.packed`, which no process of the grader's own imports.
"""

from __future__ import annotations

import io
import pickle
from typing import Any

from grader.isolation.inside.wire import Handle


class _Packer(pickle.Pickler):
    """Writes handles as numbers: their class goes by another name in a child."""

    def persistent_id(self, value: Any) -> tuple[int, str] | None:
        return (value.id, value.kind) if type(value) is Handle else None


def pack(value: Any) -> bytes:
    """Return a value that `wire` can send as bytes for a child.

    What is the same object in two places is so in the child: give each call arrays of its own.
    """
    written = io.BytesIO()
    _Packer(written, protocol=5).dump(value)
    return written.getvalue()
