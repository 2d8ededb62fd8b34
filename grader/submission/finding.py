"""The paths that somebody names -> the submissions that lie there, and what else lies there and why not."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from grader.errors import SubmissionError
from grader.submission import names
from grader.submission.loading import KINDS, owner
from grader.submission.names import quoted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_RUN_FILES = ("run.json", "run.sqlite")


@dataclass(frozen=True, slots=True)
class Found:
    """One student's submission: what `load` takes."""

    student: str
    path: Path | tuple[Path, ...]  # several files of one student where the download was not one folder each


@dataclass(frozen=True, slots=True)
class Discovery:
    """All submissions in the order of their students, and every path that is none, with the reason."""

    found: tuple[Found, ...]
    ignored: tuple[tuple[Path, str], ...]


def discover(
    paths: Iterable[str | os.PathLike[str]], *, slugs: Iterable[str] = (), student: str | None = None
) -> Discovery:
    """Find the submissions at some paths.

    A file or an archive is one submission; files of one student in one folder are one together. A folder
    that itself holds a file for a problem is one student's. In any other folder each sub-folder, archive and
    file of a bulk download is a student's. Hidden files and links are not followed.

    Args:
        paths: folders, files and archives, of one student or of a class.
        slugs: names of the problems; without them every source file counts as one for a problem.
        student: whose work is wanted: the name of one student of a class, and the name that a path gets
            which is one submission itself.

    Raises:
        SubmissionError: there is nothing at one of the paths.
    """
    search = _Search(tuple(slugs), student)
    for path in map(Path, paths):
        search.enter(path)
    return search.result()


class _Search:
    def __init__(self, slugs: tuple[str, ...], student: str | None) -> None:
        self._slugs = slugs
        self._student = student
        self._found: dict[str, list[Path]] = {}
        self._ignored: list[tuple[Path, str]] = []
        self._ones: dict[Path, bool] = {}  # folders looked at, since a class's loose files share one

    def enter(self, path: Path) -> None:
        """Look at a path that somebody named."""
        if not os.path.lexists(path):
            raise SubmissionError(f"there is nothing at {quoted(str(path))}; check the path")
        try:
            self._look(path)
        except OSError as error:
            self._ignored.append((path, f"it cannot be read ({error.strerror})"))

    def _look(self, path: Path) -> None:
        if reason := self._unfit(path):
            self._ignored.append((path, reason))
        elif not path.is_dir():
            self._add(self._student or self._owner(path), path)
        elif self._is_one(path):
            self._add(self._student or owner(path), path)
            self._mention_nested(path)
        else:
            self._enter_class(path)

    def result(self) -> Discovery:
        """Return what was found, sorted by student."""
        found = [
            Found(student, paths[0] if len(paths) == 1 else tuple(paths)) for student, paths in self._found.items()
        ]
        return Discovery(
            tuple(sorted(found, key=lambda each: names.natural(each.student))),
            tuple(sorted(self._ignored, key=lambda each: names.natural(str(each[0])))),
        )

    def _enter_class(self, folder: Path) -> None:
        students = []
        for path in _children(folder):
            if reason := self._unfit(path) or self._nobodys(path):
                self._ignored.append((path, reason))
                continue
            students.append(self._owner(path))
            if self._student in {None, students[-1]}:
                self._add(students[-1], path)
        if not students:
            self._ignored.append((folder, "it holds no submission"))
        elif self._student not in {None, *students}:
            self._ignored.append((folder, f"it holds no submission of {quoted(str(self._student))}"))

    def _add(self, student: str, path: Path) -> None:
        """Keep a submission, or say which one of the same student came first."""
        known = self._found.setdefault(student, [])
        together = all(names.is_source(each.name) and each.parent == path.parent for each in (*known, path))
        if not known or (together and path not in known):
            known.append(path)
        elif path not in known:
            first = quoted(str(known[0]))
            reason = f"a second submission of {student}, after {first}; rename it, or give one of them alone"
            self._ignored.append((path, reason))

    def _owner(self, path: Path) -> str:
        """Return whose a path is; ``ada/xor.py`` is Ada's, since all students call that file so."""
        if names.is_source(path.name) and not names.deliverer(path.name) and self._is_one(path.parent):
            return owner(path.parent)
        return owner(path)

    def _is_one(self, folder: Path) -> bool:
        """Say whether a folder is one student's: it holds a file for a problem, not from a bulk download."""
        if folder not in self._ones:
            try:
                children = [path.name for path in _children(folder)]
            except OSError:
                children = []
            self._ones[folder] = any(self._fits(name) and not names.deliverer(name) for name in children)
        return self._ones[folder]

    def _fits(self, name: str) -> bool:
        return names.is_source(name) and (not self._slugs or any(names.fit(name, slug) for slug in self._slugs))

    def _unfit(self, path: Path) -> str:
        """Return why a path can be no submission, whoever names it; "" if it can."""
        if path.is_symlink():
            return "a symbolic link is not followed; name what it leads to"
        if path.is_dir():
            is_run = any((path / name).exists() for name in _RUN_FILES) and not self._is_one(path)
            return "the record of a run, not a submission" if is_run else ""
        return "" if names.extension(path.name) else f"neither a folder nor a {KINDS} file"

    def _nobodys(self, path: Path) -> str:
        """Return why a source file in a class's folder is no student's."""
        if path.is_dir() or names.is_archive(path.name) or names.deliverer(path.name):
            return ""
        return "its name fits no problem; name it after one, or put it into a folder of its student"

    def _mention_nested(self, folder: Path) -> None:
        """A student's folder may be a class's that a file was left in: say which folders look like students'."""
        for path in _children(folder):
            if path.is_dir() and not path.is_symlink() and self._is_one(path):
                reason = f"part of {quoted(str(folder))}, which is one student's, since it holds a file for a problem"
                self._ignored.append((path, reason))


def _children(folder: Path) -> Iterator[Path]:
    children = sorted(folder.iterdir(), key=lambda path: names.natural(path.name))
    return (path for path in children if not names.is_litter(path.name))
