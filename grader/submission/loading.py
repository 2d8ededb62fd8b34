"""A path -> a frozen submission: bytes with a digest, or the sentence that says why not."""

from __future__ import annotations

import hashlib
import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from grader.errors import SubmissionError
from grader.submission import folder, names
from grader.submission.archives import unpack
from grader.submission.ledger import Contents, Ledger, SubmittedFile
from grader.submission.names import quoted, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

KINDS = ".py, .ipynb, .zip, .tar, .tar.gz, .tar.bz2 or .tar.xz"


@dataclass(frozen=True, slots=True)
class Submission:
    """One student's files as they were handed in; nothing in them has been run or parsed.

    ``digest`` depends on the paths and contents of the sources alone: a folder, its zip and its tar have the
    same one. If ``refused`` is not empty there are no files, and it says in one sentence why.
    """

    student: str
    files: tuple[SubmittedFile, ...]
    digest: str
    notes: tuple[str, ...] = ()
    refused: str = ""
    slugs: tuple[str, ...] = ()  # of all problems judged: their files are nobody's helpers
    aside: tuple[str, ...] = ()  # paths of files that are no sources; their content was not read

    @staticmethod
    def of(
        student: str,
        files: Iterable[SubmittedFile],
        *,
        notes: tuple[str, ...] = (),
        slugs: Iterable[str] = (),
        aside: tuple[str, ...] = (),
    ) -> Submission:
        """Return the submission that holds these files."""
        ordered = tuple(sorted(files, key=lambda file: file.path))
        return Submission(student, ordered, _digest(ordered), notes, slugs=tuple(slugs), aside=aside)


def load(
    path: str | os.PathLike[str] | Iterable[Path], *, student: str | None = None, slugs: Iterable[str] = ()
) -> Submission:
    """Read one student's folder, .py file, .ipynb file or archive; or several files of one student.

    Links are not followed, not even where ``path`` is one. A folder that holds one archive and no source
    stands for that archive. What is in a source is judged by `answer`, for the problem that it is for.

    Args:
        path: where it lies; a tuple of .py and .ipynb files where `discover` returns one.
        student: whose it is; the stem of the folder's, file's or archive's name if None.
        slugs: the names of the problems to judge.

    Raises:
        SubmissionError: there is nothing at ``path``, or it is of no kind that we know. Whatever is wrong
            with the content does not raise: the submission says it in ``refused``.
    """
    places = (Path(path),) if isinstance(path, str | os.PathLike) else tuple(path)
    for place in places:
        _demand_known(place)
    return frozen(lambda: _contents(places), _name(places[0]), student or owner(places[0]), tuple(slugs))


def frozen(contents: Callable[[], Contents], name: str, student: str, slugs: tuple[str, ...]) -> Submission:
    """Return the submission that holds what ``contents`` reads, or the sentence that says why not.

    Args:
        contents: reads the sources; a SubmissionError refuses them.
        name: of what is read, for that sentence.
        student: whose it is.
        slugs: the names of the problems to judge.
    """
    try:
        read = contents()
    except SubmissionError as error:
        reason = f"{shown(name)} cannot be graded: {error}."
        digest = hashlib.sha256(reason.encode()).hexdigest()
        return Submission(student, (), digest, refused=reason, slugs=slugs)
    return Submission.of(student, read.files, notes=_notes(read, slugs), slugs=slugs, aside=read.aside)


def owner(path: Path) -> str:
    """Return whose submission a path is, as far as its own name tells."""
    name = _name(path)
    if path.is_dir():
        return shown(name)
    return shown((names.is_source(name) and names.deliverer(name)) or names.stem(name))


def _name(path: Path) -> str:
    own = path.name if path.name != ".." else ""
    return own or path.resolve().name or str(path)  # "." and ".." have no name of their own


def _demand_known(path: Path) -> None:
    try:
        mode = path.lstat().st_mode
    except (OSError, ValueError):
        raise SubmissionError(f"there is nothing at {quoted(str(path))} that can be read; check the path") from None
    if not (stat.S_ISDIR(mode) or stat.S_ISLNK(mode) or names.extension(path.name)):
        raise SubmissionError(f"{quoted(str(path))} is no folder and no {KINDS} file; nothing in it can be graded")


def _contents(places: tuple[Path, ...]) -> Contents:
    place = places[0]
    if any(each.is_symlink() for each in places):
        raise SubmissionError("it is a symbolic link, and links are not followed; name what it leads to")
    if len(places) == 1 and place.is_dir():
        return _folder(place)
    return unpack(place) if names.is_archive(place.name) else _single_files(places)


def _single_files(places: tuple[Path, ...]) -> Contents:
    ledger = Ledger()
    for place in places:
        ledger.keep(ledger.admit(names.undelivered(place.name)) or place.name, folder.read(place))
    return ledger.contents()


def _folder(place: Path) -> Contents:
    """Return what a folder holds, or what the one archive holds that lies there in place of sources."""
    contents = folder.gather(place)
    packed = [path for path in contents.aside if names.is_archive(path)]
    if contents.files or not packed:
        return contents
    if len(packed) > 1:
        raise SubmissionError(f"it holds {_listed(packed)} and no .py or .ipynb file; leave one archive")
    return unpack(place / packed[0])


def _notes(contents: Contents, slugs: tuple[str, ...]) -> tuple[str, ...]:
    """Return what helps somebody whose answers were not found, and what was passed over."""
    packed = [path for path in contents.aside if names.is_archive(path)]
    notes = [f"{_listed(packed)}: not opened, because it lies inside the hand-in"] if packed else []
    if not contents.files:
        found = f"only {_listed(contents.aside)}" if contents.aside else "nothing else either"
        notes.append(f"the hand-in holds no .py or .ipynb file, {found}")
    sources = [file.path for file in contents.files]
    fits = (names.fit(path.rpartition("/")[2], slug) for path in sources for slug in slugs)
    if sources and slugs and not any(fits):
        notes.append(f"none of the files is named after a problem: {_listed(sources)}")
    return tuple(notes)


def _listed(paths: Sequence[str]) -> str:
    return names.some([quoted(path) for path in paths])


def _digest(files: tuple[SubmittedFile, ...]) -> str:
    total = hashlib.sha256()
    for file in files:
        for part in (file.path.encode("utf-8", "surrogatepass"), file.content):
            total.update(len(part).to_bytes(8, "big"))
            total.update(part)
    return total.hexdigest()
