"""judge(problem files, submission, settings) -> Verdict: one function, frozen plain data in and out.

The hidden checks, the expected values and the tolerances are in this process; the student's code is in a child
that sees one call after another and answers with plain values.
"""

from __future__ import annotations

import hashlib
import time
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from grader import diagnose, examples
from grader import outcome as words
from grader import problem as problems
from grader import submission as submissions
from grader.blame import Bench
from grader.errors import IsolationError, StudentFault, SubmissionError
from grader.isolation import Layers, Profile, Source, Worker
from grader.outcome import Outcome
from grader.student import Log, trusted
from grader.verdict import Status, Verdict

if TYPE_CHECKING:
    from collections.abc import Mapping

    from grader.course import ProblemFiles
    from grader.isolation.profile import Launcher
    from grader.problem import Check, Problem
    from grader.submission import Answer, Submission

NOT_BY_HAND = ("torch", "torchvision", "torchaudio", "jax", "tensorflow")


@dataclass(frozen=True, slots=True)
class RunSettings:
    """The conditions of one problem's judging in a run; plain data, equal for every student.

    ``examples`` are the stored arguments by check. ``exhaustive`` judges every example even after one failed,
    which only an author's proof needs. ``visible_only`` judges what students may see.
    """

    seed: int
    examples: Mapping[str, examples.Stored]
    dtype: str = "float64"
    device: str = "cpu"
    tier: int = 0
    layers: Layers = field(default_factory=Layers)
    visible_only: bool = False
    exhaustive: bool = False
    hints: bool = True


@dataclass(frozen=True, slots=True)
class Examined:
    """A verdict and the calls behind it, by check."""

    verdict: Verdict
    logs: Mapping[str, Log]


def judge(files: ProblemFiles, submission: Submission, run: RunSettings, launcher: Launcher) -> Verdict:
    """Return the verdict on one submission's answer to one problem.

    Raises:
        AuthoringError: the problem's files cannot be read.
    """
    return examine(files, submission, run, launcher).verdict


def examine(files: ProblemFiles, submission: Submission, run: RunSettings, launcher: Launcher) -> Examined:
    """Judge, and keep the calls; see ``judge``."""
    problem = problems.load(files)
    checks = tuple(check for check in problem.checks if check.visible or not run.visible_only)
    dtype = problem.settings.dtype or run.dtype
    try:
        answer = _answer(submission, files.slug)
    except SubmissionError as refusal:
        fault = StudentFault(Status.UNUSABLE, str(refusal))
        outcomes, logs, notes = {check.name: Outcome(Status.UNUSABLE, fault=fault) for check in checks}, {}, ()
    else:
        if answer is None:
            fault = StudentFault(Status.NOT_ATTEMPTED, f"No file {files.slug}.py or {files.slug}.ipynb was handed in.")
            outcomes = {check.name: Outcome(Status.NOT_ATTEMPTED, fault=fault) for check in checks}
            logs, notes = {}, submission.notes
        else:
            outcomes, logs, notes = _Sitting(problem, answer, run, launcher, dtype).run(checks)
            notes = (*submission.notes, *answer.notes, *notes)
    hints = diagnose.hints(problem, files, logs, _failed(outcomes)) if run.hints else {}
    results = tuple(
        words.result(check, outcomes[check.name], logs.get(check.name), hints.get(check.name, "")) for check in checks
    )
    verdict = Verdict.of(
        files.slug,
        results,
        manual_points=problem.manual_points,
        tier=run.tier,
        device=run.device,
        dtype=dtype,
        notes=tuple(dict.fromkeys(notes)),
    )
    return Examined(verdict=verdict, logs=logs)


def settled(problem: Problem, run_seed: int) -> dict[str, examples.Stored]:
    """Draw the examples of every check of a problem, once for a run."""
    return {check.name: examples.draw(check, run_seed) for check in problem.checks}


class _Sitting:
    """One submission's answer to one problem, judged check by check in one child."""

    def __init__(self, problem: Problem, answer: Answer, run: RunSettings, launcher: Launcher, dtype: str) -> None:
        self._problem = problem
        self._run = run
        self._ends = time.monotonic() + problem.settings.problem_seconds
        self._bench = bench(problem, dtype)
        source = Source(slug=problem.slug, main=answer.main, helpers=answer.helpers, probes=problem.probes)
        self._worker = Worker(launcher, source, profile(problem, answer, run, dtype))

    def run(self, checks: tuple[Check, ...]) -> tuple[dict[str, Outcome], dict[str, Log], tuple[str, ...]]:
        outcomes, logs = {}, {check.name: Log() for check in checks}
        with self._worker:
            for check in checks:
                outcomes[check.name] = self._judged(check, logs[check.name])
            return outcomes, logs, tuple(self._worker.notes)

    def _judged(self, check: Check, log: Log) -> Outcome:
        left = self._ends - time.monotonic()
        if left <= 0:
            return Outcome(Status.SKIPPED)
        try:
            self._worker.begin(min(self._problem.settings.seconds, left))
        except StudentFault as fault:
            return Outcome(fault.status, fault=fault, output=self._worker.output())
        except IsolationError as error:
            return Outcome(Status.BROKEN, trouble=f"IsolationError: {error}")
        outcome = self._over_examples(check, log)
        return replace(outcome, output=self._worker.output())

    def _over_examples(self, check: Check, log: Log) -> Outcome:
        first = Outcome(Status.PASSED)
        shares: list[float] = []
        for stored in self._run.examples[check.name]:
            outcome = self._bench.run(check, examples.decode(stored), self._worker, log)
            shares += [] if outcome.share is None else [outcome.share]
            if first.status is Status.PASSED:
                first = outcome
            if outcome.status is not Status.PASSED and not (self._run.exhaustive and outcome.status is Status.FAILED):
                break
        return replace(first, share=max(shares, default=None))


def profile(problem: Problem, answer: Answer, run: RunSettings, dtype: str) -> Profile:
    """Return the conditions of the child for one answer."""
    limits = problem.settings
    names_torch = "torch" in problem.reference + problem.stub or any("torch" in cell for cell in answer.main.cells)
    return Profile(
        torch=names_torch and not limits.by_hand,
        dtype=dtype,
        device=run.device if not limits.by_hand and names_torch else "cpu",
        threads=limits.threads,
        autograd=limits.autograd,
        seed=_child_seed(run.seed),
        memory_mib=limits.memory_mib,
        import_seconds=limits.import_seconds,
        hidden_packages=("grader", *(NOT_BY_HAND if limits.by_hand else ())),
    )


def _child_seed(seed: int) -> int:
    """A student's child gets a seed of its own: from the run's seed it could draw what we drew."""
    return int.from_bytes(hashlib.sha256(f"child {seed}".encode()).digest()[:4], "big")


def bench(problem: Problem, dtype: str) -> Bench:
    """Return the bench that a problem's checks run at."""
    reference = (
        trusted(problem.reference, f"reference/{problem.slug}.py", problem.probes) if problem.reference else None
    )
    return Bench(reference=reference, dtype=dtype, takes_tensors=problem.takes_tensors)


def _answer(submission: Submission, slug: str) -> Answer | None:
    if submission.refused:
        raise SubmissionError(submission.refused)
    return submissions.answer(submission, slug)


def _failed(outcomes: Mapping[str, Outcome]) -> tuple[str, ...]:
    return tuple(name for name, outcome in outcomes.items() if outcome.status is Status.FAILED)
