"""The two steps of nbgrader's autograde that are ours: what judges, in place of Execute, and what saves the marks.

No cell of a problem's notebook is run in a kernel. What the student submitted was judged before, in our isolation, by
whoever reads the notebooks (`exporter`); here each grade cell gets its report, its points and its stamp. A notebook
that is none of ours is executed by nbgrader as ever.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import nbformat
from nbgrader import utils
from nbgrader.preprocessors import Execute, NbGraderPreprocessor, SaveAutoGrades
from traitlets import Integer, Unicode

from grader.errors import UsageError
from grader.notebook import outputs
from grader.notebook.config import EXPORTER
from grader.notebook.judging import Terms
from grader.notebook.stamp import OURS, stamped

FOREIGN = "This cell is none of the problem's checks. The notebook is judged without running it, so a person scores it."
GONE = "The problem has no such check any more, so a person scores this cell."


class SandboxJudge(NbGraderPreprocessor):  # type: ignore[misc]  # nbgrader has no types
    """Writes the verdicts of the isolated judge into the grade cells, in place of nbgrader's Execute."""

    course = Unicode("", help="The folder with problems/ in it.").tag(config=True)
    device = Unicode("cpu", help="Where torch problems are judged: cpu, cuda, cuda:N or auto.").tag(config=True)
    dtype = Unicode("float64", help="What float arguments are rounded to: float64 or float32.").tag(config=True)
    min_tier = Integer(None, allow_none=True, help="The isolation to demand, 1 to 3.").tag(config=True)
    jobs = Integer(None, allow_none=True, help="Judges side by side; by default one a core.").tag(config=True)

    @property
    def terms(self) -> Terms:
        """How to judge.

        Raises:
            UsageError: nobody says where the problems are.
        """
        if not self.course:
            raise UsageError(
                "c.SandboxJudge.course is not set in nbgrader_config.py: the folder with problems/ in it; "
                "`grade nbgrader source` writes that line"
            )
        return Terms(Path(self.course), self.device, self.dtype, self.min_tier, self.jobs)

    def preprocess(self, nb: Any, resources: Any) -> tuple[Any, Any]:
        """Write a report, the points and the stamp into every grade cell."""
        desk = desk_of(self)
        notebook, student = resources["nbgrader"]["notebook"], resources["nbgrader"]["student"]
        if not desk.masters[notebook].ours:
            executed: tuple[Any, Any] = Execute(parent=self.parent).preprocess(nb, resources)
            return executed
        checks = {cell.grade_id: name for name, cell in desk.masters[notebook].checks.items()}
        stamps = desk.judged.stamps(student, desk.masters[notebook])
        found = desk.judged.verdict(student, notebook)
        notes = found[0].notes if found else ()
        for cell in nb.cells:
            grade_id = cell.metadata.get("nbgrader", {}).get("grade_id")
            if grade_id in stamps:
                cell.metadata[OURS] = nbformat.from_dict(desk.judged.seal.pressed(stamps[grade_id]))
                check = desk.judged.check(student, notebook, checks[grade_id])
                told = _unscored(GONE) if check is None else outputs.outputs(check, stamps[grade_id].points, notes)
                cell.outputs, notes = nbformat.from_dict(told), ()
            elif cell.cell_type == "code":
                foreign = utils.is_grade(cell) and not utils.is_solution(cell)
                cell.outputs = nbformat.from_dict(_unscored(FOREIGN) if foreign else [])
        return nb, resources


class SaveGrades(SaveAutoGrades):  # type: ignore[misc]  # nbgrader has no types
    """nbgrader's own saving of marks, but for cells that have none: they need a person, and get neither 0 nor all."""

    def preprocess_cell(self, cell: Any, resources: Any, cell_index: int) -> tuple[Any, Any]:
        """Save what there is to save of a cell."""
        cell, resources = super().preprocess_cell(cell, resources, cell_index)
        if utils.is_task(cell) and cell.metadata.nbgrader.get("points") == 0:  # a mark scheme is nothing to mark
            self._settle(cell, 0.0)
        return cell, resources

    def _add_score(self, cell: Any, resources: Any) -> None:
        desk = desk_of(self)
        if not desk.masters[self.notebook_id].ours or cell.cell_type != "code" or utils.is_solution(cell):
            super()._add_score(cell, resources)
            return
        about = {"student": self.student_id, "assignment": self.assignment_id, "notebook": self.notebook_id}
        stamp = stamped(cell, desk.judged.seal, **about)
        if stamp is not None and stamp.score is not None:
            super()._add_score(cell, resources)
            return
        self._settle(cell, None)
        named = cell.metadata.nbgrader["grade_id"]
        self.log.warning("%s, %s: %s has no score and needs a person", self.student_id, self.notebook_id, named)

    def _settle(self, cell: Any, score: float | None) -> None:
        grade_id = cell.metadata.nbgrader["grade_id"]
        grade = self.gradebook.find_grade(grade_id, self.notebook_id, self.assignment_id, self.student_id)
        grade.auto_score, grade.needs_manual_grade = score, score is None
        self.gradebook.db.commit()


def desk_of(step: Any) -> Any:
    """Return what the reader of the notebooks knows: the master copies and the verdicts.

    Raises:
        UsageError: nbgrader reads with another than ours.
    """
    desk = getattr(step.parent, "desk", None)
    if desk is None:
        raise UsageError(
            f"c.Autograde.exporter_class is not {EXPORTER!r} in nbgrader_config.py, so nothing was judged; "
            "`grade nbgrader source` writes that line"
        )
    return desk


def _unscored(why: str) -> list[dict[str, Any]]:
    return [outputs.display(why), outputs.unscored()]
