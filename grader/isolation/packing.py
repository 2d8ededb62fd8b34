"""What is on its way into a child, packed so that it is quick to read there: scripts, and the author's code.

Only this direction is packed: whatever a child says is read by `inside.wire`, which trusts nobody. What reads the
packed form is `inside.packed`, which no process of the grader's own imports.
"""

from __future__ import annotations

import functools
import io
import marshal
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


@functools.lru_cache(maxsize=256)
def compiled(text: str, file: str) -> bytes:
    """Return an author's text compiled, for a child of this very Python; nothing if it cannot be, for the child to say.

    Args:
        text: the text of a module.
        file: the name that tracebacks show.
    """
    try:
        return marshal.dumps(compile(text, file, "exec", dont_inherit=True))
    except (SyntaxError, ValueError):
        return b""
