"""The simplest arguments found on which a check still fails: for the student on visible checks, for explain on all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from grader import examples, judge
from grader.errors import StudentFault
from grader.isolation import Source, Worker
from grader.student import Log
from grader.verdict import Status

if TYPE_CHECKING:
    from collections.abc import Callable

    from grader.examples import Example
    from grader.isolation.profile import Launcher
    from grader.judge import RunSettings
    from grader.outcome import Outcome
    from grader.problem import Check, Problem
    from grader.submission import Answer


@dataclass(frozen=True, slots=True)
class Failing:
    """One example on which a check says FAILED, what it says, and the calls behind it."""

    example: Example
    outcome: Outcome
    log: Log
    output: str


def smallest(
    problem: Problem, answer: Answer, check: Check, run: RunSettings, launcher: Launcher, *, seconds: float
) -> Failing | None:
    """Return the simplest failing example found within ``seconds``; None if no stored example fails any more.

    Args:
        problem: the problem.
        answer: the student's.
        check: one that said FAILED.
        run: the run it said so in, with its stored examples; dtype and device are those of its verdict.
        launcher: starts the child.
        seconds: time budget of the search; 0 takes the first stored example that fails.
    """
    source = Source(slug=problem.slug, main=answer.main, helpers=answer.helpers, probes=problem.probes)
    bench = judge.bench(problem, run.dtype)
    with Worker(launcher, source, judge.profile(problem, answer, run)) as worker:

        def tried(example: Example) -> Failing | None:
            log = Log()
            try:
                worker.begin(problem.settings.seconds)
            except StudentFault:
                return None
            outcome = bench.run(check, example, worker, log)
            return Failing(example, outcome, log, worker.output()) if outcome.status is Status.FAILED else None

        return shrunk(check, run, tried, seconds)


def shrunk(
    check: Check, run: RunSettings, tried: Callable[[Example], Failing | None], seconds: float
) -> Failing | None:
    """Return the simplest failing example found by trying; arguments as for `smallest`."""
    for stored in run.examples[check.name]:
        first = tried(examples.decode(stored))
        if first is None:
            continue
        if seconds <= 0:
            return first
        simplest = examples.shrink(
            check, lambda example: tried(example) is not None, stored, seed=run.seed, seconds=seconds
        )
        return tried(simplest) or first
    return None
