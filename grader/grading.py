"""One run: what is asked for -> submissions found, conditions settled, what has changed judged, everything kept.

Whatever can be refused is refused before the first submission is judged: an unknown problem, a machine that
isolates too little, a device that is not there, a folder that cannot be written or that another grader writes.
"""

from __future__ import annotations

import contextlib
import json
import secrets
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from grader import assignments, classroom, intake, isolation, judge, machine, proofs, record, store, versions
from grader import problem as problems
from grader.classroom import Plan, Work
from grader.errors import CourseError, SubmissionError, TierError, UsageError
from grader.judge import RunSettings
from grader.regrade import Kept, Step, step
from grader.results import Conditions, Key
from grader.store import Problem, Seen, Store

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from grader.assignments import Assignment
    from grader.classroom import Judges
    from grader.course import Course, ProblemFiles
    from grader.intake import Entry, Intake
    from grader.isolation import Survey
    from grader.results import Run
    from grader.verdict import Verdict

SEED_BITS = 63


@dataclass(frozen=True, slots=True)
class Request:
    """What somebody asks to grade; empty ``problems`` and ``students`` mean all, a None is decided here.

    ``cluster`` is the address of a scheduler, empty for judges on this machine; ``jobs`` is for the latter.
    ``gathered`` is what lies at the paths, where somebody else has looked there already.
    """

    course: Course
    paths: tuple[Path, ...]
    folder: Path
    assignment: str = ""
    problems: tuple[str, ...] = ()
    students: tuple[str, ...] = ()
    roster: Path | None = None
    times: Path | None = None
    device: str = "cpu"
    dtype: str = "float64"
    min_tier: int | None = None
    seed: int | None = None
    allow_lower: bool = False
    cluster: str = ""
    jobs: int | None = None
    gathered: Intake | None = None


@dataclass(frozen=True, slots=True)
class Due:
    """One verdict to make. The files are read again when their turn comes, so that no class is held in memory."""

    entry: Entry
    slug: str


@dataclass(frozen=True, slots=True)
class Prepared:
    """A run that can start: nothing in it has been judged this time, and nobody else can write it."""

    request: Request
    store: Store
    plan: Plan
    keys: Mapping[str, Key]  # by problem, of an empty submission
    due: tuple[Due, ...]
    settled: int  # verdicts that stand and need no judging
    students: int
    survey: Survey
    device: str
    gpus: tuple[str, ...]
    notices: tuple[str, ...]


@contextlib.contextmanager
def prepared(request: Request) -> Iterator[Prepared]:
    """Settle everything that a run needs, and hold its file for the length of the block.

    Raises:
        UsageError: something asked for cannot be had; the sentence says what and what to do.
        AuthoringError: a problem cannot be read.
    """
    assignment = assignments.read(request.course, request.assignment) if request.assignment else None
    files = tuple(request.course.problem(slug) for slug in _slugs(request, assignment))
    found = _gathered(request, assignment)
    survey, device, gpus, said = _machine(request)
    with store.writing(request.folder) as kept:
        before = record.conditions(kept.connection)
        seed = _seed(request, before)
        conditions = Conditions(
            tier=survey.tier,
            words=survey.words,
            missing=tuple(survey.missing),
            device=device,
            dtype=request.dtype,
            seed=seed,
            versions=versions.versions(),
            environment=_environment(),
            assignment=request.assignment or before.get("assignment", ""),
            ignored=tuple(found.unmatched),
            gpus=gpus,
        )
        base = RunSettings(seed, {}, request.dtype, device, survey.tier, survey.layers)
        plan, redrawn = _plan(request.course, kept, files, base)
        seen = _seen(found.entries, tuple(request.course.slugs), known=assignment is not None)
        keys = _keys(plan, conditions)
        todo = _todo(kept, found.entries, seen, keys, allow_lower=request.allow_lower)
        kept.begin(
            conditions,
            [*_problems(request.course, kept, plan)],
            list(seen.values()),
            everybody=not request.students,
            afresh=any(step is not Step.DROP for _, step in todo),
        )
        due = _settled(kept, todo)
        total = len(found.entries) * len(files)
        notices = (*said, *_changed(before, conditions), *redrawn)
        settled = total - len(due)
        yield Prepared(request, kept, plan, keys, due, settled, len(found.entries), survey, device, gpus, notices)


def grade(prepared: Prepared, *, progress: Callable[[int, Work, Verdict], None]) -> Run:
    """Judge what is due, keeping each verdict as it comes, and return the whole run.

    Args:
        prepared: the run.
        progress: hears how many are done, and of the latest.

    Raises:
        UsageError: a verdict cannot be kept; those before it are.
    """
    done = 0

    def keep(work: Work, verdict: Verdict) -> None:
        nonlocal done
        key = replace(prepared.keys[work.slug], submission=work.submission.digest)
        lower = prepared.request.allow_lower
        prepared.store.keep(work.student, work.slug, key, verdict, allow_lower=lower)
        done += 1
        progress(done, work, verdict)

    if prepared.due:
        with _judges(prepared) as judges:
            classroom.judge_all(prepared.plan, _works(prepared), judges, keep)
    prepared.store.finish()
    return prepared.store.run()


def demanded(tier: int, survey: Survey) -> Survey:
    """Return what a machine isolates, if that is enough.

    Raises:
        TierError: it is not; the sentence names what is missing.
    """
    if survey.tier >= max(tier, 1):
        return survey
    missing = "; ".join(map(str, survey.missing)) or "grade doctor says more"
    instead = f", or accept less with --min-tier {survey.tier}" if survey.tier else ""
    raise TierError(
        f"this machine isolates student code at tier {survey.tier} ({survey.words}); tier {max(tier, 1)} is wanted. "
        f"Missing: {missing}. Raise the tier{instead}"
    )


def _slugs(request: Request, assignment: Assignment | None) -> tuple[str, ...]:
    """Return the problems to judge, in the order of the assignment or the course."""
    listed = request.course.slugs if assignment is None else assignment.problems
    if not listed:
        raise CourseError(f"{request.course.root / 'problems'} holds no problem; there is nothing to grade with")
    strange = [slug for slug in request.problems if slug not in listed]
    if strange:
        raise CourseError(f"no problem {strange[0]!r} to grade; known: {', '.join(listed)}")
    return tuple(slug for slug in listed if not request.problems or slug in request.problems)


def _gathered(request: Request, assignment: Assignment | None) -> Intake:
    found = request.gathered or intake.gather(
        request.paths,
        request.course.slugs,
        roster=request.roster,
        times=request.times,
        assignment=assignment,
        students=request.students,
        run=request.folder,
    )
    if not found.entries:
        paths = ", ".join(map(str, request.paths[:3])) + (" and more" if len(request.paths) > 3 else "")  # noqa: PLR2004
        reasons = "; ".join(f"{path}: {reason}" for path, reason in found.unmatched[:3])
        raise SubmissionError(f"there is nothing to grade at {paths}{f' ({reasons})' if reasons else ''}")
    return found


def _machine(request: Request) -> tuple[Survey, str, tuple[str, ...], tuple[str, ...]]:
    """Return what isolates, the device, its GPUs, and what is to be said: of this machine, or of a cluster."""
    wanted = request.course.min_tier if request.min_tier is None else request.min_tier
    if request.cluster:
        from grader import cluster

        look = cluster.look(request.cluster, request.device)
        return demanded(wanted, look.survey), look.device, tuple(look.gpus), tuple(look.notes)
    device = machine.settle_device(request.device)
    return demanded(wanted, isolation.survey()), device, machine.gpus(device), ()


def _judges(prepared: Prepared) -> Judges:
    request = prepared.request
    if request.cluster:
        from grader import cluster

        return cluster.judges(request.cluster, prepared.plan)
    jobs = request.jobs or (machine.cores() if prepared.device == "cpu" else 1)
    return classroom.local_judges(prepared.plan, min(jobs, len(prepared.due)))


def _works(prepared: Prepared) -> Iterator[Work]:
    slugs, last = tuple(prepared.request.course.slugs), None
    for due in prepared.due:
        if last is None or last[0] is not due.entry:
            last = due.entry, due.entry.submission(slugs)
        yield Work(due.entry.student, due.slug, last[1])


def _seed(request: Request, before: Mapping[str, Any]) -> int:
    """Return the seed of the run: the one it has, the one that is asked for, or a new one.

    Raises:
        UsageError: another one is asked for than the run has.
    """
    if "seed" not in before:
        return secrets.randbits(SEED_BITS) if request.seed is None else request.seed
    seed = int(before["seed"])
    if request.seed not in {None, seed}:
        raise UsageError(
            f"the examples of {request.folder} were drawn from another seed, and stay the same for everybody; "
            "leave --seed out, or choose another folder with -o"
        )
    return seed


def _plan(
    course: Course, kept: Store, files: Sequence[ProblemFiles], base: RunSettings
) -> tuple[Plan, tuple[str, ...]]:
    """Return what to judge with the run's examples, and what is to be said of those that are drawn now."""
    before = dict(kept.connection.execute("SELECT slug, digest FROM problems"))
    settings, redrawn = [], []
    for one in files:
        examples = record.examples(kept.connection, one.slug, one.digest)
        if not examples:
            examples = judge.settled(problems.load(one), base.seed)
            if one.slug in before:
                redrawn.append(
                    f"{one.slug} has changed since it was judged: new examples are drawn, from the same seed."
                )
        settings.append(replace(base, examples=examples))
    return Plan(tuple(files), tuple(settings), course.preload), tuple(redrawn)


def _problems(course: Course, kept: Store, plan: Plan) -> Iterator[Problem]:
    """Yield the problems of the run as they are now: those to judge, and those that it holds from before."""
    for files, settings in zip(plan.problems, plan.settings, strict=True):
        yield Problem(files.slug, files.digest, proofs.proved(course, files), settings.examples)
    planned = {files.slug for files in plan.problems}
    for (slug,) in kept.connection.execute("SELECT slug FROM problems").fetchall():
        if slug not in planned:
            with contextlib.suppress(CourseError):  # gone from the course: what was judged stays as it is
                files = course.problem(slug)
                yield Problem(slug, files.digest, proofs.proved(course, files))


def _seen(entries: Sequence[Entry], slugs: tuple[str, ...], *, known: bool) -> dict[str, Seen]:
    """Return the students as they are now.

    Args:
        entries: whom the run found.
        slugs: all problems of the course.
        known: an assignment says what is late.
    """
    found = {}
    for entry in entries:
        found[entry.student] = Seen(
            student=entry.student,
            digest=entry.submission(slugs).digest,
            places=tuple(replace(place, path=place.path.absolute()) for place in entry.places),
            handed_in=entry.handed_in.isoformat(timespec="seconds") if entry.handed_in is not None else "",
            late=entry.late if known else None,
            note=entry.note,
        )
    return found


def _keys(plan: Plan, conditions: Conditions) -> dict[str, Key]:
    return {
        files.slug: Key(
            submission="",
            problem=files.digest,
            examples=record.digest(settings.examples),
            environment=conditions.environment,
            device=conditions.device,
            dtype=conditions.dtype,
            tier=conditions.tier,
        )
        for files, settings in zip(plan.problems, plan.settings, strict=True)
    }


def _todo(
    kept: Store, entries: Sequence[Entry], seen: Mapping[str, Seen], keys: Mapping[str, Key], *, allow_lower: bool
) -> list[tuple[Due, Step]]:
    """Return what is to be done, student by student; nothing is done yet."""
    before = record.verdicts(kept.connection)
    todo: list[tuple[Due, Step]] = []
    for entry in entries:
        for slug, key in keys.items():
            known: Mapping[str, Kept] = before.get((entry.student, slug), {})
            now = replace(key, submission=seen[entry.student].digest)
            wanted = step(now, known.get("stands"), known.get("waits"), allow_lower=allow_lower)
            if wanted is not Step.LEAVE:
                todo.append((Due(entry, slug), wanted))
    return todo


def _settled(kept: Store, todo: Sequence[tuple[Due, Step]]) -> tuple[Due, ...]:
    """Do what needs no judging, and return the rest."""
    for due, wanted in todo:
        if wanted is Step.LOWER:
            kept.lower(due.entry.student, due.slug)
        elif wanted is Step.DROP:
            kept.drop(due.entry.student, due.slug)
    return tuple(due for due, wanted in todo if wanted is Step.JUDGE)


def _environment() -> str:
    """Return as text what a verdict depends on beside files: what draws examples is not in it, for they are stored."""
    return json.dumps(
        {name: one for name, one in versions.environment().items() if name != "hypothesis"}, sort_keys=True
    )


def _changed(before: Mapping[str, Any], now: Conditions) -> Iterator[str]:
    """Yield what differs from how the run was graded before, since everything is judged again for it."""
    if not before:
        return
    pairs = {
        "device": (before["device"], now.device),
        "dtype": (before["dtype"], now.dtype),
        "isolation tier": (before["tier"], now.tier),
    }
    old, new = json.loads(before["environment"]), json.loads(now.environment)
    pairs |= {name: (old.get(name, "none"), new.get(name, "none")) for name in sorted({*old, *new})}
    differing = [f"{name} {was} is now {is_now}" for name, (was, is_now) in pairs.items() if was != is_now]
    if differing:
        yield f"Since this run was last graded, {', '.join(differing)}: what is graded now is judged again."
    elif before.get("gpus", []) != [*now.gpus]:
        was, is_now = (", ".join(gpus) or "one that was not recorded" for gpus in (before.get("gpus", []), now.gpus))
        yield f"What stands was judged on another GPU ({was}) than what is judged now ({is_now})."
