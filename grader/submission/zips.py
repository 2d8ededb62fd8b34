"""Zip archives: the standard library reads the directory, the contents are inflated here, under caps."""

from __future__ import annotations

import stat
import struct
import zipfile
import zlib
from itertools import pairwise
from typing import TYPE_CHECKING

from grader.errors import SubmissionError
from grader.submission.folder import oddity_of
from grader.submission.ledger import MIB, STEP, TOTAL_BYTES, Ledger
from grader.submission.names import quoted

if TYPE_CHECKING:
    from grader.submission.folder import Handle

RATIO = 500  # notebooks full of equal lines reach 300, a bomb 1,030
RATIO_FROM = 8 * MIB
_HEADER = struct.Struct("<4s22xHH")  # of an entry: signature, sizes of name and extra field
_SECRET = 0x1 | 0x40 | 0x2000  # flag bits of the three ways to encrypt
_UTF8_NAME = 0x800


def unzip(raw: Handle) -> Ledger:
    """Read a zip archive: names and kinds of all entries, contents of the sources.

    Raises:
        SubmissionError: an entry that must not be, or too much of anything.
    """
    ledger = Ledger()
    with zipfile.ZipFile(raw) as box:
        entries = box.infolist()
        wanted = [(info, path) for info in entries if (path := _zip_entry(info, ledger))]
        starts = _extents(raw, entries, box.start_dir)
        for info, path in wanted:
            ledger.afford(info.file_size)
            ledger.keep(path, _inflated(raw, info, starts[info.header_offset]))
    return ledger


def _zip_entry(info: zipfile.ZipInfo, ledger: Ledger) -> str:
    ledger.count()
    return ledger.admit(name_of(info), oddity=oddity(info), folder=is_folder(info))


def oddity(info: zipfile.ZipInfo) -> str:
    """Return what an entry is, if it is no ordinary file or folder; else ""."""
    secret = "protected by a password" if info.flag_bits & _SECRET else ""
    return secret or oddity_of(info.external_attr >> 16)


def is_folder(info: zipfile.ZipInfo) -> bool:
    """Say whether an entry is a folder."""
    return name_of(info).endswith("/") or stat.S_ISDIR(info.external_attr >> 16)


def content(raw: Handle, info: zipfile.ZipInfo) -> bytes:
    """Return the content of one entry of a zip whose directory has been read before.

    Raises:
        SubmissionError: as for a whole zip.
    """
    signature, name, extra = _HEADER.unpack(raw.exactly(info.header_offset, _HEADER.size))
    if signature != b"PK\x03\x04":
        raise zipfile.BadZipFile
    return _inflated(raw, info, info.header_offset + _HEADER.size + name + extra)


def name_of(info: zipfile.ZipInfo) -> str:
    """Return the whole name, also behind a NUL; some packers write UTF-8 and do not say so."""
    if info.flag_bits & _UTF8_NAME:
        return info.orig_filename
    try:
        return info.orig_filename.encode("cp437").decode("utf-8")
    except UnicodeError:
        return info.orig_filename


def _extents(raw: Handle, entries: list[zipfile.ZipInfo], end: int) -> dict[int, int]:
    """Return where each entry's data starts, by the place of its header; refuse entries that overlap."""
    starts, names = {}, {}
    extents = [(end, end)]
    for info in entries:
        signature, name, extra = _HEADER.unpack(raw.exactly(info.header_offset, _HEADER.size))
        if signature != b"PK\x03\x04":
            raise zipfile.BadZipFile
        start = info.header_offset + _HEADER.size + name + extra
        names[info] = raw.exactly(info.header_offset + _HEADER.size, name)
        starts[info.header_offset] = start
        extents.append((info.header_offset, start + info.compress_size))
    if any(after[0] < before[1] for before, after in pairwise(sorted(extents))):
        raise SubmissionError(f"its entries overlap, as in a zip bomb; {STEP}")
    for info, other in names.items():
        _demand_one_name(info, other)
    return starts


def _demand_one_name(info: zipfile.ZipInfo, other: bytes) -> None:
    """Refuse an entry whose own header calls it otherwise than the directory does: readers ask one or the other."""
    if other != info.orig_filename.encode("utf-8" if info.flag_bits & _UTF8_NAME else "cp437"):
        also = other.decode("utf-8", "replace")
        raise SubmissionError(f"{quoted(info.orig_filename)} is {quoted(also)} to some readers; {STEP}")


def _inflated(raw: Handle, info: zipfile.ZipInfo, start: int) -> bytes:
    """Return an entry's content, exactly as long and with the checksum that the directory states."""
    if info.compress_type not in {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}:
        raise SubmissionError("it is compressed in an unusual way; pack an ordinary zip and hand in again")
    if info.file_size > max(RATIO_FROM, RATIO * info.compress_size) or info.compress_size > TOTAL_BYTES:
        raise SubmissionError(f"{quoted(info.orig_filename)} unpacks to far more than it packs; {STEP}")
    content = raw.exactly(start, info.compress_size)
    whole = True
    if info.compress_type == zipfile.ZIP_DEFLATED:
        machine = zlib.decompressobj(-zlib.MAX_WBITS)
        content = machine.decompress(content, info.file_size + 1)
        whole = machine.eof and not machine.unused_data
    if not whole or len(content) != info.file_size:
        raise SubmissionError(f"{quoted(info.orig_filename)} is not as long as the zip says; {STEP}")
    if zlib.crc32(content) != info.CRC:
        raise SubmissionError(f"{quoted(info.orig_filename)} has a wrong checksum; make the zip anew and hand in again")
    return content
