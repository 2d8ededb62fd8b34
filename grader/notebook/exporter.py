"""Reads the notebooks for nbgrader's autograde: before the first of them, everything that is to be graded is judged.

nbgrader makes one of these for each autograde, whoever starts it: a command or the formgrader, for a class or for one
student. So this is where the whole of it is seen, and where no single notebook can stop it.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import nbformat
from nbconvert.exporters import NotebookExporter
from nbgrader.converters.base import NbGraderException
from nbgrader.utils import rmtree

from grader import grading
from grader.errors import GraderError, SubmissionError
from grader.notebook import handed
from grader.notebook.adapter import SandboxJudge
from grader.notebook.desk import Desk
from grader.notebook.sanitize import CLEAN, sanitized
from grader.report.text import points
from grader.submission import names
from grader.submission.notebook import code_cells

if TYPE_CHECKING:
    from grader.classroom import Work
    from grader.grading import Prepared
    from grader.verdict import Verdict

EVERY = 50  # verdicts between two lines in the log
UNCOUNTED = (
    "%s: the gradebook has no cell for %s, whose points do not count; nbgrader takes a new cell only when it has "
    "forgotten the hand-ins and the marks by hand: nbgrader db assignment remove %s --force, then generate_assignment"
)


class JudgedExporter(NotebookExporter):  # type: ignore[misc]  # nbconvert has no types
    """nbgrader's ``c.Autograde.exporter_class``: judges, then reads each notebook, whatever it is."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.desk: Desk | None = None
        if hasattr(self.parent, "assignments"):  # nbgrader's converter, about to grade
            try:
                self._judge(self.parent)
            except GraderError as error:
                self.log.error("%s", error)  # noqa: TRY400 - a sentence for a person
                raise NbGraderException(str(error)) from error

    def from_filename(self, filename: str, resources: Any = None, **kw: Any) -> tuple[Any, Any]:
        """Read a notebook: as nbgrader does, but for those of our problems as students handed them in."""
        path, desk = Path(filename), self.desk
        read: tuple[Any, Any]
        if desk is None or str(path.parent) not in desk.handed or path.stem not in desk.slugs:
            read = super().from_filename(filename, resources=resources, **kw)
        else:
            notebook = self._made_fit(desk, path.parent, path.stem)
            resources |= {"metadata": {"name": path.stem, "path": str(path.parent)}, CLEAN: True}
            read = self.from_notebook_node(notebook, resources=resources, **kw)
        return read

    def _judge(self, converter: Any) -> None:
        desk = Desk(converter.coursedir)
        self.desk = desk
        if not desk.slugs or not desk.folders:
            return
        _complete(converter.assignments, desk)
        with grading.prepared(desk.request(SandboxJudge(parent=self).terms)) as prepared:
            self._say_begun(prepared)
            desk.take(grading.grade(prepared, progress=self._say))
        for move in desk.judged.run.moved:
            before, after = points(move.before), points(move.after)
            self.log.info("%s, %s: %s points before, now %s", move.student, move.problem, before, after)
        for slug in desk.slugs:
            if left := desk.judged.uncounted(desk.masters[slug]):
                self.log.warning(UNCOUNTED, slug, names.some(left), desk.assignment)
        for mark in desk.judged.untaken:
            self.log.warning("%s, %s: the mark for the whole problem is not taken over", mark.student, mark.slug)
        for folder in desk.folders:
            if converter.force or not desk.current(folder.student):
                self._make_room(desk, folder.student)

    def _make_room(self, desk: Desk, student: str) -> None:
        """Have nbgrader grade a student, and keep nothing of an earlier grading should it fail."""
        desk.forget(student)
        graded = desk.graded(student)
        if desk.where.notebook_id == "*":
            if graded.exists():
                rmtree(str(graded))
            return
        for slug in desk.slugs:
            (graded / f"{slug}{handed.SUFFIX}").unlink(missing_ok=True)

    def _made_fit(self, desk: Desk, folder: Path, slug: str) -> Any:
        path = desk.handed[str(folder)].notebooks.get(slug)
        nothing: tuple[Any, str] = {}, f"No notebook {slug}{handed.SUFFIX} was handed in."
        content, trouble = _content(path, slug) if path is not None else nothing
        made, remarks = sanitized(content, desk.masters[slug], trouble=trouble, absent=path is None)
        for remark in [trouble] if trouble else remarks:
            self.log.warning("%s, %s: %s", folder.parent.name, slug, remark)
        return made

    def _say_begun(self, prepared: Prepared) -> None:
        due, tier = len(prepared.due), prepared.survey.tier
        self.log.info("Judging %d of %d verdicts, at tier %d", due, due + prepared.settled, tier)
        for notice in prepared.notices:
            self.log.info("%s", notice)

    def _say(self, done: int, work: Work, verdict: Verdict) -> None:
        if done % EVERY == 0:
            self.log.info("%d judged (last: %s, %s: %s)", done, work.student, work.slug, verdict.status.value)


def _complete(assignments: dict[str, list[str]], desk: Desk) -> None:
    """Have nbgrader grade every notebook of everybody, also one that is not there or has another name."""
    known = {Path(name): listed for name, listed in assignments.items()}
    for folder in desk.folders:
        listed = known.get(folder.path)
        if listed is None:
            listed = assignments[str(folder.path)] = []
        there = set(map(Path, listed))
        paths = (folder.path / f"{slug}{handed.SUFFIX}" for slug in desk.slugs)
        listed.extend(str(path) for path in paths if path not in there)


def _content(path: Path, slug: str) -> tuple[Any, str]:
    """Return a notebook as parsed JSON of format 4, and why it could not be had; empty for nothing."""
    name = f"{slug}{handed.SUFFIX}"
    if not handed.regular(path):
        return {}, f"{name} is no ordinary file, or too large; it is not shown."
    try:
        data = path.read_bytes()
        code_cells(data, name)
    except OSError as error:
        return {}, f"{name} cannot be read ({error.strerror})."
    except SubmissionError as error:
        trouble = f"{error}."
    else:
        trouble = ""
    try:
        content = json.loads(data)
        old = isinstance(content, dict) and content.get("nbformat") == 3  # noqa: PLR2004 - of IPython
        return nbformat.reads(data.decode(), as_version=4) if old else content, "" if _has_cells(content) else trouble
    except Exception:  # noqa: BLE001 - a notebook can be wrong in any way; what is judged is read elsewhere
        return {}, trouble or f"{name} is no notebook that can be shown."


def _has_cells(content: Any) -> bool:
    return isinstance(content, dict) and isinstance(content.get("cells", content.get("worksheets")), list)
