"""Files that are there whole or not at all."""

from __future__ import annotations

import contextlib
import os
import secrets
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@contextlib.contextmanager
def part(path: Path) -> Iterator[Path]:
    """Yield a free, hidden name beside a path, to be filled and moved there; what is left of it at the end goes."""
    beside = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    try:
        yield beside
    finally:
        beside.unlink(missing_ok=True)


def pour(content: bytes, path: Path) -> None:
    """Write a new file, and return when all of it is on the disk."""
    with path.open("xb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
