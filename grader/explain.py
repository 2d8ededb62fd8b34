"""Everything about one student's verdicts in a run, with a closer look at what failed.

The closer look judges the stored submission again on the run's stored examples, so it asks first whether the
submission and the problem are still those of the run.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from grader import diagnose, documents, examples, judge, machine, replay, submission
from grader import outcome as words
from grader import problem as problems
from grader.errors import CourseError, GraderError, SubmissionError, UsageError
from grader.judge import RunSettings
from grader.replay import Origin, Replayed
from grader.smallest import smallest
from grader.submission.text import source_text
from grader.verdict import Status

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from grader.course import Course, ProblemFiles
    from grader.isolation import Survey
    from grader.isolation.profile import Launcher
    from grader.problem import Problem
    from grader.results import Graded, Result, Run
    from grader.student import Log
    from grader.submission import Answer, Place, Submission
    from grader.verdict import CheckResult

SHRINK_SECONDS = 5.0
SILENT = {Status.PASSED, Status.NOT_ATTEMPTED, Status.SKIPPED, Status.BROKEN}  # nothing to look closer at


@dataclass(frozen=True, slots=True)
class Closer:
    """What judging a problem again has shown."""

    origin: Origin
    checks: tuple[Replayed, ...]


@dataclass(frozen=True, slots=True)
class Explained:
    """One student's results, what a closer look has shown by problem, and why there is none where there is none."""

    graded: Graded
    results: tuple[Result, ...]
    closer: Mapping[str, Closer] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()
    stale: bool = False  # the submission is not the one that was graded


def find(run: Run, student: str, slug: str | None) -> Explained:
    """Return one student's results, or the one on a problem.

    Raises:
        UsageError: the run has no such student or problem.
    """
    graded = run.student(student)
    if slug is not None:
        return Explained(graded, (graded.result(slug),))
    left = ", ".join(graded.unjudged)
    return Explained(graded, graded.results, remarks=(f"Not judged yet: {left}.",) if left else ())


def look_closer(explained: Explained, run: Run, course: Course, survey: Survey, launcher: Launcher) -> Explained:
    """Judge again what was not passed, on the run's own examples, and simplify what failed."""
    graded = explained.graded
    handed_in = submission.load_places(graded.places, student=graded.student, slugs=course.slugs)
    if not explained.results:
        return explained
    if all(result.key is None or handed_in.digest != result.key.submission for result in explained.results):
        why = handed_in.refused or f"{graded.path or 'what was handed in'} has changed since it was graded."
        remark = f"No closer look: {why} What follows was recorded then."
        return replace(explained, remarks=(*explained.remarks, remark), stale=True)
    again = _Again(run, course, survey, launcher, handed_in, graded.places)
    closer, remarks = {}, list(explained.remarks)
    for result in explained.results:
        slug = result.judged.problem
        if result.judged.status not in SILENT:
            try:
                closer[slug] = again.judged(result)
            except GraderError as error:
                remarks.append(f"No closer look at {slug}: {error}.")
    return replace(explained, closer=closer, remarks=tuple(remarks))


def script(explained: Explained) -> str:
    """Return the replay script of the one problem that has something to replay.

    Raises:
        UsageError: nothing can be replayed, or more than one problem could be.
    """
    if explained.stale:
        raise UsageError(f"{' '.join(explained.remarks)} A replay needs the very files that were graded")
    found = [closer for closer in explained.closer.values() if closer.checks]
    if len(found) > 1:
        slugs = ", ".join(closer.origin.slug for closer in found)
        raise UsageError(f"several problems can be replayed, {slugs}; name one of them after the student")
    if not found:
        raise UsageError(f"there is nothing to replay: {' '.join(explained.remarks) or 'no check failed in a call'}")
    return replay.script(explained.graded.student, found[0].origin, found[0].checks)


def seen(closer: Closer | None) -> dict[str, tuple[str, ...]]:
    """Return, by check, lines on the example that was looked at: what each call gave and should have given."""
    return {check.check: tuple(_lines(check)) for check in closer.checks} if closer is not None else {}


def document(explained: Explained) -> dict[str, Any]:
    """Return what is known as JSON data."""
    return {
        **documents.student_document(explained.graded, explained.results),
        "remarks": list(explained.remarks),
        "smallest": {slug: seen(closer) for slug, closer in explained.closer.items()},
    }


def _lines(check: Replayed) -> list[str]:
    lines = [f"with {words.arguments(check.example)}"] if check.example else []
    for place in check.telling:
        call, wanted = check.calls[place], check.wanted[place]
        got = call.fault.status.value if call.fault is not None else words.compact(call.value)
        right = "what the reference does not answer" if wanted is diagnose.MISSING else words.compact(wanted)
        lines += [words.spelled(call), f"  got    {got}", f"  wanted {right}"]
    agreeing = len(check.calls) - len(check.telling)
    return [*lines, f"{agreeing} other calls: as the reference"] if agreeing else lines


@dataclass(frozen=True, slots=True)
class _Again:
    """One submission of a run, judged again under the conditions of the run."""

    run: Run
    course: Course
    survey: Survey
    launcher: Launcher
    handed_in: Submission
    places: tuple[Place, ...]

    def judged(self, result: Result) -> Closer:
        """Judge one problem again and keep the calls of what failed."""
        verdict = result.judged
        files = self.same_problem(result)
        problem = problems.load(files)
        answer = submission.answer(self.handed_in, files.slug)
        if answer is None:
            raise SubmissionError(f"no file of {self.handed_in.student} is for {files.slug}")
        settings = self.settings(result)
        examined = judge.examine(files, self.handed_in, settings, self.launcher)
        checks = [
            self.replayed(problem, answer, check, settings, examined.logs[check.name])
            for check in examined.verdict.checks
            if check.status not in SILENT
        ]
        origin = Origin(files.slug, answer, self.path(answer), problem.probes, verdict.dtype)
        return Closer(origin, tuple(check for check in checks if check is not None))

    def same_problem(self, result: Result) -> ProblemFiles:
        slug, key = result.judged.problem, result.key
        files = self.course.problem(slug)
        if key is None or key.submission != self.handed_in.digest:
            raise SubmissionError("the submission has changed since this was judged")
        if key.problem not in {files.digest} & {self.run.problems.get(slug)}:
            raise CourseError(f"problems/{slug} or its reference has changed since the run")
        if not files.reference:
            raise CourseError(f"reference/{slug}.py is not here")
        return files

    def settings(self, result: Result) -> RunSettings:
        return RunSettings(
            seed=self.run.conditions.seed,
            examples=self.run.examples[result.judged.problem],
            dtype=result.judged.dtype,
            device=_device(result.judged.device),
            tier=self.survey.tier,
            layers=self.survey.layers,
        )

    def replayed(
        self, problem: Problem, answer: Answer, check: CheckResult, settings: RunSettings, log: Log
    ) -> Replayed | None:
        """Return the simplest failing example of a check; None if it made no call."""
        reference = judge.bench(problem, settings.dtype).reference
        assert reference is not None, "asked before"
        if check.status is Status.FAILED:
            drawn = problem.check(check.name)
            failing = smallest(problem, answer, drawn, settings, self.launcher, seconds=SHRINK_SECONDS)
            if failing is not None:
                said, calls = str(failing.outcome.failure), failing.log.told
                return Replayed.of(check, said, failing.example, calls, reference)
        if not log.told:
            return None
        example = examples.decode(settings.examples[check.name][log.telling])
        return Replayed.of(check, check.finding, example, log.told, reference)

    def path(self, answer: Answer) -> Path | None:
        """Return the file on this machine that holds the answer's text; None for notebooks and what was packed."""
        if answer.main.notebook:
            return None
        candidates = [place.path for place in self.places if not place.inner]
        candidates += [folder / file.path for folder in candidates if folder.is_dir() for file in self.handed_in.files]
        return next((path.resolve() for path in candidates if _holds(path, answer)), None)


def _device(recorded: str) -> str:
    try:
        return machine.settle_device(recorded)
    except UsageError:
        return "cpu"  # totals are the same on every device


def _holds(path: Path, answer: Answer) -> bool:
    try:
        return path.is_file() and source_text(path.read_bytes(), path.name) == answer.main.cells[0]
    except (OSError, SubmissionError):
        return False
