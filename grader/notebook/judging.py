"""An assignment of a nbgrader course, judged into its run file; nbgrader takes the verdicts from there.

::

    COURSE/grader-runs/NAME/run.sqlite    seed, examples and verdicts of the assignment NAME, as `grade run` keeps them

The file stays with the course: whoever is graded later, alone or again, meets the same tests as everybody. What
nbgrader shows is what was judged last, so a lower score than an earlier one stands here, and is told.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from grader import __version__, course
from grader.grading import Request
from grader.intake import Entry, Intake
from grader.notebook import cells, handed
from grader.notebook.outputs import share
from grader.notebook.stamp import Seal, Stamp, key_digest

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime
    from pathlib import Path

    from grader.notebook.handed import Handed
    from grader.notebook.master import Master
    from grader.results import Key, Mark, Result, Run
    from grader.verdict import CheckResult, Verdict

RUNS = "grader-runs"


@dataclass(frozen=True, slots=True)
class Terms:
    """How an assignment is judged: the settings of ``c.SandboxJudge`` in ``nbgrader_config.py``."""

    course: Path
    device: str = "cpu"
    dtype: str = "float64"
    min_tier: int | None = None
    jobs: int | None = None


@dataclass(frozen=True, slots=True)
class Folder:
    """One student's folder of an assignment, as nbgrader collected it."""

    student: str
    path: Path
    handed_in: datetime | None = None  # in UTC

    def handed(self, slugs: Sequence[str]) -> Handed:
        """Look for the notebooks in it."""
        return handed.look(self.path, slugs)


@dataclass(frozen=True)
class Judged:
    """An assignment's run after judging."""

    assignment: str
    run: Run

    @cached_property
    def seal(self) -> Seal:
        """What presses the stamps of this run, and knows them."""
        return Seal.of(self.run)

    @cached_property
    def _results(self) -> dict[tuple[str, str], Result]:
        each = ((graded.student, result) for graded in self.run.students for result in graded.results)
        return {(student, result.judged.problem): result for student, result in each}

    @property
    def untaken(self) -> tuple[Mark, ...]:
        """Overrides of whole problems, which belong to no cell."""
        return tuple(mark for mark in self.run.marks if not mark.check and not mark.by_hand)

    def verdict(self, student: str, slug: str) -> tuple[Verdict, Key] | None:
        """Return the verdict on what is handed in now, with overrides; None where there is none.

        A verdict in force that is stale was made of something else; the one that could not take its place is BROKEN,
        and says so.
        """
        result = self._results.get((student, slug))
        if result is None or result.key is None:
            return None
        if not result.stale:
            return result.verdict, result.key
        return (result.waiting, result.key) if result.waiting is not None else None

    def check(self, student: str, slug: str, name: str) -> CheckResult | None:
        """Return the result of one check, called as in its cell, or None where there is none."""
        found = self.verdict(student, slug)
        checks = found[0].checks if found else ()
        return next((one for one in checks if cells.called(slug, one.name, visible=one.visible) == name), None)

    def uncounted(self, copy: Master) -> tuple[str, ...]:
        """Return the checks with points that have no cell in the gradebook, so that nbgrader cannot count them."""
        slug = copy.notebook
        results = (result for (_, problem), result in self._results.items() if problem == slug and not result.stale)
        checks = {check.name: check for result in results for check in result.verdict.checks if check.points}
        return tuple(
            name for name, check in checks.items() if cells.called(slug, name, visible=check.visible) not in copy.checks
        )

    def stamps(self, student: str, copy: Master) -> dict[str, Stamp]:
        """Return what belongs on the grade cells of a student's notebook, by the cell's name."""
        found = self.verdict(student, copy.notebook)
        key = key_digest(found[1]) if found else ""
        stamps = {}
        for name, cell in copy.checks.items():
            check = self.check(student, copy.notebook, name)
            worth = cell.points or 0.0
            stamps[cell.grade_id] = Stamp(
                student=student,
                assignment=self.assignment,
                notebook=copy.notebook,
                cell=cell.grade_id,
                status=check.status.value if check else "",
                score=share(check, worth) if check else None,
                points=worth,
                key=key,
                grader=__version__,
            )
        return stamps


def request(
    terms: Terms, root: Path, assignment: str, slugs: Sequence[str], folders: Sequence[Folder], *, everybody: bool
) -> Request:
    """Return what is to be graded; verdicts that stand are not made again.

    Args:
        terms: how.
        root: the nbgrader course.
        assignment: its name there.
        slugs: the problems to judge: the notebooks of the assignment that are ours.
        folders: who handed in.
        everybody: these are all who handed in.

    Raises:
        CourseError: there is no course where the terms say.
    """
    return Request(
        course=course.find(root / terms.course.expanduser()),
        paths=tuple(folder.path for folder in folders),
        folder=root / RUNS / assignment,
        problems=tuple(slugs),
        students=() if everybody else tuple(folder.student for folder in folders),
        device=terms.device,
        dtype=terms.dtype,
        min_tier=terms.min_tier,
        allow_lower=True,
        jobs=terms.jobs,
        gathered=Intake(tuple(_entry(folder, slugs) for folder in folders), (), ()),
    )


def _entry(folder: Folder, slugs: Sequence[str]) -> Entry:
    found = folder.handed(slugs)
    return Entry(folder.student, found.places, handed_in=folder.handed_in, note="; ".join(found.notes))
