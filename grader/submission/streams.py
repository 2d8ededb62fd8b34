"""Packed streams, unpacked in bounded steps: gzip, bzip2 and xz, one stream or several behind one another.

The standard library's file objects read the names in a gzip header byte by byte, begin as many streams as somebody
cares to write, and unpack xz with whatever memory it asks for: each a way to keep a machine busy with one upload.
"""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Protocol

from grader.errors import SubmissionError
from grader.submission.ledger import MIB

if TYPE_CHECKING:
    from collections.abc import Callable

    from grader.submission.folder import Handle

CHUNK = 64 * 2**10
_STREAMS = 2_000  # packers that work in parallel write a stream for each 64 KiB
_XZ_BYTES = 100 * MIB  # of memory: `xz -9` needs 65 MiB to unpack


class _Machine(Protocol):
    """Unpacks one stream; as in `bz2` and `lzma`."""

    @property
    def eof(self) -> bool: ...
    @property
    def needs_input(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, max_length: int, /) -> bytes: ...


class _Gunzip:
    """One gzip stream; `zlib` reads its header and verifies its checksum and length."""

    def __init__(self) -> None:
        self._machine = zlib.decompressobj(zlib.MAX_WBITS | 16)

    @property
    def eof(self) -> bool:
        return self._machine.eof

    @property
    def needs_input(self) -> bool:
        return not self._machine.unconsumed_tail

    @property
    def unused_data(self) -> bytes:
        return self._machine.unused_data

    def decompress(self, data: bytes, max_length: int, /) -> bytes:
        return self._machine.decompress(self._machine.unconsumed_tail + data, max_length)


class Unpacked:
    """Reads what is packed in a file as if it were not.

    Zeros between and behind the streams are padding; anything else there is a fault.
    """

    def __init__(self, raw: Handle, make: Callable[[], _Machine], faults: tuple[type[Exception], ...]) -> None:
        self._raw = raw
        self._make = make
        self._faults = faults
        self._machine = make()
        self._rest = b""  # packed bytes of the next stream that have been read already
        self._left = _STREAMS - 1

    def read(self, size: int, /) -> bytes:
        """Return up to ``size`` bytes; b"" at the end.

        Raises:
            EOFError: the file is cut off.
            OSError: what it holds is no stream, or a damaged one.
            SubmissionError: it holds too many streams.
        """
        data = b""
        while not data and (not self._machine.eof or self._begin_next()):
            packed = self._input() if self._machine.needs_input else b""
            hungry = self._machine.needs_input and not packed
            try:
                data = self._machine.decompress(packed, size)
            except self._faults as error:
                raise OSError(str(error)) from error
            if hungry and not data and not self._machine.eof:
                raise EOFError
        return data

    def _input(self) -> bytes:
        rest, self._rest = self._rest, b""
        return rest or self._raw.read(CHUNK)

    def _begin_next(self) -> bool:
        """Make ready for the stream behind the one that has ended; return whether there is one."""
        rest = self._machine.unused_data.lstrip(b"\0")
        while not rest and (more := self._raw.read(CHUNK)):
            rest = more.lstrip(b"\0")
        if not rest:
            return False
        if not self._left:
            raise SubmissionError("it is packed in too many pieces; make the archive anew and hand in again")
        self._left -= 1
        self._rest = rest
        self._machine = self._make()
        return True


def gunzipped(raw: Handle) -> Unpacked:
    """Return a reader of a gzip file."""
    return Unpacked(raw, _Gunzip, (zlib.error,))


def bunzipped(raw: Handle) -> Unpacked:
    """Return a reader of a bzip2 file; ImportError where Python was built without that library."""
    import bz2

    return Unpacked(raw, bz2.BZ2Decompressor, (OSError, ValueError))


def unxzed(raw: Handle) -> Unpacked:
    """Return a reader of an xz file, with a bound on its memory; ImportError as above."""
    import lzma

    return Unpacked(raw, lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_XZ_BYTES), (lzma.LZMAError,))
