"""Where hand-ins lie: on a disk, or in a zip that holds those of many, which is read in memory and never unpacked.

`Node` is what both look like to whoever searches them; `Place` is what is kept of a find, and what `load_places` reads.
"""

from __future__ import annotations

import io
import os
import zipfile
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Protocol, cast

from grader.errors import SubmissionError
from grader.submission import folder as disk
from grader.submission import names, zips
from grader.submission.archives import HOSTILE, unpack, unpack_open
from grader.submission.folder import Handle, opened
from grader.submission.ledger import TOTAL_BYTES, Contents, Ledger
from grader.submission.loading import Submission, frozen, load
from grader.submission.names import natural, quoted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from io import FileIO
    from pathlib import Path

SMALL = 64 * 2**10  # bytes of a receipt or a time stamp
_LINK = "a symbolic link is not followed; name what it leads to"


@dataclass(frozen=True, slots=True)
class Place:
    """A file, a folder or an archive; with ``inner``, the one of that path inside the zip at ``path``."""

    path: Path
    inner: str = ""
    name: str = ""  # what a source is read as, where its own name is its student's

    @property
    def shown(self) -> Path:
        """The path as somebody reads it."""
        return self.path / self.inner if self.inner else self.path


class Node(Protocol):
    """Something that may hold hand-ins."""

    @property
    def name(self) -> str:
        """The last part of its path."""

    @property
    def place(self) -> Place:
        """Where it lies."""

    @property
    def is_folder(self) -> bool:
        """Whether it is a folder, and no link to one."""

    @property
    def oddity(self) -> str:
        """Why nothing is read here, if it is neither a folder nor an ordinary file."""

    def children(self) -> Sequence[Node]:
        """Return what a folder holds, as people count; OSError if it cannot be read."""

    def read(self, room: int) -> bytes:
        """Return the bytes of a file; SubmissionError if there are more than ``room`` or it cannot be read."""


@dataclass(frozen=True, slots=True)
class OnDisk:
    """A path on a disk."""

    path: Path

    @property
    def name(self) -> str:
        """The last part of the path, also of ``.``."""
        own = self.path.name if self.path.name != ".." else ""
        return own or self.path.resolve().name or str(self.path)

    @property
    def place(self) -> Place:
        """Itself."""
        return Place(self.path)

    @property
    def is_folder(self) -> bool:
        """Whether it is a folder, and no link to one."""
        return self.path.is_dir() and not self.path.is_symlink()

    @property
    def oddity(self) -> str:
        """Why nothing is read here."""
        if self.path.is_symlink():
            return _LINK
        return "" if self.path.is_dir() or self.path.is_file() else "no ordinary file"

    def children(self) -> Sequence[OnDisk]:
        """Return what the folder holds."""
        return [OnDisk(path) for path in sorted(self.path.iterdir(), key=lambda path: natural(path.name))]

    def read(self, room: int) -> bytes:
        """Return the file's bytes."""
        return disk.read(self.path, room)


@dataclass(frozen=True, slots=True)
class InZip:
    """A file or a folder in a zip that holds many hand-ins; "" is all of it."""

    box: Box
    inner: str = ""

    @property
    def name(self) -> str:
        """The last part of the path."""
        return self.inner.rpartition("/")[2] or self.box.path.name

    @property
    def place(self) -> Place:
        """Where it lies."""
        return Place(self.box.path, self.inner)

    @property
    def is_folder(self) -> bool:
        """Whether something lies in it."""
        return self.inner in self.box.folders

    @property
    def oddity(self) -> str:
        """Nothing: what must not be is no member of a `Box`."""
        return ""

    def children(self) -> Sequence[InZip]:
        """Return what the folder holds."""
        prefix = f"{self.inner}/" if self.inner else ""
        return [InZip(self.box, prefix + name) for name in sorted(self.box.folders[self.inner], key=natural)]

    def read(self, room: int) -> bytes:
        """Return the file's bytes."""
        return self.box.read(self.inner, room)


@dataclass(frozen=True, eq=False)
class Box:
    """The directory of a zip that holds the hand-ins of many; contents are read when they are asked for.

    Unlike in one student's archive a bad entry costs only itself: ``refused`` lists it with the reason.
    """

    path: Path
    files: dict[str, zipfile.ZipInfo] = field(default_factory=dict)
    folders: dict[str, dict[str, None]] = field(default_factory=lambda: {"": {}})
    refused: list[tuple[str, str]] = field(default_factory=list)

    def admit(self, info: zipfile.ZipInfo) -> None:
        """Judge one entry; keep it or list it."""
        raw = zips.name_of(info)
        try:
            path = names.clean(raw)
        except SubmissionError as error:
            self.refused.append((raw, str(error)))
            return
        if oddity := zips.oddity(info) or ("" if path or zips.is_folder(info) else "hidden, or left by a tool"):
            self.refused.append((raw, oddity))
        elif path in self.files or (path in self.folders and not zips.is_folder(info)):
            self.refused.append((raw, "there twice; the first counts"))
        elif path and self._enter(path, raw) and not zips.is_folder(info):
            self.files[path] = info
        elif path and zips.is_folder(info):
            self.folders.setdefault(path, {})

    def _enter(self, path: str, raw: str) -> bool:
        """Make the folders that a path lies in; return whether no file stands in the way."""
        parts = path.split("/")
        above = ["/".join(parts[:depth]) for depth in range(len(parts))]
        if any(each in self.files for each in above):
            self.refused.append((raw, "it lies in a file; make the zip anew"))
            return False
        for each, part in zip(above, parts, strict=True):
            self.folders.setdefault(each, {})[part] = None
        return True

    def read(self, inner: str, room: int) -> bytes:
        """Return the content of one file."""
        info = self.files[inner]
        if info.file_size > room:
            raise SubmissionError(f"{quoted(inner)} is larger than {room // 2**10:,} KiB")
        with opened(self.path) as raw:
            try:
                return zips.content(raw, info)
            except HOSTILE as error:
                raise SubmissionError(f"{quoted(inner)} is damaged; download the zip anew") from error


def box(path: Path) -> Box:
    """Read the directory of a zip; once for as long as the file stays the same.

    Raises:
        SubmissionError: it is no zip, damaged, or holds too many files.
    """
    try:
        state = path.lstat()
    except OSError as error:
        raise disk.unreadable(path.name, error) from None
    return _box(path, state.st_size, state.st_mtime_ns)


@lru_cache(maxsize=4)
def _box(path: Path, _size: int, _changed: int) -> Box:
    found = Box(path)
    with opened(path) as raw:
        try:
            with zipfile.ZipFile(raw) as archive:
                for info in archive.infolist():
                    found.admit(info)
        except HOSTILE as error:
            raise SubmissionError("it is damaged, cut off or no zip archive; download it anew") from error
    return found


def load_places(places: Sequence[Place], *, student: str, slugs: Iterable[str] = ()) -> Submission:
    """Read one student's files, folder or archives, wherever they lie.

    Loose files lie side by side. An archive beside other files is read as a folder of its name. Without places
    the submission is empty and says that nothing was handed in.

    Whatever is wrong, also that nothing is there any more, is said in ``refused``.
    """
    slugs = tuple(slugs)
    if not places:
        return Submission.of(student, (), notes=("nothing was handed in",), slugs=slugs)
    first = places[0]
    there = all(os.path.lexists(place.path) for place in places)
    if there and len(places) == 1 and not first.inner and not first.name:
        return load(first.path, student=student, slugs=slugs)
    return frozen(lambda: _together(places), first.shown.name, student, slugs)


def _together(places: Sequence[Place]) -> Contents:
    if gone := [place for place in places if not os.path.lexists(place.path)]:
        raise SubmissionError(f"there is nothing at {quoted(str(gone[0].path))} any more")
    if len(places) == 1 and places[0].inner:
        alone = InZip(box(places[0].path), places[0].inner)
        if alone.is_folder:
            return _folder(alone)
        if names.is_archive(alone.name):
            return _unpacked(alone)
    ledger = Ledger()
    for place in places:
        if names.is_archive(place.shown.name):
            _add_archive(place, ledger)
        else:
            name = place.name or names.undelivered(place.shown.name)
            ledger.keep(ledger.admit(name) or name, _node(place).read(TOTAL_BYTES))
    return ledger.contents()


def _node(place: Place) -> Node:
    return InZip(box(place.path), place.inner) if place.inner else OnDisk(place.path)


def _add_archive(place: Place, ledger: Ledger) -> None:
    node = _node(place)
    contents = _unpacked(node) if isinstance(node, InZip) else unpack(place.path)
    top = names.stem(names.undelivered(node.name)).strip(". ") or "archive"
    for file in contents.files:
        ledger.keep(ledger.admit(f"{top}/{file.path}") or file.path, file.content)
    for path in contents.aside:
        ledger.leave(f"{top}/{path}")


def _unpacked(node: InZip) -> Contents:
    return unpack_open(in_memory(node.read(TOTAL_BYTES)), node.name)


def in_memory(data: bytes) -> Handle:
    """Return bytes as an open file."""
    return Handle(cast("FileIO", io.BytesIO(data)))


def _folder(top: InZip) -> Contents:
    """Return what a folder in a zip of many holds, or the one archive that lies there in place of sources."""
    ledger, packed = Ledger(disk.ENTRIES_ON_DISK), []
    for file in below(top):
        ledger.count()
        if path := ledger.admit(file.inner.removeprefix(f"{top.inner}/")):
            ledger.keep(path, file.read(TOTAL_BYTES))
        elif names.is_archive(file.name):
            packed.append(file)
    contents = ledger.contents()
    if contents.files or not packed:
        return contents
    if len(packed) > 1:
        raise SubmissionError("it holds several archives and no .py or .ipynb file; leave one archive")
    return _unpacked(packed[0])


def below(top: InZip) -> Iterator[InZip]:
    """Yield every file in a folder and its sub-folders."""
    for child in top.children():
        if child.is_folder:
            yield from below(child)
        else:
            yield child
