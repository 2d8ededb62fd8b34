"""The marks of nbgrader's gradebook as a table, if every score of a check in it is one that we have given.

A grade cell without our stamp was not graded by us: nbgrader ran it in a process that belongs to the student, where
anybody can give themselves points, or somebody has written into the gradebook. Such marks are exported by nobody.
Scores that a person gave in formgrader count as they stand.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from grader import store
from grader.errors import UsageError
from grader.export import cells as sheet
from grader.notebook import folders, master
from grader.notebook.judging import RUNS
from grader.notebook.stamp import Seal, stamped
from grader.submission.names import some

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from grader.notebook.folders import Folders
    from grader.notebook.master import Master

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
    """The table, or what stands in its way; ``pending`` are students who have no total yet, with the cells."""

    content: bytes
    unstamped: tuple[Unstamped, ...]
    pending: tuple[tuple[str, tuple[str, ...]], ...]
    absent: tuple[str, ...]

    @property
    def notes(self) -> Iterator[str]:
        """Yield a sentence for everything that is not as one may think."""
        for student, cells in self.pending:
            yield f"No score of {student}: to be marked by hand, {some(cells)}."
        if self.absent:
            yield f"No score, nothing was handed in: {', '.join(self.absent)}."


def export(name: str, folder: Path) -> Exported:
    """Return the marks of an assignment, a line a student of the gradebook.

    A student has no score, not 0, where nothing was handed in and where a cell still needs a person. With a score
    that is not ours there is no table.

    Raises:
        UsageError: there is no such course, gradebook, assignment or run.
    """
    course = folders.read(folder)
    known = master.read(course.database, name)
    seal = Seal.of(store.read(course.root / RUNS / name))
    return _Book(course, name, {slug: one for slug, one in known.items() if one.ours}, seal).exported()


@dataclass(frozen=True)
class _Book:
    course: Folders
    name: str
    masters: Mapping[str, Master]
    seal: Seal

    def exported(self) -> Exported:
        from nbgrader.api import Gradebook, MissingEntry

        rows: list[list[str | float | None]] = [list(TITLES)]
        unstamped: list[Unstamped] = []
        pending, absent = [], []
        with Gradebook(self.course.database) as book:
            assignment = book.find_assignment(self.name)
            for student in book.students:
                try:
                    submission = book.find_submission(self.name, student.id)
                except MissingEntry:
                    submission = None
                    absent.append(student.id)
                else:
                    unstamped += self._unstamped(submission, student.id)
                    if waiting := _waiting(submission):
                        pending.append((student.id, waiting))
                rows.append(_row(assignment, student, submission))
        content = b"" if unstamped else sheet.table(rows)
        return Exported(content, tuple(unstamped), tuple(pending), tuple(absent))

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


def _waiting(submission: Any) -> tuple[str, ...]:
    """Return the cells that a person has to mark."""
    return tuple(
        grade.name for notebook in submission.notebooks for grade in notebook.grades if grade.needs_manual_grade
    )


def _row(assignment: Any, student: Any, submission: Any) -> list[str | float | None]:
    about = [str(student.last_name or ""), str(student.first_name or ""), str(student.email or "")]
    head = [assignment.name, str(assignment.duedate or ""), str((submission and submission.timestamp) or "")]
    marks: list[float | None] = [None, None, None]
    if submission and not _waiting(submission):
        raw, penalty = float(submission.score), float(submission.late_submission_penalty or 0)
        marks = [raw, penalty, max(0.0, raw - penalty)]
    return [*head, student.id, *about, *marks, float(assignment.max_score)]


def _of(score: float | None, points: float) -> str:
    return f"{'no score' if score is None else f'{score:g}'} of {points:g}"
