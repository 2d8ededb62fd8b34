"""The marks of nbgrader's gradebook as a table, if every score of a check in it is one that we have given.

A grade cell without our stamp was not graded by us: nbgrader ran it in a process that belongs to the student, where
anybody can give themselves points, or somebody has written into the gradebook. Such marks are exported by nobody.
Scores that a person gave in formgrader count as they stand.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from grader import export as exporting
from grader import store
from grader.errors import UsageError
from grader.export import Wish
from grader.export import cells as sheet
from grader.notebook import folders, master
from grader.notebook.judging import RUNS
from grader.notebook.stamp import Seal, stamped
from grader.results import Graded
from grader.submission.names import some
from grader.verdict import Status, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from grader.notebook.folders import Folders
    from grader.notebook.master import Master
    from grader.results import Run

FORMATS = ("csv", *exporting.FILLING)
# nbgrader's own titles, so that what reads its export reads ours
TITLES = (
    "assignment", "duedate", "timestamp", "student_id", "last_name", "first_name", "email",
    "raw_score", "late_submission_penalty", "score", "max_score",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Unstamped:
    """A score that is not ours: whose, of which cell, and why it is not."""

    student: str
    cell: str
    why: str


@dataclass(frozen=True, slots=True)
class Exported:
    """The file, or what stands in its way; ``notes`` say what is not as one may think."""

    content: bytes
    unstamped: tuple[Unstamped, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Total:
    """What the gradebook has of a student; ``owed`` are the points of the cells that a person has still to mark."""

    student: str
    about: tuple[str, str, str]  # last name, first name, address
    handed_in: bool
    time: str = ""
    raw: float = 0.0
    penalty: float = 0.0
    waiting: tuple[str, ...] = ()
    owed: float = 0.0

    @property
    def score(self) -> float | None:
        """The points, with what nbgrader takes for lateness taken off; None while there are none to tell."""
        return max(0.0, self.raw - self.penalty) if self.handed_in and not self.waiting else None


def export(name: str, folder: Path, wish: Wish | None = None) -> Exported:
    """Return the marks of an assignment, of every student of the gradebook.

    A student has no score, not 0, where nothing was handed in and where a cell still needs a person. With a score
    that is not ours there is no file.

    Args:
        name: the assignment.
        folder: nbgrader's course.
        wish: the format, one of `FORMATS`, and the file to fill; nbgrader's own table if None.

    Raises:
        UsageError: there is no such course, gradebook, assignment or run, or the file cannot be filled.
    """
    course = folders.read(folder)
    known = master.read(course.database, name)
    place = course.root / RUNS / name
    if not (place / store.NAME).exists():
        raise UsageError(f"{name} has not been graded by us yet; run: grade nbgrader autograde {name}")
    run = store.read(place)
    book = _Book(course, name, {slug: one for slug, one in known.items() if one.ours}, Seal.of(run))
    wish = wish or Wish("csv")
    due, worth, totals, unstamped = book.read()
    if unstamped:
        return Exported(b"", tuple(unstamped))
    if wish.format != "csv":
        made = exporting.export(_as_run(run, name, totals, worth), wish)
        return Exported(made.content, (), made.notes)
    if wish.roster is not None or wish.column:
        raise UsageError(
            "csv fills no file of yours; leave out --roster and --column, or give --format canvas or moodle"
        )
    return Exported(sheet.table(_rows(name, due, worth, totals)), (), tuple(_notes(totals)))


def _rows(name: str, due: str, worth: float, totals: Sequence[_Total]) -> Iterator[list[str | float | None]]:
    yield list(TITLES)
    for one in totals:
        marks = [None, None, None] if one.score is None else [one.raw, one.penalty, one.score]
        yield [name, due, one.time, one.student, *one.about, *marks, worth]


def _notes(totals: Sequence[_Total]) -> Iterator[str]:
    for one in totals:
        if one.waiting:
            yield f"No score of {one.student}: to be marked by hand, {some(one.waiting)}."
    if absent := [one.student for one in totals if not one.handed_in]:
        yield f"No score, nothing was handed in: {', '.join(absent)}."


def _as_run(run: Run, name: str, totals: Sequence[_Total], worth: float) -> Run:
    """Return the marks as a run of one problem, the assignment, as the formats of `grader.export` take it."""
    students = []
    for one in totals:
        owed = one.owed if one.waiting else 0.0
        judged = Verdict(name, Status.PASSED, one.score or 0.0, worth - owed, owed, (), 0, "", "")
        students.append(Graded.of(one.student, "gradebook" if one.handed_in else "", "gradebook", [judged]))
    return replace(run, problems={name: ""}, students=tuple(students), moved=(), marks=(), finished=True)


@dataclass(frozen=True)
class _Book:
    course: Folders
    name: str
    masters: Mapping[str, Master]
    seal: Seal

    def read(self) -> tuple[str, float, list[_Total], list[Unstamped]]:
        """Return the due date, the points of the assignment, everybody's total, and scores that are not ours."""
        from nbgrader.api import Gradebook, MissingEntry

        totals: list[_Total] = []
        unstamped: list[Unstamped] = []
        with Gradebook(self.course.database) as book:
            assignment = book.find_assignment(self.name)
            for student in book.students:
                about = (str(student.last_name or ""), str(student.first_name or ""), str(student.email or ""))
                try:
                    submission = book.find_submission(self.name, student.id)
                except MissingEntry:
                    totals.append(_Total(student.id, about, handed_in=False))
                    continue
                unstamped += self._unstamped(submission, student.id)
                totals.append(_total(submission, student.id, about))
            return str(assignment.duedate or ""), float(assignment.max_score), totals, unstamped

    def _unstamped(self, submission: Any, student: str) -> Iterator[Unstamped]:
        """Yield the scores of checks that are not as we have stamped them."""
        for notebook in submission.notebooks:
            if notebook.name not in self.masters:
                continue
            graded = self.course.autograded(self.name, student) / f"{notebook.name}.ipynb"
            found = self._graded(graded)
            for grade in notebook.grades:
                if grade.name not in {cell.grade_id for cell in self.masters[notebook.name].checks.values()}:
                    continue
                cell = found.get(grade.name)
                stamp = cell and stamped(cell, self.seal, student=student, assignment=self.name, notebook=notebook.name)
                if not stamp and (cell or grade.auto_score):
                    why = "was not graded by us" if cell else f"has {grade.auto_score:g} points and no graded notebook"
                    yield Unstamped(student, grade.name, why)
                elif stamp and (stamp.score, stamp.points) != (grade.auto_score, float(grade.max_score)):
                    now, then = (
                        _of(*pair) for pair in ((grade.auto_score, grade.max_score), (stamp.score, stamp.points))
                    )
                    yield Unstamped(student, grade.name, f"has {now} in the gradebook and was graded {then}")

    def _graded(self, path: Path) -> dict[str, Mapping[str, Any]]:
        """Return the cells of an autograded notebook by their ids; of two with one id none, since either may count."""
        try:
            listed = json.loads(path.read_text(encoding="utf-8"))["cells"]
        except FileNotFoundError:
            return {}
        except (OSError, LookupError, TypeError, ValueError) as error:
            raise UsageError(f"{path} cannot be read ({error}); autograde {self.name} again") from error
        found: dict[str, Mapping[str, Any]] = {}
        for cell in listed:
            grade_id = cell["metadata"].get("nbgrader", {}).get("grade_id")
            if grade_id:
                found[grade_id] = {} if grade_id in found else cell
        return found


def _total(submission: Any, student: str, about: tuple[str, str, str]) -> _Total:
    grades = [grade for notebook in submission.notebooks for grade in notebook.grades if grade.needs_manual_grade]
    return _Total(
        student,
        about,
        handed_in=True,
        time=str(submission.timestamp or ""),
        raw=float(submission.score),
        penalty=float(submission.late_submission_penalty or 0),
        waiting=tuple(grade.name for grade in grades),
        owed=sum(float(grade.max_score) for grade in grades) or float(submission.max_score),
    )


def _of(score: float | None, points: float) -> str:
    return f"{'no score' if score is None else f'{score:g}'} of {points:g}"
