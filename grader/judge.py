"""judge(problem files, submission, settings) -> Verdict: one function, frozen plain data in and out.

The hidden checks, the expected values and the tolerances are in this process; the student's code is in a child
that sees one call after another and answers with plain values.
"""

from __future__ import annotations

import functools
import hashlib
import time
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from grader import diagnose, examples
from grader import outcome as words
from grader import problem as problems
from grader import submission as submissions
from grader.blame import Bench
from grader.errors import AuthoringError, IsolationError, StudentFault, SubmissionError
from grader.isolation import Layers, Profile, Source, Worker
from grader.outcome import Outcome
from grader.student import Log
from grader.verdict import Status, Verdict

if TYPE_CHECKING:
    from collections.abc import Mapping

    from grader.course import ProblemFiles
    from grader.isolation.profile import Launcher
    from grader.problem import Check, Problem
    from grader.submission import Answer, Submission

# A student's calls may take three times the CPU limit and 1 s on the clock; what is beyond that is our own work.
PATIENCE, PATIENCE_AT_LEAST = 4, 10
NOT_BY_HAND = ("torch", "torchvision", "torchaudio", "jax", "tensorflow")


@dataclass(frozen=True, slots=True)
class RunSettings:
    """The conditions of one problem's judging in a run; plain data, equal for every student.

    ``examples`` are the stored arguments by check. ``visible_only`` judges what students may see;
    ``only`` names the checks to judge where not all are wanted.
    """

    seed: int
    examples: Mapping[str, examples.Stored]
    dtype: str = "float64"
    device: str = "cpu"
    tier: int = 0
    layers: Layers = field(default_factory=Layers)
    visible_only: bool = False
    only: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Examined:
    """A verdict, and what is behind it by check: the calls, and what the student's code printed."""

    verdict: Verdict
    logs: Mapping[str, Log]
    outputs: Mapping[str, str]


def judge(files: ProblemFiles, submission: Submission, run: RunSettings, launcher: Launcher) -> Verdict:
    """Return the verdict on one submission's answer to one problem.

    Raises:
        AuthoringError: the problem's files cannot be read.
    """
    return examine(files, submission, run, launcher).verdict


def examine(files: ProblemFiles, submission: Submission, run: RunSettings, launcher: Launcher) -> Examined:
    """Judge, and keep the calls; see ``judge``."""
    problem = problems.load(files)
    checks = tuple(check for check in problem.checks if _wanted(check, run))
    run = replace(run, dtype=problem.settings.dtype or run.dtype, device=_device(problem, run.device))
    try:
        sat = _sat(problem, submission, run, launcher, checks)
    except SubmissionError as refusal:
        sat = _all(checks, StudentFault(Status.UNUSABLE, str(refusal)))

    def asked(name: str, place: int) -> frozenset[bytes] | None:
        # Without a reference nothing is put to anybody here: recorded answers are only looked up.
        return _questions(files, run.dtype, name, run.examples[name][place]) if problem.reference else None

    failed = [name for name, outcome in sat.outcomes.items() if outcome.status is Status.FAILED]
    hints = diagnose.hints(problem, files, sat.logs, failed, asked)
    verdict = Verdict.of(
        files.slug,
        tuple(
            words.result(check, sat.outcomes[check.name], sat.logs.get(check.name), hints.get(check.name, ""))
            for check in checks
        ),
        manual_points=problem.manual_points,
        tier=run.tier,
        device=run.device,
        dtype=run.dtype,
        notes=tuple(dict.fromkeys((*submission.notes, *sat.notes))),
    )
    return Examined(verdict, sat.logs, {name: outcome.output for name, outcome in sat.outcomes.items()})


@dataclass(frozen=True, slots=True)
class _Sat:
    """What came of a sitting: how each check went, what was answered, and what a reader should know."""

    outcomes: Mapping[str, Outcome]
    logs: Mapping[str, Log] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def _wanted(check: Check, run: RunSettings) -> bool:
    return (check.visible or not run.visible_only) and (not run.only or check.name in run.only)


def _all(checks: tuple[Check, ...], fault: StudentFault) -> _Sat:
    return _Sat({check.name: Outcome(fault.status, fault=fault) for check in checks})


def _sat(
    problem: Problem, submission: Submission, run: RunSettings, launcher: Launcher, checks: tuple[Check, ...]
) -> _Sat:
    if submission.refused:
        raise SubmissionError(submission.refused)
    answer = submissions.answer(submission, problem.slug)
    if answer is None:
        sentence = f"No file {problem.slug}.py or {problem.slug}.ipynb was handed in."
        return _all(checks, StudentFault(Status.NOT_ATTEMPTED, sentence))
    sat = _Sitting(problem, answer, run, launcher).run(checks)
    return replace(sat, notes=(*answer.notes, *sat.notes))


def _device(problem: Problem, device: str) -> str:
    """Return where a problem is judged: where the run says, unless the problem cannot be judged there.

    Raises:
        AuthoringError: it wants a device that this run does not have.
    """
    limits = problem.settings
    if limits.by_hand or "torch" not in problem.reference + problem.stub:
        return "cpu"
    if not limits.devices or device.partition(":")[0] in limits.devices:
        return device
    if "cpu" in limits.devices:
        return "cpu"
    raise AuthoringError(f"{problem.slug} can be judged on {' or '.join(limits.devices)} only; say --device cuda")


@functools.lru_cache(maxsize=4096)
def _questions(files: ProblemFiles, dtype: str, name: str, stored: bytes) -> frozenset[bytes]:
    """Return what a check asks of the reference on an example, in the student's place."""
    problem = problems.load(files)
    table, log = bench(problem, dtype), Log()
    assert table.reference is not None, "there is nobody to put questions to"
    table.run(problem.check(name), examples.decode(stored), table.reference, log)
    return frozenset(call.question for call in log.calls)


def settled(problem: Problem, run_seed: int) -> dict[str, examples.Stored]:
    """Draw the examples of every check of a problem, once for a run."""
    return {check.name: examples.draw(check, run_seed) for check in problem.checks}


class _Sitting:
    """One submission's answer to one problem, judged check by check in one child."""

    def __init__(self, problem: Problem, answer: Answer, run: RunSettings, launcher: Launcher) -> None:
        self._problem = problem
        self._run = run
        self._left = problem.settings.problem_seconds
        self._bench = bench(problem, run.dtype)
        source = Source(slug=problem.slug, main=answer.main, helpers=answer.helpers, probes=problem.probes)
        self._worker = Worker(launcher, source, profile(problem, answer, run))

    def run(self, checks: tuple[Check, ...]) -> _Sat:
        outcomes: dict[str, Outcome] = {}
        logs = {check.name: Log() for check in checks}
        with self._worker:
            for check in checks:
                outcomes[check.name] = self._judged(check, logs[check.name], first=not outcomes)
            return _Sat(outcomes, logs, tuple(self._worker.notes))

    def _judged(self, check: Check, log: Log, *, first: bool) -> Outcome:
        left, began = self._left, time.monotonic()
        if left <= 0:
            return Outcome(Status.SKIPPED)
        outcome = self._within(check, log, min(self._problem.settings.seconds, left))
        # As for one check: what the clock shows counts a third, so that a busy machine costs nobody a point.
        self._left -= max(self._worker.spent, (time.monotonic() - began) / 3)
        if outcome.status is Status.TIMED_OUT and left < self._problem.settings.seconds and not first:
            return Outcome(Status.SKIPPED)  # the checks before had left it less than its own time
        return outcome

    def _within(self, check: Check, log: Log, seconds: float) -> Outcome:
        try:
            self._worker.begin(seconds)
        except StudentFault as fault:
            return Outcome(fault.status, fault=fault, output=self._worker.output())
        except IsolationError as error:
            return Outcome(Status.BROKEN, trouble=f"IsolationError: {error}")
        outcome = self._over_examples(check, log)
        return replace(outcome, output=self._worker.output())

    def _over_examples(self, check: Check, log: Log) -> Outcome:
        """Run a check on every example, a failed one or not: only all calls together tell mistakes apart.

        The verdict tells of the first example that does not hold; a fault ends the check.
        """
        first = Outcome(Status.PASSED)
        shares: list[float] = []
        for place, stored in enumerate(self._run.examples[check.name]):
            outcome = self._bench.run(check, examples.decode(stored), self._worker, log)
            shares += [] if outcome.share is None else [outcome.share]
            if first.status is Status.PASSED:
                first, log.telling = outcome, place
            if outcome.status not in {Status.PASSED, Status.FAILED}:
                break
        return replace(first, share=max(shares, default=None))


def profile(problem: Problem, answer: Answer, run: RunSettings) -> Profile:
    """Return the conditions of the child for one answer."""
    limits = problem.settings
    names_torch = "torch" in problem.reference + problem.stub or any("torch" in cell for cell in answer.main.cells)
    return Profile(
        torch=names_torch and not limits.by_hand,
        dtype=run.dtype,
        device=run.device,
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
    reference = diagnose.trusted_reference(problem) if problem.reference else None
    patience = PATIENCE * problem.settings.seconds + PATIENCE_AT_LEAST
    return Bench(reference=reference, dtype=dtype, takes_tensors=problem.takes_tensors, patience=patience)
