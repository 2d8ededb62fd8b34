"""Many submissions: each judged on every problem, one after another or over a pool of judges.

A judge never stops the others: what goes wrong in it is a BROKEN verdict of that one submission.
"""

from __future__ import annotations

import contextlib
import functools
import os
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, replace
from multiprocessing import get_context
from typing import TYPE_CHECKING, Any

from grader import isolation
from grader import problem as problems
from grader import submission as submissions
from grader.errors import GraderError
from grader.judge import RunSettings, judge, settled
from grader.outcome import Outcome, result
from grader.verdict import Status, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from grader.course import ProblemFiles


@dataclass(frozen=True, slots=True)
class Task:
    """One student's files and the problems to judge them on."""

    student: str
    path: Path


@dataclass(frozen=True, slots=True)
class Graded:
    """One student's verdicts; ``score`` is None where a verdict has none."""

    student: str
    path: str
    digest: str
    verdicts: tuple[Verdict, ...]

    @property
    def score(self) -> float | None:
        """The sum over problems."""
        scores = [verdict.score for verdict in self.verdicts]
        return None if any(score is None for score in scores) else sum(score or 0.0 for score in scores)

    @property
    def points(self) -> float:
        """What the problems are worth, without hand-marked parts."""
        return sum(verdict.points for verdict in self.verdicts)


@dataclass(frozen=True, slots=True)
class Plan:
    """What a run judges, and under which conditions; settled before the first submission is read."""

    problems: tuple[ProblemFiles, ...]
    settings: tuple[RunSettings, ...]  # one a problem

    @staticmethod
    def settle(files: Sequence[ProblemFiles], base: RunSettings) -> Plan:
        """Draw the examples of every problem, once for the run.

        Raises:
            AuthoringError: a problem cannot be read or its examples cannot be drawn.
        """
        drawn = [settled(problems.load(one), base.seed) for one in files]
        return Plan(tuple(files), tuple(replace(base, examples=stored) for stored in drawn))


def grade(
    plan: Plan,
    tasks: Sequence[Task],
    *,
    jobs: int = 1,
    progress: Callable[[int, Graded], None] = lambda _done, _graded: None,
) -> tuple[Graded, ...]:
    """Judge every task; the results are in the order of the tasks.

    Args:
        plan: problems and conditions.
        tasks: whose files.
        jobs: how many judges work side by side.
        progress: called with how many are done and the latest.
    """
    if jobs <= 1 or len(tasks) <= 1:
        return _one_by_one(plan, tasks, progress)
    return _side_by_side(plan, tasks, min(jobs, len(tasks)), progress)


def _one_by_one(plan: Plan, tasks: Sequence[Task], progress: Callable[[int, Graded], None]) -> tuple[Graded, ...]:
    done: list[Graded] = []
    with one_core():
        for task in tasks:
            done.append(grade_one(plan, task))
            progress(len(done), done[-1])
    return tuple(done)


def _side_by_side(
    plan: Plan, tasks: Sequence[Task], jobs: int, progress: Callable[[int, Graded], None]
) -> tuple[Graded, ...]:
    results: dict[int, Graded] = {}
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn"), initializer=_settle_in) as pool:
        places: dict[Future[Graded], int] = {pool.submit(grade_one, plan, t): n for n, t in enumerate(tasks)}
        waiting = set(places)
        try:
            while waiting:
                finished, waiting = wait(waiting, return_when=FIRST_COMPLETED)
                for future in finished:
                    place = places[future]
                    results[place] = _collected(future, plan, tasks[place])
                    progress(len(results), results[place])
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return tuple(results[place] for place in range(len(tasks)))


def _collected(future: Future[Graded], plan: Plan, task: Task) -> Graded:
    try:
        return future.result()
    except BrokenProcessPool as error:
        broken = tuple(
            _broken(f, r, f"a judge process died: {error}") for f, r in zip(plan.problems, plan.settings, strict=True)
        )
        return Graded(task.student, str(task.path), "", broken)


def grade_one(plan: Plan, task: Task) -> Graded:
    """Judge one student's files on every problem of a plan."""
    slugs = tuple(files.slug for files in plan.problems)
    submission = submissions.load(task.path, student=task.student, slugs=slugs)
    verdicts = []
    for files, settings in zip(plan.problems, plan.settings, strict=True):
        try:
            verdicts.append(judge(files, submission, settings, launcher(settings.layers)))
        except GraderError as error:
            verdicts.append(_broken(files, settings, str(error)))
        except Exception as error:  # noqa: BLE001 - one submission costs nobody else anything
            verdicts.append(_broken(files, settings, f"{type(error).__name__}: {error}"))
    return Graded(task.student, str(task.path), submission.digest, tuple(verdicts))


def _broken(files: ProblemFiles, settings: RunSettings, trouble: str) -> Verdict:
    problem = problems.load(files)
    outcome = Outcome(Status.BROKEN, trouble=trouble)
    return Verdict.of(
        files.slug,
        tuple(result(check, outcome, None, "") for check in problem.checks),
        manual_points=problem.manual_points,
        tier=settings.tier,
        device=settings.device,
        dtype=settings.dtype,
    )


@functools.lru_cache(maxsize=4)
def launcher(layers: isolation.Layers) -> Any:
    """Return this process's launcher; its zygotes live as long as the process."""
    return isolation.launcher(layers)


@contextlib.contextmanager
def one_core() -> Iterator[None]:
    """Keep this process and its children on one core: a call between two cores takes several times as long."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def _settle_in() -> None:
    """Give each judge of a pool a core of its own, by the order in which they start."""
    if not hasattr(os, "sched_setaffinity"):
        return
    cores = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {cores[os.getpid() % len(cores)]})
