"""The master copy: what nbgrader's gradebook knows of an assignment's notebooks, as frozen plain data.

It was written by ``nbgrader generate_assignment`` from the source notebooks, so it has no solution and no hidden test;
what a cell is, and what it is worth, is read from here and never from a student's file.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grader.errors import UsageError
from grader.notebook import cells

if TYPE_CHECKING:
    from collections.abc import Iterable

    from grader.notebook.cells import CellName

_FILE = "sqlite:///"
CODE, MARKDOWN, RAW = "code", "markdown", "raw"


@dataclass(frozen=True, slots=True)
class MasterCell:
    """One cell that nbgrader knows; ``points`` is what it is worth, None where it is not graded."""

    grade_id: str
    cell_type: str
    source: str
    checksum: str | None
    locked: bool
    grade: bool
    solution: bool
    task: bool
    points: float | None

    @property
    def name(self) -> CellName | None:
        """What the cell is for, if its name is one of ours."""
        return cells.parse(self.grade_id)


@dataclass(frozen=True, slots=True)
class Master:
    """One notebook, with its cells in their order."""

    notebook: str
    cells: tuple[MasterCell, ...]

    @property
    def checks(self) -> dict[str, MasterCell]:
        """The grade cells of our checks, by the check's name."""
        named = ((cell.name, cell) for cell in self.cells if cell.grade and cell.cell_type == CODE)
        return {
            name.name: cell
            for name, cell in named
            if name is not None and name.kind is cells.Kind.CHECK and name.slug == self.notebook
        }

    @property
    def ours(self) -> bool:
        """Whether it is one of our problems, so that we grade it; any other notebook is nbgrader's own business."""
        return bool(self.checks)


def read(db_url: str, assignment: str) -> dict[str, Master]:
    """Return the notebooks of an assignment, by name.

    Raises:
        UsageError: there is no gradebook, or it knows no such assignment.
    """
    from nbgrader.api import Gradebook, MissingEntry

    kept = Path(db_url.removeprefix(_FILE))
    if db_url.startswith(_FILE) and not kept.is_file():  # nbgrader would make an empty one
        raise UsageError(f"there is no gradebook {kept}; run: nbgrader generate_assignment {assignment}")
    with Gradebook(db_url) as book:
        try:
            found = book.find_assignment(assignment)
        except MissingEntry:
            known = ", ".join(sorted(one.name for one in book.assignments)) or "none"
            raise UsageError(
                f"the gradebook has no assignment {assignment!r}; it has {known}; "
                f"run: nbgrader generate_assignment {assignment}"
            ) from None
        return {notebook.name: _master(notebook) for notebook in found.notebooks}


def forget(db_url: str, assignment: str, student: str, notebooks: Iterable[str], why: str) -> None:
    """Take back what nbgrader's autograde gave a student: no score of an earlier grading passes for this one's.

    The cells then need a person, and say why, until they are graded again. What a person gave stays.
    """
    from nbgrader.api import Gradebook, MissingEntry

    with Gradebook(db_url) as book:
        for name in notebooks:
            try:
                notebook = book.find_submission_notebook(name, assignment, student)
            except MissingEntry:
                continue
            notebook.late_submission_penalty = None
            for grade in notebook.grades:
                grade.auto_score, grade.needs_manual_grade = None, True
            for comment in notebook.comments:
                comment.auto_comment = why
        book.db.commit()


def _master(notebook: Any) -> Master:
    graded = {cell.name: float(cell.max_score) for cell in notebook.grade_cells}
    tasks = {cell.name: float(cell.max_score) for cell in notebook.task_cells}
    solutions = {cell.name for cell in notebook.solution_cells}
    return Master(
        notebook.name,
        tuple(
            MasterCell(
                grade_id=cell.name,
                cell_type=cell.cell_type,
                source=cell.source or "",
                checksum=cell.checksum,
                locked=bool(cell.locked),
                grade=cell.name in graded,
                solution=cell.name in solutions,
                task=cell.name in tasks,
                points=graded.get(cell.name, tasks.get(cell.name)),
            )
            for cell in notebook.source_cells
        ),
    )
