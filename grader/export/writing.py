"""A file whole or not at all, and never over one that was read."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from grader import whole
from grader.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


def put(path: Path, content: bytes, *, keep: Iterable[Path]) -> None:
    """Write a file; one of that name that is there gives way when all of the new one is on the disk.

    Args:
        path: where.
        content: what.
        keep: files that must never be written over, whatever they are called.

    Raises:
        UsageError: it is one of these, no ordinary file, or cannot be written.
    """
    demand_free(path, keep)
    place = path.resolve()  # a link stays a link
    try:
        with whole.part(place) as part:
            whole.pour(content, part)
            if place.exists():
                shutil.copymode(place, part)
            part.replace(place)
    except OSError as error:
        raise UsageError(f"{path} cannot be written ({error.strerror}); name another file with -o") from error


def demand_free(path: Path, keep: Iterable[Path]) -> None:
    """Refuse a file that must not be written over.

    Raises:
        UsageError: it is one of those to keep, or no ordinary file.
    """
    try:
        if not path.exists():
            return
        for one in keep:
            if one.exists() and path.samefile(one):
                raise UsageError(f"{path} is a file that this is made from, and is left as it is; name another with -o")
        if not path.is_file():
            raise UsageError(f"{path} is no ordinary file; name one with -o, or - for standard output")
    except OSError as error:
        raise UsageError(f"{path} cannot be written ({error.strerror}); name another file with -o") from error
