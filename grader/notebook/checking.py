"""Visible checks on the functions of a live notebook, judged where they are.

Of a problem's folder only what students receive is read, wherever this runs: student code shares this process.
"""

from __future__ import annotations

import functools
import time
from dataclasses import dataclass, replace
from types import ModuleType
from typing import TYPE_CHECKING

from grader import diagnose, examples, judge, released
from grader import outcome as words
from grader import problem as problems
from grader.blame import Bench
from grader.closer import Desk
from grader.course import listed, nearest
from grader.errors import UsageError
from grader.isolation.profile import SourceFile
from grader.notebook.kernel import Kernel, unchanged
from grader.outcome import Outcome
from grader.practice import PUBLIC_SEED, SHRINK_SECONDS, Worth
from grader.sitting import RunSettings, profile
from grader.smallest import Failing, shrunk
from grader.student import Log
from grader.submission.answers import Answer
from grader.verdict import Status, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from grader.closer import Closer
    from grader.course import Course, ProblemFiles
    from grader.examples import Example
    from grader.isolation.profile import Profile
    from grader.notebook.kernel import Cells
    from grader.problem import Check, Problem

NOTEBOOK = "notebook"  # what a cell's file is called: "notebook, cell 3"


@dataclass(frozen=True, slots=True)
class Checked:
    """One problem's visible checks, judged in a live notebook; a closer look at each that is not passed."""

    title: str
    verdict: Verdict
    closer: Mapping[str, Closer]
    worth: Worth


@dataclass(frozen=True, slots=True)
class Live:
    """A running notebook: what its kernel knows, and the text of each cell that has run, in order."""

    cells: Cells
    texts: tuple[str, ...] = ()


def checked(course: Course, slug: str, live: Live, name: str = "") -> Checked:
    """Judge the visible checks of a problem, or one of them, on a notebook's own functions.

    Args:
        course: where the problem lies; a release is enough.
        slug: the problem.
        live: the notebook.
        name: of the only check to judge; all, if empty.

    Raises:
        CourseError: there is no such problem.
        UsageError: no visible check has that name.
        AuthoringError: the problem's files cannot be read.
    """
    files = _public(course.problem(slug))
    problem = problems.load(files)
    wanted = _wanted(problem, name)
    dtype = problem.settings.dtype or "float64"
    answer = Answer(SourceFile(NOTEBOOK, live.texts, notebook=True))
    with unchanged():
        run = RunSettings(PUBLIC_SEED, judge.settled(problem, PUBLIC_SEED), dtype, visible_only=True)
        conditions = profile(problem, answer, run)
        sitting = _Sitting(problem, run, Kernel(problem, live.cells, conditions))
        outcomes = {check.name: sitting.judged(check) for check in wanted}
        failed = [name for name, outcome in outcomes.items() if outcome.status is Status.FAILED]
        simplest = dict(sitting.simplest(failed))
    hints = diagnose.hints(problem, files, sitting.logs, failed)
    verdict = Verdict.of(
        slug,
        tuple(
            words.result(check, outcomes[check.name], sitting.logs[check.name], hints.get(check.name, ""))
            for check in wanted
        ),
        manual_points=problem.manual_points,
        tier=0,
        device="cpu",
        dtype=dtype,
        notes=tuple(_notes(conditions, live.cells.names)),
    )
    desk = Desk(problem, answer, {})
    closer = {
        check.name: _looked(
            desk, check.finding, outcomes[check.name], sitting.logs[check.name], simplest.get(check.name)
        )
        for check in verdict.checks
        if check.status is not Status.PASSED
    }
    return Checked(problem.title, verdict, closer, _worth(problem, files))


def _public(files: ProblemFiles) -> ProblemFiles:
    """Return what students receive of a problem; the rest has no business in a process of student code."""
    return replace(files, hidden="", variants="", marking="", reference="")


def _wanted(problem: Problem, name: str) -> tuple[Check, ...]:
    found = tuple(check for check in problem.checks if name in {"", check.name})
    if not found:
        known = [check.name for check in problem.checks]
        raise UsageError(
            f"{problem.slug} has no visible check {name!r}{nearest(name, known)}; its visible checks: {listed(known)}"
        )
    return found


def _worth(problem: Problem, files: ProblemFiles) -> Worth:
    told = released.read(files.released, f"problems/{problem.slug}/{released.NAME}")
    return Worth(problem.points, told.hidden_points if told else None, problem.manual_points)


def _notes(conditions: Profile, names: Mapping[str, object]) -> Iterator[str]:
    loaded = {value.__name__ for value in names.values() if isinstance(value, ModuleType)}
    for library in conditions.hidden_packages:
        if library in loaded - {"grader"}:
            yield f"This problem is solved without {library}; after hand-in it cannot be imported."


def _looked(desk: Desk, finding: str, outcome: Outcome, log: Log, simplest: Failing | None) -> Closer:
    if simplest is None:
        return desk.look(finding, outcome, log)
    return desk.look(finding, replace(simplest.outcome, output=simplest.output), simplest.log, simplest=True)


class _Sitting:
    """A notebook's functions, judged check by check."""

    def __init__(self, problem: Problem, run: RunSettings, kernel: Kernel) -> None:
        self._problem = problem
        self._run = run
        self._bench = Bench(reference=None, dtype=run.dtype, takes_tensors=problem.takes_tensors)
        self._kernel = kernel
        self.logs: dict[str, Log] = {}

    def judged(self, check: Check) -> Outcome:
        """Run a check on every example; what is told is the first that does not hold, and a fault ends it."""
        log = self.logs[check.name] = Log()
        self._kernel.begin(self._problem.settings.seconds)
        first = Outcome(Status.PASSED)
        for place, stored in enumerate(self._run.examples[check.name]):
            outcome = self._bench.run(check, examples.decode(stored), self._kernel, log)
            if first.status is Status.PASSED:
                first, log.telling = outcome, place
            if outcome.status not in {Status.PASSED, Status.FAILED}:
                break
        return replace(first, output=self._kernel.output())

    def simplest(self, failed: list[str]) -> Iterator[tuple[str, Failing]]:
        """Yield the simplest example found on which each failed check with drawn arguments still fails."""
        ends = time.monotonic() + SHRINK_SECONDS
        for check in (self._problem.check(name) for name in failed):
            left = ends - time.monotonic()
            if check.given is None or left <= 0:
                continue
            found = shrunk(check, self._run, functools.partial(self._tried, check), left)
            if found is not None:
                yield check.name, found

    def _tried(self, check: Check, example: Example) -> Failing | None:
        log = Log()
        self._kernel.begin(self._problem.settings.seconds)
        outcome = self._bench.run(check, example, self._kernel, log)
        return Failing(example, outcome, log, self._kernel.output()) if outcome.status is Status.FAILED else None
