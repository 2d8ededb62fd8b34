"""The paths that somebody names -> the submissions that lie there, and what else lies there and why not.

Whose a file or a folder in a class's folder is, the first line that fits decides::

    lovelaceada_LATE_123_456_xor.py                 Canvas's download: all files of lovelaceada_123 are one hand-in
    Ada Lovelace_77_assignsubmission_file_          Moodle's download, as a folder or before a file's name
    submitted/ada/week1                             nbgrader's tree
    ada/20261130T221500Z-1a2b3c4d.zip               our own inbox: each zip is a hand-in
    ada/                                            a folder is one student's, a git clone too
    ada_xor.py  xor-ada.ipynb  ada_week1.zip        a student's name joined to a problem's or the assignment's
    ada.zip                                         an archive is its student's
    ada.ipynb                                       if one problem alone is judged, a source too

Names inside one student's hand-in make it nobody else's: only what somebody names, or a folder called
``submitted``, is searched for students.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from grader.errors import SubmissionError
from grader.submission import names, shapes
from grader.submission.haul import Found, Haul
from grader.submission.loading import KINDS
from grader.submission.names import quoted
from grader.submission.places import InZip, Node, OnDisk, box

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_RUN_FILES = ("run.json", "run.sqlite")


@dataclass(frozen=True, slots=True)
class Discovery:
    """All hand-ins in the order of their students, and every path that is none, with the reason."""

    found: tuple[Found, ...]
    ignored: tuple[tuple[Path, str], ...]


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a search is for."""

    slugs: tuple[str, ...] = ()  # names of the course's problems; without them every source may be for one
    judged: tuple[str, ...] = ()  # the problems that are judged; all, if empty
    assignment: str = ""
    name: str = ""  # what a path that is one submission itself is called
    run: Path | None = None  # where the run is kept, which is nobody's submission
    known: Callable[[str], bool] | None = None  # says whether somebody goes by a name


def find(paths: Iterable[str | os.PathLike[str]], wanted: Wanted) -> Discovery:
    """Find the hand-ins at some paths; one student may have several.

    A file or an archive is one submission. A folder that itself holds a file for a problem is one student's; in any
    other each sub-folder, archive and file is somebody's, as the shapes above say. A zip that somebody names
    and that holds such a folder is read as one. Links are not followed.

    Args:
        paths: folders, files and archives, of one student or of a class.
        wanted: what is looked for.

    Raises:
        SubmissionError: there is nothing at one of the paths.
    """
    search = _Search(wanted)
    for path in map(Path, paths):
        search.enter(path)
    return search.result()


class _Search:
    def __init__(self, wanted: Wanted) -> None:
        self._wanted = wanted
        self._haul = Haul()
        self._ones: dict[Path, bool] = {}  # folders looked at, since a class's loose files share one
        self._name = ""  # what is called so as to be one submission itself

    def result(self) -> Discovery:
        """Return what was found."""
        ignored = sorted(self._haul.ignored, key=lambda each: names.natural(str(each[0])))
        return Discovery(tuple(self._haul.found()), tuple(ignored))

    def enter(self, path: Path) -> None:
        """Look at a path that somebody named."""
        if not os.path.lexists(path):
            raise SubmissionError(f"there is nothing at {quoted(str(path))}; check the path")
        node = OnDisk(path)
        self._name = self._wanted.name
        try:
            self._look(node)
        except OSError as error:
            self._haul.ignore(node, f"it cannot be read ({error.strerror})")

    def _look(self, node: Node) -> None:
        if reason := self._unfit(node):
            self._haul.ignore(node, reason)
        elif not node.is_folder:
            top = self._class_in_zip(node.place.path) if node.name.lower().endswith(".zip") else None
            if top:
                self._enter_zip(top)
            else:
                self._add_named(node)
        elif node.name == shapes.SUBMITTED:
            shapes.submitted(node, self._wanted.assignment, self._haul)
        elif delivery := names.delivery(node.name):
            self._add_delivered(node, delivery)
        elif self._is_one(node):
            self._haul.add(Found(self._name or names.student(node.name), ()), node)
            self._mention_nested(node)
        elif shapes.is_inbox(children := list(node.children())):
            shapes.inbox(children, self._name or names.student(node.name), self._haul)
        else:
            self._enter_class(node)

    def _enter_class(self, folder: Node) -> None:
        self._name = ""
        children = folder.children()
        has_tree = any(child.name == shapes.SUBMITTED and child.is_folder for child in children)
        before = self._haul.pieces
        for child in children:
            if has_tree and child.name in shapes.NBGRADERS:
                self._haul.ignore(child, "nbgrader's own folder")
            elif reason := (names.is_litter(child.name) and shapes.HIDDEN) or self._unfit(child):
                self._haul.ignore(child, reason)
            elif child.is_folder:
                self._add_folder(child)
            else:
                self._add_loose(child)
        if self._haul.pieces == before:
            self._haul.ignore(folder, "it holds no submission")

    def _enter_zip(self, top: InZip) -> None:
        for name, reason in top.box.refused:
            self._haul.ignored.append((top.box.path / names.shown(name), reason))
        if top.name == shapes.SUBMITTED and top.inner:
            shapes.submitted(top, self._wanted.assignment, self._haul)
        else:
            self._enter_class(top)

    def _add_folder(self, node: Node) -> None:
        """Keep a sub-folder of a class's folder."""
        delivery = names.delivery(node.name)
        children = _children(node)
        if delivery and delivery.system == "Moodle":
            self._add_delivered(node, delivery)
        elif node.name == shapes.SUBMITTED:
            shapes.submitted(node, self._wanted.assignment, self._haul)
        elif not self._is_one(node) and shapes.is_inbox(children):
            shapes.inbox(children, names.student(node.name), self._haul)
        elif not self._is_one(node) and len({names.deliverer(child.name) for child in children} - {""}) > 1:
            self._haul.ignore(node, "a download of several students; name it as a path of its own")
        else:
            tags = [self._wanted.assignment] if self._wanted.assignment else []
            student, _ = self._author(node.name, tags)
            clone = "a git clone; its working tree counts" if any(child.name == ".git" for child in children) else ""
            self._haul.add(Found(student, (), note=clone), node)

    def _add_loose(self, node: Node) -> None:
        """Keep a file in a class's folder."""
        delivery = names.delivery(node.name)
        if delivery:
            self._add_delivered(node, delivery)
        elif names.is_archive(node.name):
            self._add_archive(node)
        else:
            ways = self._ways(node.name, self._wanted.slugs)
            if len(ways) == 1:
                self._add_source(node, *ways[0])
            elif ways:
                self._haul.ignore(node, f"its name may mean {' or '.join(quoted(who) for who, _ in ways)}; rename it")
            elif len(self._judged) == 1:
                self._add_source(node, names.student(names.stem(node.name)), self._judged[0])
            else:
                self._haul.ignore(
                    node, "its name fits no problem; name it after one, or put it into a folder of its student"
                )

    def _add_named(self, node: Node) -> None:
        """Keep a file that somebody named; ``ada/xor.py`` is Ada's, since all students call that file so."""
        parent = OnDisk(node.place.path.parent)
        ways = self._ways(node.name, self._wanted.slugs)
        if names.delivery(node.name) or (names.is_source(node.name) and len(ways) == 1):
            self._add_loose(node)
        elif names.is_archive(node.name):
            self._add_archive(node)
        else:
            own = names.student(parent.name if self._is_one(parent) else names.stem(node.name))
            alone = len(self._judged) == 1 and not self._is_one(parent)
            self._haul.add(
                Found(self._name or own, ()),
                node,
                beside=f"files {parent.path.absolute()}",
                part=node.name,
                read_as=self._judged[0] + names.extension(node.name) if alone else "",
            )

    def _add_delivered(self, node: Node, delivery: names.Delivery) -> None:
        if delivery.sort != "file":
            self._haul.ignore(node, f"typed into {delivery.system} ({delivery.sort}), not handed in as a file")
            return
        about = Found(
            self._name or names.student(delivery.student),
            (),
            number=f"{delivery.system} {delivery.number}",
            late=delivery.late,
        )
        beside = "" if node.is_folder else f"{delivery.system} {node.place.shown.parent.absolute()}"
        part = names.bare(node.name).casefold() + names.extension(node.name)
        self._haul.add(about, node, beside=beside, part=part, rank=delivery.item)

    def _add_archive(self, node: Node) -> None:
        tags = [*self._wanted.slugs, *([self._wanted.assignment] if self._wanted.assignment else [])]
        student, tag = self._author(names.stem(node.name), tags)
        beside = f"files {node.place.shown.parent.absolute()}" if tag in self._wanted.slugs else ""
        self._haul.add(Found(self._name or student, ()), node, beside=beside, part=tag)

    def _add_source(self, node: Node, student: str, slug: str) -> None:
        name = slug + names.extension(node.name)
        beside = f"files {node.place.shown.parent.absolute()}"
        self._haul.add(Found(self._name or student, ()), node, beside=beside, part=name, read_as=name)

    @property
    def _judged(self) -> tuple[str, ...]:
        return self._wanted.judged or self._wanted.slugs

    def _author(self, name: str, tags: list[str]) -> tuple[str, str]:
        """Return whose an archive or a folder is, and the tag that its name holds besides; "" if none."""
        whole = names.student(name)
        known = self._wanted.known
        ways = [] if known and known(whole) else self._ways(name, tags)
        return ways[0] if len(ways) == 1 else (whole, "")

    def _ways(self, name: str, tags: Iterable[str]) -> list[tuple[str, str]]:
        """Return how a name may be read; where somebody is known by one of them, only those."""
        ways = names.authored(name, tags)
        known = self._wanted.known
        return [way for way in ways if known and known(way[0])] or list(ways)

    def _is_one(self, folder: Node) -> bool:
        """Say whether a folder is one student's: it holds a file for a problem, not from a bulk download."""
        path = folder.place.shown
        if path not in self._ones:
            children = [child.name for child in _children(folder) if not names.is_litter(child.name)]
            self._ones[path] = any(not names.delivery(name) and self._fits(name) for name in children)
        return self._ones[path]

    def _fits(self, name: str) -> bool:
        slugs = self._wanted.slugs
        return names.is_source(name) and (not slugs or any(names.fit(name, slug) for slug in slugs))

    def _unfit(self, node: Node) -> str:
        """Return why something can be no submission, whoever names it; "" if it can."""
        if node.oddity:
            return node.oddity
        if node.is_folder:
            is_run = any(child.name in _RUN_FILES for child in _children(node)) and not self._is_one(node)
            own = self._wanted.run and node.place.shown.absolute() == self._wanted.run.absolute()
            return "where this run is kept" if own else "the record of a run, not a submission" if is_run else ""
        if names.is_typed(node.name):
            return "typed into Canvas, not handed in as a file"
        return "" if names.extension(node.name) else f"neither a folder nor a {KINDS} file"

    def _mention_nested(self, folder: Node) -> None:
        """A student's folder may be a class's that a file was left in: say which folders look like students'."""
        for child in folder.children():
            if child.is_folder and not names.is_litter(child.name) and self._is_one(child):
                whole = quoted(str(folder.place.shown))
                self._haul.ignore(
                    child, f"part of {whole}, which is one student's, since it holds a file for a problem"
                )

    def _class_in_zip(self, path: Path) -> InZip | None:
        """Return where in a zip a class's folder begins, if it holds one."""
        try:
            top = InZip(box(path))
        except SubmissionError:
            return None  # whatever is wrong with it is said when it is loaded
        return shapes.class_in_zip(top, self._wanted.slugs, is_one=self._is_one)


def _children(node: Node) -> list[Node]:
    """Return what lies in a folder; nothing, if it cannot be read or is none."""
    try:
        return list(node.children())
    except OSError:
        return []
