"""judge(problem files, submission, settings) -> Verdict: one function, frozen plain data in and out.

The hidden checks, the expected values and the tolerances are in this process; the student's code is in a child
that sees calls and answers with plain values.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from grader import diagnose, examples
from grader import outcome as words
from grader import problem as problems
from grader import submission as submissions
from grader.errors import AuthoringError, StudentFault, SubmissionError
from grader.outcome import Outcome
from grader.sitting import Memory, RunSettings, Sat, Sitting, bench, profile, questions
from grader.verdict import CheckResult, Status, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from grader.course import ProblemFiles
    from grader.isolation.profile import Launcher
    from grader.problem import Check, Problem
    from grader.student import Log
    from grader.submission import Submission

__all__ = ["Examined", "RunSettings", "bench", "examine", "judge", "profile", "settled"]

# What is remembered of earlier submissions, by what they answered: functions whose mistakes are known, and checks that
# have been put into words.
HINTED, WORDED = 4096, 4096

_HINTED = Memory(HINTED)
_WORDED = Memory(WORDED)


@dataclass(frozen=True, slots=True)
class Examined:
    """A verdict, and what is behind it by check: how it went, the calls, and what the student's code printed."""

    verdict: Verdict
    outcomes: Mapping[str, Outcome]
    logs: Mapping[str, Log]

    @property
    def outputs(self) -> dict[str, str]:
        """What the student's code printed, by check."""
        return {name: outcome.output for name, outcome in self.outcomes.items()}


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
        sat = _sat(files, submission, run, launcher, checks)
    except SubmissionError as refusal:
        sat = _all(checks, StudentFault(Status.UNUSABLE, str(refusal)))

    hints = _hints(files, problem, run, sat)
    verdict = Verdict.of(
        files.slug,
        tuple(_worded(check, sat, hints.get(check.name, "")) for check in checks),
        manual_points=problem.manual_points,
        tier=run.tier,
        device=run.device,
        dtype=run.dtype,
        notes=tuple(dict.fromkeys((*submission.notes, *sat.notes))),
        seconds=sat.seconds,
    )
    return Examined(verdict, sat.outcomes, sat.logs)


def _hints(files: ProblemFiles, problem: Problem, run: RunSettings, sat: Sat) -> Mapping[str, str]:
    def asked(name: str, place: int) -> frozenset[bytes] | None:
        # Without a reference nothing is put to anybody here: recorded answers are only looked up.
        return questions(files, run.dtype, name, run.examples[name][place]) if problem.reference else None

    def remembered(function: str, find: Callable[[], str]) -> str:
        """Return the hint for a function; equal answers, where they alone decided, have equal hints."""
        names = [name for name, log in sat.logs.items() if any(call.name == function for call in log.calls)]
        if not all(name in sat.keys for name in names):
            return find()
        hint: str = _HINTED.made((function, tuple(sat.keys[name] for name in names)), find)
        return hint

    failed = [name for name, outcome in sat.outcomes.items() if outcome.status is Status.FAILED]
    return diagnose.hints(problem, files, sat.logs, failed, asked, remembered=remembered)


def _worded(check: Check, sat: Sat, hint: str) -> CheckResult:
    """Put how a check went into words; equal answers, where they alone decided, get equal words."""
    outcome = sat.outcomes[check.name]

    def put() -> CheckResult:
        return words.result(check, outcome, sat.logs.get(check.name), hint)

    if check.name not in sat.keys:
        return put()
    found: CheckResult = _WORDED.made((sat.keys[check.name], outcome.output, hint), put)
    return found


def _wanted(check: Check, run: RunSettings) -> bool:
    return (check.visible or not run.visible_only) and (not run.only or check.name in run.only)


def _all(checks: tuple[Check, ...], fault: StudentFault) -> Sat:
    return Sat({check.name: Outcome(fault.status, fault=fault) for check in checks})


def _sat(
    files: ProblemFiles, submission: Submission, run: RunSettings, launcher: Launcher, checks: tuple[Check, ...]
) -> Sat:
    if submission.refused:
        raise SubmissionError(submission.refused)
    answer = submissions.answer(submission, files.slug)
    if answer is None:
        sentence = f"No file {files.slug}.py or {files.slug}.ipynb was handed in."
        return _all(checks, StudentFault(Status.NOT_ATTEMPTED, sentence))
    sat = Sitting(files, answer, run, launcher).run(checks)
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


def settled(problem: Problem, run_seed: int) -> dict[str, examples.Stored]:
    """Draw the examples of every check of a problem, once for a run."""
    return {check.name: examples.draw(check, run_seed) for check in problem.checks}
