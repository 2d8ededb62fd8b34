"""Many submissions: each judged on every problem, one after another or over a pool of judges.

A judge never stops the others: what goes wrong in it is a BROKEN verdict of that one submission.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import os
import signal
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, replace
from multiprocessing import active_children, get_context
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


DEATHS = 2  # how often a judge may die over one student's files


@dataclass(frozen=True, slots=True)
class Task:
    """One student's files and the problems to judge them on."""

    student: str
    path: Path | tuple[Path, ...]  # several where one student's files lie loose among others'

    @property
    def place(self) -> str:
        """Where they lie, a path a line."""
        return "\n".join(map(str, self.path)) if isinstance(self.path, tuple) else str(self.path)


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
    deaths = dict.fromkeys(range(len(tasks)), 0)

    def keep(place: int, graded: Graded) -> None:
        results[place] = graded
        progress(len(results), graded)

    while len(results) < len(tasks):
        left = [place for place in deaths if place not in results]
        # After a judge has died, whoever was in its hands is judged alone, so that it takes nobody along again.
        suspects = [place for place in left if deaths[place]]
        for place in _over_a_pool(plan, tasks, suspects[:1] or left, 1 if suspects else jobs, keep):
            deaths[place] += 1
            if deaths[place] == DEATHS:
                keep(place, _undone(plan, tasks[place], "the process that judges died, twice"))
    return tuple(results[place] for place in range(len(tasks)))


def _over_a_pool(
    plan: Plan, tasks: Sequence[Task], places: Sequence[int], jobs: int, keep: Callable[[int, Graded], None]
) -> list[int]:
    """Judge the tasks at these places; return those that were begun and not done when the pool broke."""
    begun: list[int] = []
    with pool_of(jobs) as pool:
        futures: dict[Future[Graded], int] = {}
        waiting = list(reversed(places))
        try:
            while waiting or futures:
                while waiting and len(futures) < jobs:  # no task lies in a queue, so that a death names its cause
                    futures[pool.submit(grade_one, plan, tasks[waiting[-1]])] = waiting[-1]
                    waiting.pop()
                finished, _ = wait(futures, return_when=FIRST_COMPLETED)
                for future in finished:
                    keep(futures[future], future.result())
                    del futures[future]
        except BrokenProcessPool:
            begun = list(futures.values())
        except BaseException:
            abandon(pool)
            raise
    return begun


def abandon(pool: ProcessPoolExecutor) -> None:
    """End a pool at once, whatever its judges are at: it will be judged again."""
    for process in active_children():
        process.terminate()
    pool.shutdown(wait=False, cancel_futures=True)


def _undone(plan: Plan, task: Task, trouble: str) -> Graded:
    broken = tuple(_broken(f, r, trouble) for f, r in zip(plan.problems, plan.settings, strict=True))
    return Graded(task.student, task.place, "", broken)


def grade_one(plan: Plan, task: Task) -> Graded:
    """Judge one student's files on every problem of a plan."""
    slugs = tuple(files.slug for files in plan.problems)
    submission = _loaded(task, slugs)
    verdicts = []
    for files, settings in zip(plan.problems, plan.settings, strict=True):
        try:
            verdicts.append(judge(files, submission, settings, launcher(settings.layers)))
        except GraderError as error:
            verdicts.append(_broken(files, settings, str(error)))
        except Exception as error:  # noqa: BLE001 - one submission costs nobody else anything
            verdicts.append(_broken(files, settings, f"{type(error).__name__}: {error}"))
    return Graded(task.student, task.place, submission.digest, tuple(verdicts))


def _loaded(task: Task, slugs: tuple[str, ...]) -> submissions.Submission:
    try:
        return submissions.load(task.path, student=task.student, slugs=slugs)
    except (GraderError, OSError) as error:  # it was there when the run began
        return submissions.Submission(task.student, (), "", refused=str(error))


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
    started = isolation.launcher(layers)
    atexit.register(started.close)
    return started


@contextlib.contextmanager
def one_core() -> Iterator[None]:
    """Keep this process and its children on one core: a call between two cores takes several times as long."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {sorted(before)[os.getpid() % len(before)]})  # several commands at once spread out
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def settle_in(seats: Any) -> None:
    """Give each judge of a pool a core of its own, by the order in which they start.

    Args:
        seats: a shared counter of the pool.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to answer
    if not hasattr(os, "sched_setaffinity"):
        return
    with seats.get_lock():
        seat, seats.value = seats.value, seats.value + 1
    cores = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {cores[seat % len(cores)]})


def pool_of(jobs: int) -> ProcessPoolExecutor:
    """Return a pool of judges, each on a core of its own."""
    context = get_context("spawn")
    return ProcessPoolExecutor(jobs, mp_context=context, initializer=settle_in, initargs=(context.Value("i", 0),))
