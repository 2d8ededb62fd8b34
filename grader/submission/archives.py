"""Archives -> the sources in them; whatever is wrong with one ends in a sentence."""

from __future__ import annotations

import struct
import tarfile
import zipfile
import zlib
from typing import TYPE_CHECKING

from grader.errors import SubmissionError
from grader.submission import names
from grader.submission.folder import opened
from grader.submission.tars import untar
from grader.submission.zips import unzip

if TYPE_CHECKING:
    from pathlib import Path

    from grader.submission.folder import Handle
    from grader.submission.ledger import Contents

# What reading hostile bytes may raise, here or in the standard library; none of it is a fault of ours.
HOSTILE = (
    ArithmeticError,
    EOFError,
    LookupError,
    MemoryError,
    OSError,
    RuntimeError,
    ValueError,
    struct.error,
    tarfile.TarError,
    zipfile.BadZipFile,
    zlib.error,
)
_OWN_OPENING = {".zip": b"PK", ".tar.gz": b"\x1f\x8b", ".tgz": b"\x1f\x8b"}


def unpack(path: Path) -> Contents:
    """Return the sources in an archive. Nothing is written, archives inside it are not opened.

    Raises:
        SubmissionError: it is no such archive, damaged, encrypted, too large, or holds an entry that must
            not be: a name that leads elsewhere, a link, a device, two names that are one elsewhere.
    """
    with opened(path) as raw:
        return unpack_open(raw, path.name)


def unpack_open(raw: Handle, name: str) -> Contents:
    """Return the sources in an open archive of this name, which says what kind it is; as `unpack` does."""
    ending = names.extension(name)
    try:
        return (unzip(raw) if ending == ".zip" else untar(raw, ending)).contents()
    except HOSTILE as error:
        raise SubmissionError(f"{_what_it_is(raw, ending)}; make the archive anew and hand in again") from error


def _what_it_is(raw: Handle, ending: str) -> str:
    raw.seek(0)
    head = raw.read(64)
    what = names.looks_like(head)
    if not what or head.startswith(_OWN_OPENING.get(ending, b"\0")):
        return "it is damaged, cut off or no archive at all"
    return f"it is {what}, not a {ending} archive"
