"""Many submissions: each judged on every problem, by judges that work side by side.

A judge never stops the others: what goes wrong in it is a BROKEN verdict of that one work.
"""

from __future__ import annotations

import atexit
import functools
import operator
import os
from collections import Counter
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass, replace
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, Protocol, Self

from grader import crew, isolation, seat
from grader import problem as problems
from grader.errors import GraderError
from grader.judge import RunSettings, judge, settled
from grader.outcome import Outcome, result
from grader.verdict import Status, Verdict

if TYPE_CHECKING:
    import contextlib
    from collections.abc import Callable, Iterable, Sequence

    from grader.course import ProblemFiles
    from grader.submission import Submission


DEATHS = 2  # how often a judge may die over one work
READY = 12  # works for each judge: one in hand, one beside it, and some to choose from, since it keeps to what it knows
_TICK = 1.0  # seconds; where waiting cannot be interrupted, Ctrl-C is heard this late


@dataclass(frozen=True, slots=True)
class Work:
    """One verdict to make: frozen bytes and no path, so that it can be made on any machine."""

    student: str
    slug: str
    submission: Submission


class Judges(Protocol):
    """Whoever makes verdicts, side by side; a context manager that ends them."""

    @property
    def size(self) -> int:
        """How many works can be in hand at once; may change while a cluster grows or shrinks."""

    def submit(self, work: Work) -> Future[Verdict]:
        """Have a verdict made.

        The future raises `crew.Died` where a judge has ended over the work, a `GraderError` where no judge can be
        had any more, and anything else where this one verdict could not be made.
        """

    def abandon(self) -> None:
        """End every judge now, whatever it is at; takes a few seconds at most. Safe to call twice."""

    def close(self) -> None:
        """End every judge once all that was submitted is judged. Safe to call twice."""

    def __enter__(self) -> Self: ...

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None: ...


@dataclass(frozen=True, slots=True)
class Plan:
    """What a run judges, and under which conditions; settled before the first submission is read."""

    problems: tuple[ProblemFiles, ...]
    settings: tuple[RunSettings, ...]  # one a problem
    preload: tuple[str, ...] = ()  # modules that are imported once for all children of a judge

    @staticmethod
    def settle(files: Sequence[ProblemFiles], base: RunSettings, *, preload: tuple[str, ...] = ()) -> Plan:
        """Draw the examples of every problem, once for the run.

        Raises:
            AuthoringError: a problem cannot be read or its examples cannot be drawn.
        """
        drawn = [settled(problems.load(one), base.seed) for one in files]
        return Plan(tuple(files), tuple(replace(base, examples=stored) for stored in drawn), preload)

    def of(self, slug: str) -> tuple[ProblemFiles, RunSettings]:
        """Return one problem and its conditions."""
        return next(pair for pair in zip(self.problems, self.settings, strict=True) if pair[0].slug == slug)


def local_judges(plan: Plan, jobs: int) -> crew.Crew[Work, Verdict]:
    """Return judges on this machine, each a process with a core of its own; they have the plan from the start."""
    return crew.Crew(functools.partial(judging, plan), jobs, kind=operator.attrgetter("slug"))


def judging(plan: Plan) -> Callable[[Work], Verdict]:
    """Return what a judge does with each work."""

    def verdict(work: Work) -> Verdict:
        files, settings = plan.of(work.slug)
        return judge_one(files, settings, work.submission, preload=plan.preload)

    return verdict


def judge_all(plan: Plan, works: Iterable[Work], judges: Judges, keep: Callable[[Work, Verdict], None]) -> None:
    """Judge every work; ``keep`` is called here, once for each, as the verdicts arrive.

    Works are asked for when a judge will soon be free, and verdicts are not held: memory does not grow with the class.
    A work over which a judge dies is judged again at the end, with nothing beside it; if judges die over it `DEATHS`
    times, its verdict is BROKEN. Whatever ends this function early abandons the judges: what was kept stays kept, and
    nothing that comes later is.

    Raises:
        GraderError: no judge can be had any more.
        KeyboardInterrupt: as it was raised in this thread by Ctrl-C or a handler of SIGTERM.
    """
    desk = _Desk(plan, judges, keep)
    try:
        for work in works:
            desk.hand_over(work)
            desk.take_in(READY * judges.size - 1)
        desk.take_in(0)
        while desk.suspects:
            desk.hand_over(desk.suspects.pop())
            desk.take_in(0)
    except BaseException:
        judges.abandon()
        raise


class _Desk:
    """Where works go out and verdicts come in."""

    def __init__(self, plan: Plan, judges: Judges, keep: Callable[[Work, Verdict], None]) -> None:
        self.suspects: list[Work] = []
        self._plan = plan
        self._judges = judges
        self._keep = keep
        self._deaths: Counter[tuple[str, str]] = Counter()
        self._out = 0
        self._back: SimpleQueue[tuple[Work, Future[Verdict]]] = SimpleQueue()

    def hand_over(self, work: Work) -> None:
        future = self._judges.submit(work)
        self._out += 1
        future.add_done_callback(lambda done: self._back.put((work, done)))

    def take_in(self, most: int) -> None:
        """Keep what has come back, and wait until at most so many works are out."""
        while self._out:
            try:
                work, future = self._back.get(block=self._out > most, timeout=_TICK)
            except Empty:
                if self._out > most:
                    continue
                return
            self._out -= 1
            verdict = self._verdict(work, future)
            if verdict is not None:
                self._keep(work, verdict)

    def _verdict(self, work: Work, future: Future[Verdict]) -> Verdict | None:
        """Return the verdict on a work, or None if it is to be judged again."""
        files, settings = self._plan.of(work.slug)
        try:
            return future.result()
        except crew.Died as death:
            self._deaths[work.student, work.slug] += 1
            if self._deaths[work.student, work.slug] >= DEATHS:
                return _broken(files, settings, f"{death}, {DEATHS} times over these files")
            self.suspects.append(work)
            return None
        except (GraderError, CancelledError):
            raise
        except Exception as error:  # noqa: BLE001 - one work costs nobody else anything
            return _broken(files, settings, str(error))


def judge_one(
    files: ProblemFiles, settings: RunSettings, submission: Submission, *, preload: tuple[str, ...] = ()
) -> Verdict:
    """Return the verdict on one answer to one problem; what goes wrong with us is a BROKEN verdict."""
    try:
        return judge(files, submission, settings, launcher(settings.layers, preload))
    except GraderError as error:
        return _broken(files, settings, str(error))
    except Exception as error:  # noqa: BLE001 - one work costs nobody else anything
        return _broken(files, settings, f"{type(error).__name__}: {error}")


def _broken(files: ProblemFiles, settings: RunSettings, trouble: str) -> Verdict:
    outcome = Outcome(Status.BROKEN, trouble=trouble)
    try:
        problem = problems.load(files)
    except GraderError:  # it cannot even be read here: there are no checks to name
        return Verdict(
            problem=files.slug,
            status=Status.BROKEN,
            score=None,
            points=0.0,
            manual_points=0.0,
            checks=(),
            tier=settings.tier,
            device=settings.device,
            dtype=settings.dtype,
            notes=(trouble,),
        )
    return Verdict.of(
        files.slug,
        tuple(result(check, outcome, None, "") for check in problem.checks),
        manual_points=problem.manual_points,
        tier=settings.tier,
        device=settings.device,
        dtype=settings.dtype,
    )


@functools.lru_cache(maxsize=4)
def launcher(layers: isolation.Layers, preload: tuple[str, ...] = ()) -> Any:
    """Return this process's launcher; its zygotes live as long as the process."""
    started = isolation.launcher(layers, preload=preload)
    atexit.register(started.close)
    return started


def one_core() -> contextlib.AbstractContextManager[None]:
    """Keep this process and its children on one core, another than that of its neighbours."""
    return seat.claimed_core(os.getpid())
