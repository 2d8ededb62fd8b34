"""A student's own work judged on the visible checks, on the student's own machine.

The files of a problem lie where the student works: the main file, and the modules beside it that it may import.
Examples are drawn from a public seed, so that the same work gets the same answer every time.
"""

from __future__ import annotations

import contextlib
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from grader import judge, released, submission
from grader import problem as problems
from grader.closer import Desk, paths
from grader.errors import IsolationError, SubmissionError, UsageError
from grader.judge import RunSettings
from grader.smallest import smallest
from grader.submission import names
from grader.verdict import Status, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from grader.closer import Closer
    from grader.course import Course, ProblemFiles
    from grader.isolation import Survey
    from grader.isolation.profile import Launcher
    from grader.problem import Check, Problem
    from grader.smallest import Failing
    from grader.submission import Answer, Submission
    from grader.verdict import CheckResult

PUBLIC_SEED = 1
SHRINK_SECONDS = 2.0  # of one problem's failing checks together
STUDENT = "you"


@dataclass(frozen=True, slots=True)
class Work:
    """One problem and the files of the student's answer to it."""

    slug: str
    place: Path | tuple[Path, ...]

    @property
    def files(self) -> tuple[Path, ...]:
        """The paths to watch."""
        return (self.place,) if isinstance(self.place, Path) else self.place


@dataclass(frozen=True, slots=True)
class Practised:
    """One problem, judged on its visible checks; a closer look at each check that is not passed."""

    title: str
    verdict: Verdict
    closer: Mapping[str, Closer]
    case: Case


@dataclass(frozen=True, slots=True)
class Worth:
    """What problems are worth: on the visible checks, and on those after hand-in (None where not known here).

    ``by_hand`` is what a person marks.
    """

    visible: float
    after_hand_in: float | None
    by_hand: float = 0.0


@dataclass(frozen=True, slots=True)
class Conditions:
    """How to judge: where torch problems run, what floats are rounded to, how strong the isolation is here."""

    survey: Survey
    device: str = "cpu"
    dtype: str = "float64"


# What to judge


def find(course: Course, wanted: Sequence[str], here: Path) -> tuple[Work, ...]:
    """Return the student's work: what is named, else every problem that a file lies here for.

    Args:
        course: the course.
        wanted: paths of files, folders and archives, and names of problems.
        here: the working folder; in the course's own folder, ``student_template/`` is meant.

    Raises:
        UsageError: nothing was found, or a name is neither a path nor a problem.
    """
    slugs = course.slugs
    template = here / "student_template"  # an assignment of nbgrader has none
    home = template if here.resolve() == course.root and template.is_dir() else here
    if not wanted:
        found = tuple(_in_folder(home, slugs))
        if not found:
            raise UsageError(f"no file here is named after a problem: looked in {home} for {_listed(slugs)}")
        return found
    works: dict[str, Work] = {}
    for name in wanted:
        for work in _named(name, home, slugs):
            works.setdefault(work.slug, work)
    return tuple(works.values())


def worth(course: Course, works: Iterable[Work]) -> Worth:
    """Return what the problems of some work are worth before and after hand-in."""
    visible, by_hand = 0.0, 0.0
    after: list[float | None] = []
    for work in works:
        files = course.problem(work.slug)
        problem = problems.load(files)
        visible += sum(check.points for check in problem.checks if check.visible)
        by_hand += problem.manual_points
        after.append(_after_hand_in(files))
    known = [points for points in after if points is not None]
    return Worth(visible, sum(known) if len(known) == len(after) else None, by_hand)


def _after_hand_in(files: ProblemFiles) -> float | None:
    if files.hidden or files.reference:
        return sum(check.points for check in problems.load(files).checks if not check.visible)
    told = released.read(files.released, f"problems/{files.slug}/{released.NAME}")
    return told.hidden_points if told else None


def _named(name: str, home: Path, slugs: tuple[str, ...]) -> Iterator[Work]:
    path = Path(name)
    if name in slugs and not path.is_file():
        yield _of_problem(name, home)
    elif path.is_dir():
        found = tuple(_in_folder(path, slugs))
        if not found:
            raise UsageError(f"{path} holds no file named after a problem; looked for {_listed(slugs)}")
        yield from found
    elif names.is_source(path.name) and path.is_file():
        yield _of_file(path, slugs)
    elif path.is_file():
        yield from _of_archive(path, slugs)
    else:
        raise UsageError(f"{name!r} is neither a file nor a problem of this course; its problems: {', '.join(slugs)}")


def _of_problem(slug: str, home: Path) -> Work:
    for work in _in_folder(home, (slug,)):
        return work
    raise UsageError(f"there is no {slug}.py or {slug}.ipynb in {home}")


def _of_file(path: Path, slugs: tuple[str, ...]) -> Work:
    slug = next((slug for slug in slugs if names.fit(path.name, slug)), None)
    if slug is None:
        raise UsageError(f"{path} is named after no problem of this course; its problems: {', '.join(slugs)}")
    return Work(slug, (path, *_modules(path.parent, slugs)))


def _of_archive(path: Path, slugs: tuple[str, ...]) -> Iterator[Work]:
    packed = submission.load(path, student=STUDENT, slugs=slugs)
    if packed.refused:
        raise SubmissionError(packed.refused)
    for slug in slugs:
        with contextlib.suppress(SubmissionError):  # a file that is refused is judged, and told so
            if submission.answer(packed, slug) is None:
                continue
        yield Work(slug, path)


def _in_folder(folder: Path, slugs: tuple[str, ...]) -> Iterator[Work]:
    beside = _sources(folder)
    for slug in slugs:
        exact = [path for path in beside if names.fit(path.name, slug) is names.Fit.EXACT]
        if exact:
            yield Work(slug, (*exact, *_modules(folder, slugs)))


def _modules(folder: Path, slugs: tuple[str, ...]) -> tuple[Path, ...]:
    return tuple(
        path
        for path in _sources(folder)
        if path.suffix == ".py" and path.stem.isidentifier() and not any(names.fit(path.name, slug) for slug in slugs)
    )


def _sources(folder: Path) -> list[Path]:
    try:
        return sorted(
            path
            for path in folder.iterdir()
            if names.is_source(path.name)
            and not names.is_litter(path.name)
            and path.is_file()
            and not path.is_symlink()
        )
    except OSError:
        return []


def _listed(slugs: Sequence[str]) -> str:
    return ", ".join(f"{slug}.py" for slug in slugs) or "no problem, since the course has none"


# Judging it


def judged(course: Course, work: Work, conditions: Conditions, launcher: Launcher, *, only: str = "") -> Practised:
    """Judge one problem on its visible checks, and look closer at those that are not passed.

    Args:
        course: the course.
        work: what to judge.
        conditions: how.
        launcher: starts the child.
        only: part of a check's name; the others are left out.

    Raises:
        UsageError: no visible check's name holds ``only``.
    """
    files = course.problem(work.slug)
    problem = problems.load(files)
    run = RunSettings(
        seed=PUBLIC_SEED,
        examples=judge.settled(problem, PUBLIC_SEED),
        dtype=conditions.dtype,
        device=conditions.device,
        tier=conditions.survey.tier,
        layers=conditions.survey.layers,
        visible_only=True,
        only=frozenset(check.name for check in problem.checks if only in check.name),
    )
    handed_in = submission.load(work.place, student=STUDENT, slugs=course.slugs)
    examined = judge.examine(files, handed_in, run, launcher)
    answer = _answer(handed_in, work.slug)
    settled = replace(run, dtype=examined.verdict.dtype, device=examined.verdict.device)
    case = Case(problem, answer, settled, launcher, Desk(problem, answer, _paths(work, answer)))
    looked = {
        check.name: case.desk.look(check.finding, examined.outcomes[check.name], examined.logs.get(check.name))
        for check in examined.verdict.checks
        if check.status is not Status.PASSED
    }
    return Practised(problem.title, examined.verdict, looked, case)


def simplified(practised: Practised) -> Practised:
    """Look for simpler arguments on which drawn checks still fail; takes a few seconds at most."""
    case = practised.case
    simplest = {}
    ends = time.monotonic() + SHRINK_SECONDS
    for check in practised.verdict.checks:
        left = ends - time.monotonic()
        failing = case.simplest(check, left) if check.status is Status.FAILED and left > 0 else None
        if failing is not None:
            outcome = replace(failing.outcome, output=failing.output)
            simplest[check.name] = case.desk.look(check.finding, outcome, failing.log, simplest=True)
    return replace(practised, closer={**practised.closer, **simplest}) if simplest else practised


def _answer(handed_in: Submission, slug: str) -> Answer | None:
    with contextlib.suppress(SubmissionError):  # the verdict tells of it
        return submission.answer(handed_in, slug)
    return None


def _paths(work: Work, answer: Answer | None) -> dict[str, str]:
    """Return what the student's files are opened by, from the working folder."""
    if answer is None or isinstance(work.place, Path):
        return {}
    here = Path.cwd()
    shown = ((path, path.resolve()) for path in work.place)
    return paths(
        answer.main.name,
        ((path.name, str(whole.relative_to(here) if whole.is_relative_to(here) else path)) for path, whole in shown),
    )


def first_failure(verdict: Verdict) -> Verdict:
    """Return a verdict up to its first check that is not passed; one that is untouched stays whole."""
    if verdict.status is Status.NOT_ATTEMPTED:
        return verdict
    ends = next((n for n, check in enumerate(verdict.checks, start=1) if check.status is not Status.PASSED), None)
    return _with_checks(verdict, verdict.checks[:ends])


def matching(course: Course, works: Iterable[Work], only: str) -> tuple[Work, ...]:
    """Return the work whose problem has a visible check with ``only`` in its name.

    Raises:
        UsageError: no problem has one.
    """
    checks = {work: _visible(course.problem(work.slug)) for work in works}
    found = tuple(work for work, visible in checks.items() if any(only in check.name for check in visible))
    if not found:
        known = ", ".join(check.name for visible in checks.values() for check in visible)
        raise UsageError(f"no visible check has {only!r} in its name; there are {known}")
    return found


def _visible(files: ProblemFiles) -> tuple[Check, ...]:
    return tuple(check for check in problems.load(files).checks if check.visible)


def _with_checks(verdict: Verdict, checks: tuple[CheckResult, ...]) -> Verdict:
    return Verdict.of(
        verdict.problem,
        checks,
        manual_points=verdict.manual_points,
        tier=verdict.tier,
        device=verdict.device,
        dtype=verdict.dtype,
        notes=verdict.notes,
    )


@dataclass(frozen=True, slots=True)
class Case:
    """What one problem was judged with, for a look at other arguments."""

    problem: Problem
    answer: Answer | None
    run: RunSettings
    launcher: Launcher
    desk: Desk

    def simplest(self, result: CheckResult, seconds: float) -> Failing | None:
        """Return the simplest failing example of a drawn check that is found in that time."""
        check = self.problem.check(result.name)
        if self.answer is None or check.given is None:
            return None
        with contextlib.suppress(IsolationError):  # a courtesy; the verdict stands without it
            return smallest(self.problem, self.answer, check, self.run, self.launcher, seconds=seconds)
        return None
