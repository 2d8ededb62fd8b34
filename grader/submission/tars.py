"""Tar archives, packed or not: read once from front to back, header by header, under caps.

The walk over the headers is ours, not `tarfile`'s, because that one reads extended headers of any size and
decodes sparse files before it can be asked what it met.
"""

from __future__ import annotations

import os
import tarfile
from typing import TYPE_CHECKING, Protocol

from grader.errors import SubmissionError
from grader.submission.ledger import ENTRIES, MIB, STEP, TOTAL_BYTES, Ledger
from grader.submission.names import quoted
from grader.submission.streams import CHUNK, bunzipped, gunzipped, unxzed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from grader.submission.folder import Handle

RATIO = 500
RATIO_FROM = 8 * MIB
_BLOCK = 512
_HEADERS = 3 * ENTRIES  # one entry takes up to two headers more than its own
_EXTENSION_BYTES = 64 * 2**10
_KINDS = {
    tarfile.REGTYPE: "",
    tarfile.AREGTYPE: "",
    tarfile.CONTTYPE: "",
    tarfile.DIRTYPE: "",
    tarfile.LNKTYPE: "a hard link",
    tarfile.SYMTYPE: "a symbolic link",
    tarfile.CHRTYPE: "a pipe or a device",
    tarfile.BLKTYPE: "a pipe or a device",
    tarfile.FIFOTYPE: "a pipe or a device",
}
_WITH_CONTENT = {tarfile.REGTYPE, tarfile.AREGTYPE, tarfile.CONTTYPE}
_PAX = {tarfile.XHDTYPE, tarfile.SOLARIS_XHDTYPE, tarfile.XGLTYPE}
_EXTENSIONS = _PAX | {tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK}


class _Readable(Protocol):
    def read(self, size: int, /) -> bytes: ...


class _Tape:
    """Hands out a tar's bytes in order and stops a bomb before it fills the memory."""

    def __init__(self, source: _Readable, packed: int) -> None:
        self._source = source
        self._packed = packed
        self._total = 0

    def take(self, size: int) -> bytes:
        """Return exactly ``size`` bytes; EOFError if the archive is cut off before."""
        return b"".join(self._pieces(size))

    def skip(self, size: int) -> None:
        """Pass over ``size`` bytes."""
        for _ in self._pieces(size):
            pass

    def finish(self) -> None:
        """Read to the end, so that a packed archive's checksum is verified."""
        while piece := self._source.read(CHUNK):
            self._account(len(piece))

    def _pieces(self, size: int) -> Iterator[bytes]:
        self._account(size)
        while size:
            piece = self._source.read(min(size, CHUNK))
            if not piece:
                raise EOFError
            size -= len(piece)
            yield piece

    def _account(self, size: int) -> None:
        self._total += size
        if size < 0 or self._total > min(TOTAL_BYTES, max(RATIO_FROM, RATIO * self._packed)):
            raise SubmissionError(f"it unpacks to more than it may; {STEP}")


def untar(raw: Handle, ending: str) -> Ledger:
    """Read a tar archive: names and kinds of all entries, contents of the sources.

    Raises:
        SubmissionError: an entry that must not be, or too much of anything.
    """
    ledger = Ledger()
    packed = raw.seek(0, os.SEEK_END)
    raw.seek(0)
    tape = _Tape(_unpacked(raw, ending), packed)
    for info in _entries(tape):
        _take_in(info, tape, ledger)
    tape.finish()
    return ledger


def _unpacked(raw: Handle, ending: str) -> _Readable:
    try:
        if ending in {".tar.gz", ".tgz"}:
            return gunzipped(raw)
        if ending in {".tar.bz2", ".tbz2"}:
            return bunzipped(raw)
        return unxzed(raw) if ending in {".tar.xz", ".txz"} else raw
    except ImportError:  # a Python built without that library
        raise SubmissionError(f"{ending} archives cannot be opened here; hand in a .zip") from None


def _entries(tape: _Tape) -> Iterator[tarfile.TarInfo]:
    """Yield each entry's header with its whole name; the caller takes its content before the next."""
    extended: dict[str, str] = {}
    for _ in range(_HEADERS):
        block = tape.take(_BLOCK)
        if not any(block):
            return
        info = tarfile.TarInfo.frombuf(block, "utf-8", "surrogateescape")
        if info.type in _EXTENSIONS:
            extended |= _extension(info, tape)
            continue
        info.name = extended.get("path", info.name)
        info.size = int(extended.get("size", info.size))
        yield info
        extended = {}
    raise SubmissionError(f"it holds too many files; {STEP}")


def _extension(info: tarfile.TarInfo, tape: _Tape) -> dict[str, str]:
    if not 0 <= info.size <= _EXTENSION_BYTES:
        raise SubmissionError(f"a name in it is too long; {STEP}")
    data = tape.take(info.size)
    tape.skip(-info.size % _BLOCK)
    if info.type == tarfile.GNUTYPE_LONGLINK:
        return {}
    if info.type == tarfile.GNUTYPE_LONGNAME:
        return {"path": data.rstrip(b"\0").decode("utf-8", "surrogateescape")}
    records = dict(_records(data))
    if any(key.startswith("GNU.sparse") for key in records):
        raise SubmissionError(f"it holds a sparse file; {STEP}")
    if info.type == tarfile.XGLTYPE and records.keys() & {"path", "size"}:
        raise SubmissionError(f"it gives all its files one name; {STEP}")
    return records


def _records(data: bytes) -> Iterator[tuple[str, str]]:
    """Yield the key and value of each line ``<length> <key>=<value>`` of an extended header."""
    start = 0
    while start < len(data):
        space = data.index(b" ", start, start + 8)
        end = start + int(data[start:space])
        key, equals, value = data[space + 1 : end - 1].partition(b"=")
        if not equals or data[end - 1 : end] != b"\n":
            raise tarfile.HeaderError
        yield key.decode(), value.decode("utf-8", "surrogateescape")
        start = end


def _take_in(info: tarfile.TarInfo, tape: _Tape, ledger: Ledger) -> None:
    if info.type not in _KINDS:
        raise SubmissionError(f"{quoted(info.name)} is a sparse file or of an unknown kind; {STEP}")
    ledger.count()
    path = ledger.admit(info.name, oddity=_KINDS[info.type], folder=info.isdir())
    size = info.size if info.type in _WITH_CONTENT else 0
    if path:
        ledger.keep(path, tape.take(size))
    else:
        tape.skip(size)
    tape.skip(-size % _BLOCK)
