"""Downloads of learning platforms -> nbgrader's ``submitted/`` tree, with the names and times that nbgrader reads.

::

    submitted/STUDENT/ASSIGNMENT/SLUG.ipynb     the notebook of each problem, as it was handed in
    submitted/STUDENT/ASSIGNMENT/*.py           the student's own modules
    submitted/STUDENT/ASSIGNMENT/timestamp.txt  when, where that is known

What is already there gives way to what is known to be newer, and to nothing else.
"""

from __future__ import annotations

import enum
import re
import secrets
import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING

from grader import intake, whole
from grader.assignments import Assignment
from grader.errors import SubmissionError, UsageError
from grader.notebook import folders, identity
from grader.submission import moment, names
from grader.submission.names import quoted
from grader.submission.shapes import HIDDEN

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime
    from pathlib import Path

    from grader.intake import Entry
    from grader.notebook.folders import Folders

STAMP = "timestamp.txt"
_FORMAT = "%Y-%m-%d %H:%M:%S.%f %Z"  # nbgrader's own
_STRANGE = re.compile(r"[*?\[\]/\\]")  # nbgrader looks for folders by patterns, in which these mean something


class State(enum.Enum):
    """What became of one student's hand-in."""

    NEW = ""
    NEWER = "in place of an earlier one"
    SAME = "here already"
    OLDER = "left out: a newer one is here"
    UNCLEAR = "left out: another one is here, and nobody knows which is newer"


@dataclass(frozen=True, slots=True)
class Delivered:
    """One student's hand-in."""

    student: str
    state: State
    handed_in: datetime | None  # in UTC
    missing: tuple[str, ...] = ()  # problems without a notebook
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Collection:
    """All that was delivered: what was collected, and everything that was not, with the reason."""

    name: str
    students: tuple[Delivered, ...]
    unmatched: tuple[tuple[str, str], ...]  # a path, a line or a name, and what is the matter with it
    absent: tuple[str, ...]  # students of the roster without a hand-in
    doubtful: bool  # whether a person should look at something

    @property
    def lines(self) -> tuple[str, ...]:
        """Say it all, a line each; what belongs to the line above is set in."""
        written = [one for one in self.students if one.state in {State.NEW, State.NEWER}]
        same = sum(one.state is State.SAME for one in self.students)
        known = f"{len(self.students)} delivered" + (f", {same} here already" if same else "")
        said = [f"{self.name}: {_counted(len(written), 'hand-in')} collected of {known}."]
        for one in self.students:
            if one.state is State.SAME and not one.warnings and not one.missing:
                continue
            when = f"{one.handed_in:%Y-%m-%d %H:%M:%S} UTC" if one.handed_in else "time not known"
            said.append(f"  {one.student}: {', '.join(filter(None, [when, one.state.value]))}")
            if one.missing:
                said.append(f"      no notebook for {', '.join(one.missing)}")
            said += [f"      {warning}" for warning in one.warnings]
        if self.unmatched:
            said.append("Not collected, or not as it is:")
            said += [f"  {path}: {reason}" for path, reason in self.unmatched]
        if self.absent:
            said.append(f"Nothing was handed in by {_counted(len(self.absent), 'student')}: {', '.join(self.absent)}")
        if any(one.state is State.UNCLEAR for one in self.students):
            said.append("Give the times with --times, or collect again with --replace.")
        return tuple(said)


def collect(
    name: str,
    paths: Iterable[Path],
    folder: Path,
    *,
    roster: Path | None = None,
    times: Path | None = None,
    replace: bool = False,
) -> Collection:
    """Bring hand-ins into a nbgrader course; each student's is there whole or as it was before.

    Args:
        name: the assignment, whose source notebooks are there.
        paths: downloads of Canvas or Moodle as zips, or whatever else `intake.gather` reads.
        folder: nbgrader's course.
        roster: a CSV file of the class; it says what students are called.
        times: a CSV file of when each student handed in.
        replace: let a hand-in give way where nobody knows which one is newer.

    Raises:
        UsageError: there is no such course or assignment, the roster or the times cannot be read, nothing was
            delivered, or the course's folder cannot be written.
        SubmissionError: there is nothing at a path.
    """
    course = folders.read(folder)
    slugs = course.slugs(name)
    found = intake.gather(paths, slugs, roster=roster, times=times, assignment=Assignment(name, slugs))
    unmatched = list(found.unmatched)
    entries = [entry for entry in found.entries if not entry.absent]
    if not entries and not unmatched:
        raise UsageError("nothing was handed in at these paths")
    desk = _Desk(course, name, slugs, replace=replace)
    students = [one for entry in entries if (one := desk.receive(entry, unmatched))]
    doubtful = any(_is_work(what, reason, roster) for what, reason in unmatched)
    doubtful = doubtful or any(one.warnings or one.state is State.UNCLEAR for one in students)
    return Collection(name, tuple(students), tuple(unmatched), found.absent, doubtful)


def _is_work(what: str, reason: str, roster: Path | None) -> bool:
    """Whether something that was not collected may be somebody's work: no line of the roster, no litter of a tool."""
    return reason != HIDDEN and not (roster and what.startswith(f"{roster}, line "))


@dataclass(frozen=True)
class _Desk:
    course: Folders
    name: str
    slugs: tuple[str, ...]
    replace: bool

    def receive(self, entry: Entry, unmatched: list[tuple[str, str]]) -> Delivered | None:
        """Put one student's files where nbgrader looks; list what is not put there."""
        shown = str(entry.places[0].shown)
        handed_in = entry.submission(self.slugs)
        reason = handed_in.refused or _why_no_folder(entry.student)
        if reason:
            unmatched.append((shown, reason))
            return None
        sorted_out = identity.assigned(handed_in.files, self.slugs, self.course.given(self.name))
        unmatched += [(f"{entry.student}: {path}", reason) for path, reason in sorted_out.left]
        unmatched += [(f"{entry.student}: {path}", "neither a notebook nor a module") for path in handed_in.aside]
        notebooks = [slug for slug in self.slugs if f"{slug}.ipynb" in sorted_out.files]
        if not notebooks:
            unmatched.append((shown, f"of {entry.student}: it holds no notebook of {self.name}"))
            return None
        place = self.course.submitted(self.name, entry.student)
        try:
            state = _put(place, sorted_out.files, entry.handed_in, replace=self.replace)
        except OSError as error:
            raise UsageError(
                f"{place} cannot be written ({error.strerror}); what was collected so far is there"
            ) from None
        return Delivered(
            student=entry.student,
            state=state,
            handed_in=entry.handed_in,
            missing=tuple(slug for slug in self.slugs if slug not in notebooks),
            warnings=(*filter(None, [entry.note]), *sorted_out.warnings),
        )


def _why_no_folder(student: str) -> str:
    """Return why a student's name cannot be that of a folder that nbgrader finds; "" if it can."""
    try:
        fits = names.clean(student) == student and not _STRANGE.search(student)
    except SubmissionError:
        fits = False
    return "" if fits else f"{quoted(student)} cannot be the name of a folder; give the students logins in the roster"


def _put(place: Path, files: dict[str, bytes], when: datetime | None, *, replace: bool) -> State:
    """Write a hand-in if it is newer than the one that is there."""
    _restore(place)
    state = _compared(place, files, when)
    if state is State.UNCLEAR and replace:
        state = State.NEWER
    if state in {State.NEW, State.NEWER}:
        _swap(place, files, when)
    return state


def _compared(place: Path, files: dict[str, bytes], when: datetime | None) -> State:
    if not place.exists():
        return State.NEW
    there = {path.relative_to(place).as_posix(): path for path in place.rglob("*") if path.is_file()}
    stamp = there.pop(STAMP, None)
    before = moment(stamp.read_text(encoding="utf-8", errors="replace")) if stamp else None
    alike = there.keys() == files.keys() and all(path.read_bytes() == files[name] for name, path in there.items())
    if when and before and when != before:
        return State.NEWER if when > before else State.OLDER
    if alike:
        return State.NEWER if when and not before else State.SAME
    return State.UNCLEAR


def _swap(place: Path, files: dict[str, bytes], when: datetime | None) -> None:
    """Put a folder in the place of another; ended in between, the next call puts the earlier one back."""
    place.parent.mkdir(parents=True, exist_ok=True)
    mark = secrets.token_hex(4)
    fresh, before = (place.with_name(f".{place.name}.{mark}.{what}") for what in ("part", "before"))
    stamp = {STAMP: when.strftime(_FORMAT).encode()} if when else {}
    try:
        for name, content in (files | stamp).items():
            (fresh / name).parent.mkdir(parents=True, exist_ok=True)
            whole.pour(content, fresh / name)
        if place.exists():
            place.rename(before)
        fresh.rename(place)
    finally:
        _restore(place)


def _restore(place: Path) -> None:
    """Tidy up after a swap, also one that was cut off: what was there is there again, unless the new one is."""
    left = sorted(place.parent.glob(f".{place.name}.*.before"))
    if left and not place.exists():
        left.pop(0).rename(place)
    _remove([*left, *place.parent.glob(f".{place.name}.*.part")])


def _remove(places: Sequence[Path]) -> None:
    for place in places:
        shutil.rmtree(place, ignore_errors=True)


def _counted(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
