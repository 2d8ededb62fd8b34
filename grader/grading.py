"""One run: what is asked for -> submissions found, conditions settled, everything judged, the run kept.

Whatever can be refused is refused before the first submission is judged: an unknown problem, a machine that
isolates too little, a device that is not there, a folder that cannot be written.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grader import classroom, isolation, machine, proofs, runfile, submission
from grader.classroom import Plan, Task
from grader.errors import CourseError, SubmissionError, TierError, UsageError
from grader.judge import RunSettings
from grader.runfile import Run
from grader.verdict import Status

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from grader.classroom import Graded
    from grader.course import Course
    from grader.isolation import Survey

SEED_BITS = 63
PREVIOUS = "run.previous.json"


@dataclass(frozen=True, slots=True)
class Request:
    """What somebody asks to grade; empty ``problems`` and ``students`` mean all, a None is decided here."""

    course: Course
    paths: tuple[Path, ...]
    folder: Path
    assignment: str = ""
    problems: tuple[str, ...] = ()
    students: tuple[str, ...] = ()
    device: str = "cpu"
    dtype: str = "float64"
    min_tier: int | None = None
    seed: int | None = None


@dataclass(frozen=True, slots=True)
class Prepared:
    """A run that can start: nothing in it has been judged."""

    folder: Path
    plan: Plan
    tasks: tuple[Task, ...]
    survey: Survey
    device: str
    dtype: str
    seed: int
    unproved: tuple[str, ...]
    ignored: tuple[tuple[str, str], ...]


def prepare(request: Request) -> Prepared:
    """Settle everything that a run needs.

    Raises:
        UsageError: something asked for cannot be had; the sentence says what and what to do.
        AuthoringError: a problem cannot be read.
    """
    files = tuple(request.course.problem(slug) for slug in _slugs(request))
    if not files:
        raise CourseError(f"{request.course.root / 'problems'} holds no problem; there is nothing to grade with")
    tasks, ignored = _tasks(request)
    device = machine.settle_device(request.device)
    survey = demanded(request.course.min_tier if request.min_tier is None else request.min_tier)
    _writable(request.folder)
    seed = secrets.randbits(SEED_BITS) if request.seed is None else request.seed
    base = RunSettings(
        seed=seed, examples={}, dtype=request.dtype, device=device, tier=survey.tier, layers=survey.layers
    )
    return Prepared(
        folder=request.folder,
        plan=Plan.settle(files, base),
        tasks=tasks,
        survey=survey,
        device=device,
        dtype=request.dtype,
        seed=seed,
        unproved=tuple(one.slug for one in files if not proofs.proved(request.course, one)),
        ignored=ignored,
    )


def grade(prepared: Prepared, *, jobs: int | None, progress: Callable[[int, Graded], None]) -> Run:
    """Judge every submission of a prepared run.

    Args:
        prepared: the run.
        jobs: how many judges work side by side; by default one a core, and one alone on a GPU.
        progress: hears how many are done, and of the latest.
    """
    jobs = jobs or (machine.cores() if prepared.device == "cpu" else 1)
    graded = classroom.grade(prepared.plan, prepared.tasks, jobs=jobs, progress=progress)
    return Run(
        run=str(prepared.folder),
        device=prepared.device,
        dtype=prepared.dtype,
        seed=prepared.seed,
        problems={files.slug: files.digest for files in prepared.plan.problems},
        unproved=prepared.unproved,
        ignored=prepared.ignored,
        versions=runfile.versions(),
        examples=_examples(prepared.plan),
        students=graded,
        **runfile.stamped(prepared.survey),
    )


def keep(run: Run, folder: Path) -> Path | None:
    """Write the run; return where an earlier run of the same folder has gone, if there was one.

    Raises:
        UsageError: the folder cannot be written.
    """
    earlier, aside = folder / runfile.NAME, None
    if earlier.exists():
        aside = earlier.replace(folder / PREVIOUS)
    try:
        runfile.write(run, folder)
    except UsageError:
        if aside is not None:
            aside.replace(earlier)
        raise
    return aside


def broken(run: Run) -> bool:
    """Whether something could not be judged, through our own fault."""
    return any(verdict.status is Status.BROKEN for graded in run.students for verdict in graded.verdicts)


def demanded(tier: int) -> Survey:
    """Return what this machine isolates, if that is enough.

    Raises:
        TierError: it is not; the sentence names what is missing.
    """
    survey = isolation.survey()
    if survey.tier >= max(tier, 1):
        return survey
    missing = "; ".join(map(str, survey.missing)) or "grade doctor says more"
    instead = f", or accept less with --min-tier {survey.tier}" if survey.tier else ""
    raise TierError(
        f"this machine isolates student code at tier {survey.tier} ({survey.words}); tier {max(tier, 1)} is wanted. "
        f"Missing: {missing}. Raise the tier{instead}"
    )


def _slugs(request: Request) -> tuple[str, ...]:
    """Return the problems to judge, in the order of the assignment or the course."""
    listed = _assigned(request.course, request.assignment) if request.assignment else request.course.slugs
    strange = [slug for slug in request.problems if slug not in listed]
    if strange:
        raise CourseError(f"no problem {strange[0]!r} to grade; known: {', '.join(listed) or 'none'}")
    return tuple(slug for slug in listed if not request.problems or slug in request.problems)


def _assigned(course: Course, name: str) -> tuple[str, ...]:
    assignments: dict[str, Any] = course.config.get("assignments", {})
    found = assignments.get(name)
    if not isinstance(found, dict) or not isinstance(found.get("problems"), list):
        known = ", ".join(assignments) or "none"
        raise CourseError(
            f"{course.root / 'course.toml'} has no assignment {name!r} with a list of problems; it has {known}"
        )
    return tuple(map(str, found["problems"]))


def _tasks(request: Request) -> tuple[tuple[Task, ...], tuple[tuple[str, str], ...]]:
    one = request.students[0] if len(request.students) == 1 else None
    discovery = submission.discover(request.paths, slugs=request.course.slugs, student=one)
    ignored = [(str(path), reason) for path, reason in discovery.ignored]
    tasks = []
    for found in discovery.found:
        if _absolute(found.path) == _absolute(request.folder):
            ignored.append((str(found.path), "where this run is kept"))
        elif not request.students or found.student in request.students:
            tasks.append(Task(found.student, _absolute(found.path)))
    _demand_all(request.students, [task.student for task in tasks])
    if not tasks:
        raise SubmissionError(f"there is nothing to grade at {_listed(request.paths)}{_because(ignored)}")
    return tuple(tasks), tuple(ignored)


def _demand_all(wanted: Sequence[str], found: Iterable[str]) -> None:
    absent = sorted(set(wanted) - set(found))
    if absent:
        raise SubmissionError(
            f"no submission of {', '.join(absent)} was found; students are named after their folder or file"
        )


def _absolute(path: Any) -> Any:
    return path.absolute() if isinstance(path, Path) else tuple(each.absolute() for each in path)


def _because(ignored: Sequence[tuple[str, str]]) -> str:
    reasons = [f"{path}: {reason}" for path, reason in ignored[:3]]
    return f" ({'; '.join(reasons)})" if reasons else ""


def _listed(paths: Sequence[Path]) -> str:
    return ", ".join(map(str, paths[:3])) + (f" and {len(paths) - 3} more" if len(paths) > 3 else "")  # noqa: PLR2004


def _writable(folder: Path) -> None:
    """Find out now, not after an hour of grading, whether the run can be kept."""
    probe = folder / f".{runfile.NAME}.writable"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe.write_text("", encoding="utf-8")
        probe.unlink()
    except OSError as error:
        raise UsageError(f"{folder} cannot be written ({error.strerror}); choose another folder with -o") from error


def _examples(plan: Plan) -> runfile.Examples:
    return {
        files.slug: {check: tuple(stored) for check, stored in settings.examples.items()}
        for files, settings in zip(plan.problems, plan.settings, strict=True)
    }
