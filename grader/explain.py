"""Everything about one student's verdicts in a run, with a closer look at what failed.

The closer look judges the stored submission again on the run's stored examples, so it asks first whether the
submission and the problem are still those of the run.
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grader import diagnose, examples, judge, machine, replay, runfile, submission
from grader import outcome as words
from grader import problem as problems
from grader.errors import CourseError, GraderError, SubmissionError, UsageError
from grader.judge import RunSettings
from grader.replay import Origin, Replayed
from grader.smallest import smallest
from grader.submission.text import source_text
from grader.verdict import Status

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from grader.classroom import Graded
    from grader.course import Course, ProblemFiles
    from grader.isolation import Survey
    from grader.isolation.profile import Launcher
    from grader.problem import Problem
    from grader.runfile import Run
    from grader.student import Log
    from grader.submission import Answer, Submission
    from grader.verdict import CheckResult, Verdict

SHRINK_SECONDS = 5.0
SILENT = {Status.PASSED, Status.NOT_ATTEMPTED, Status.SKIPPED, Status.BROKEN}  # nothing to look closer at


@dataclass(frozen=True, slots=True)
class Closer:
    """What judging a problem again has shown."""

    origin: Origin
    checks: tuple[Replayed, ...]


@dataclass(frozen=True, slots=True)
class Explained:
    """One student's verdicts, what a closer look has shown by problem, and why there is none where there is none."""

    graded: Graded
    verdicts: tuple[Verdict, ...]
    closer: Mapping[str, Closer] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()
    stale: bool = False  # the submission is not the one that was graded


def find(run: Run, student: str, slug: str | None) -> Explained:
    """Return one student's verdicts, or the one on a problem.

    Raises:
        UsageError: the run has no such student or problem.
    """
    graded = next((one for one in run.students if one.student == student), None)
    if graded is None:
        raise UsageError(f"the run has no student {student!r}; {_near(student, [one.student for one in run.students])}")
    verdicts = tuple(verdict for verdict in graded.verdicts if slug in {None, verdict.problem})
    if not verdicts:
        known = ", ".join(verdict.problem for verdict in graded.verdicts)
        raise UsageError(f"the run did not judge {slug!r}; it judged {known}")
    return Explained(graded, verdicts)


def look_closer(explained: Explained, run: Run, course: Course, survey: Survey, launcher: Launcher) -> Explained:
    """Judge again what was not passed, on the run's own examples, and simplify what failed."""
    graded = explained.graded
    place = places(graded.path)
    try:
        handed_in = submission.load(place, student=graded.student, slugs=tuple(run.problems))
    except SubmissionError as error:
        return replace(explained, remarks=(f"No closer look: {error}.",), stale=True)
    if handed_in.digest != graded.digest:
        remark = f"No closer look: {graded.path} has changed since it was graded. What follows was recorded then."
        return replace(explained, remarks=(remark,), stale=True)
    again = _Again(run, course, survey, launcher, handed_in, place)
    closer, remarks = {}, []
    for verdict in explained.verdicts:
        if verdict.status not in SILENT:
            try:
                closer[verdict.problem] = again.judged(verdict)
            except GraderError as error:
                remarks.append(f"No closer look at {verdict.problem}: {error}.")
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
        **runfile.student_document(replace(explained.graded, verdicts=explained.verdicts)),
        "remarks": list(explained.remarks),
        "smallest": {slug: seen(closer) for slug, closer in explained.closer.items()},
    }


def places(path: str) -> Path | tuple[Path, ...]:
    """Return where a graded submission lies, from how a run records it: a path a line."""
    each = tuple(Path(line) for line in path.splitlines())
    return each[0] if len(each) == 1 else each


def _lines(check: Replayed) -> list[str]:
    lines = [f"with {words.arguments(check.example)}"] if check.example else []
    for place in check.telling:
        call, wanted = check.calls[place], check.wanted[place]
        got = call.fault.status.value if call.fault is not None else words.compact(call.value)
        right = "what the reference does not answer" if wanted is diagnose.MISSING else words.compact(wanted)
        lines += [words.spelled(call), f"  got    {got}", f"  wanted {right}"]
    agreeing = len(check.calls) - len(check.telling)
    return [*lines, f"{agreeing} other calls: as the reference"] if agreeing else lines


def _near(name: str, known: Sequence[str]) -> str:
    near = difflib.get_close_matches(name, known, n=3, cutoff=0.5)
    near += [one for one in known if name.casefold() in one.casefold() and one not in near][:3]
    if near:
        return f"did you mean {' or '.join(near)}?"
    return f"it has {len(known)}, such as {known[0]}" if known else "it has none"


@dataclass(frozen=True, slots=True)
class _Again:
    """One submission of a run, judged again under the conditions of the run."""

    run: Run
    course: Course
    survey: Survey
    launcher: Launcher
    handed_in: Submission
    place: Path | tuple[Path, ...]

    def judged(self, verdict: Verdict) -> Closer:
        """Judge one problem again and keep the calls of what failed."""
        files = self.same_problem(verdict.problem)
        problem = problems.load(files)
        answer = submission.answer(self.handed_in, files.slug)
        if answer is None:
            raise SubmissionError(f"no file of {self.handed_in.student} is for {files.slug}")
        settings = self.settings(verdict)
        examined = judge.examine(files, self.handed_in, settings, self.launcher)
        checks = [
            self.replayed(problem, answer, check, settings, examined.logs[check.name])
            for check in examined.verdict.checks
            if check.status not in SILENT
        ]
        origin = Origin(files.slug, answer, self.path(answer), problem.probes, verdict.dtype)
        return Closer(origin, tuple(check for check in checks if check is not None))

    def same_problem(self, slug: str) -> ProblemFiles:
        files = self.course.problem(slug)
        if files.digest != self.run.problems.get(slug):
            raise CourseError(f"problems/{slug} or its reference has changed since the run")
        if not files.reference:
            raise CourseError(f"reference/{slug}.py is not here")
        return files

    def settings(self, verdict: Verdict) -> RunSettings:
        return RunSettings(
            seed=self.run.seed,
            examples=self.run.examples[verdict.problem],
            dtype=verdict.dtype,
            device=_device(verdict.device),
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
        candidates = [self.place] if isinstance(self.place, Path) else list(self.place)
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
