"""Folders and files on a disk: read under caps, following no link and waiting for no pipe."""

from __future__ import annotations

import errno
import os
import stat
from io import BufferedReader, FileIO
from itertools import islice
from typing import TYPE_CHECKING

from grader.errors import SubmissionError
from grader.submission import names
from grader.submission.ledger import MIB, STEP, TOTAL_BYTES, Contents, Ledger
from grader.submission.names import quoted

if TYPE_CHECKING:
    from pathlib import Path

ENTRIES_ON_DISK = 100_000  # a student's own folder may hold a data set beside the answers
_AT_ONCE = 4 * MIB  # holds a zip's list of 2,000 entries with long names
_ODDITIES = {stat.S_IFREG: "", stat.S_IFDIR: "", 0: "", stat.S_IFLNK: "a symbolic link"}


class Handle(BufferedReader):
    """An open file that never reads more than a zip's directory may hold, unless asked by name."""

    def read(self, size: int | None = -1, /) -> bytes:
        """Return the next bytes; refuse rather than fill the memory."""
        wanted = _AT_ONCE + 1 if size is None or size < 0 else size
        data = super().read(min(wanted, _AT_ONCE + 1))
        if len(data) > _AT_ONCE:
            raise SubmissionError(f"it holds too many files; {STEP}")
        return data

    def exactly(self, start: int, size: int) -> bytes:
        """Return the bytes of one extent, however large; the caller has judged the size."""
        self.seek(start)
        data = super().read(size)
        if len(data) < size:
            raise EOFError
        return data


def opened(path: Path) -> Handle:
    """Open an ordinary file for reading; no link is followed, no pipe waited for."""
    flags = os.O_RDONLY
    for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "O_BINARY"):
        flags |= getattr(os, name, 0)
    try:
        descriptor = os.open(path, flags)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise SubmissionError(f"{quoted(path.name)} is a symbolic link; hand in the file itself") from None
        raise unreadable(path.name, error) from None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise SubmissionError(f"{quoted(path.name)} is no ordinary file; {STEP}")
    return Handle(FileIO(descriptor))


def unreadable(name: str, error: OSError) -> SubmissionError:
    """Return the sentence for a file or folder that the system does not let us read."""
    return SubmissionError(f"{quoted(name)} cannot be read ({error.strerror}); change its permissions and try again")


def read(path: Path, room: int = TOTAL_BYTES) -> bytes:
    """Return the bytes of one ordinary file.

    Raises:
        SubmissionError: it is a link, a pipe, a device, cannot be read, or is larger than ``room``.
    """
    with opened(path) as handle:
        try:
            size = os.fstat(handle.fileno()).st_size
            if size > room:
                raise SubmissionError(f"{quoted(path.name)} is larger than {room // MIB} MiB; {STEP}")
            return handle.exactly(0, size)
        except (EOFError, OSError) as error:
            reason = error if isinstance(error, OSError) else OSError(0, "it changed while it was read")
            raise unreadable(path.name, reason) from None


def gather(folder: Path) -> Contents:
    """Return the sources in a student's folder and its sub-folders.

    Links are refused, not followed; hidden files, caches and virtual environments are passed over.

    Raises:
        SubmissionError: a link, a pipe, a device, an unreadable file, a bad name or too much of anything.
    """
    ledger = Ledger(ENTRIES_ON_DISK)
    _walk(folder, "", ledger)
    return ledger.contents()


def _walk(folder: Path, prefix: str, ledger: Ledger) -> None:
    if prefix.count("/") > names.DEPTH:
        raise SubmissionError(f"its folders lie more than {names.DEPTH} deep; {STEP}")
    entries = _entries(folder)
    if prefix and any(entry.name == "pyvenv.cfg" for entry in entries):
        return  # a virtual environment holds other people's code
    for entry in entries:
        ledger.count()
        if not names.is_litter(entry.name):
            _visit(entry, prefix + entry.name, folder / entry.name, ledger)


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as listing:
            return sorted(islice(listing, ENTRIES_ON_DISK + 1), key=lambda entry: entry.name)
    except OSError as error:
        raise unreadable(folder.name, error) from None


def _visit(entry: os.DirEntry[str], name: str, path: Path, ledger: Ledger) -> None:
    try:
        mode = entry.stat(follow_symlinks=False).st_mode
    except OSError as error:
        raise unreadable(name, error) from None
    oddity = oddity_of(mode)
    if stat.S_ISDIR(mode):
        _walk(path, f"{name}/", ledger)
    elif oddity or names.is_source(name):
        ledger.keep(ledger.admit(name, oddity=oddity), read(path))
    else:
        ledger.leave(name)


def oddity_of(mode: int) -> str:
    """Return what a file of this mode is, if it is no ordinary file or folder; else ""."""
    return _ODDITIES.get(stat.S_IFMT(mode), "a pipe or a device")
