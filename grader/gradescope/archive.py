"""The archive: set-up, the script that Gradescope starts, the grader from this very installation, and the problems.

::

    setup.sh, run_autograder, judge    see files/
    requirements.txt, torch.txt        what set-up installs; the latter only where a problem needs PyTorch
    plan.json                          what is graded, under which conditions, on which examples
    seconds.txt                        when run_autograder stops waiting
    unfinished.json, not_set_up.json   results for the ways in which nothing else gets to write any
    course/                            problems and references, and no more of them than judging needs
    grader/                            this package

The same course, installation, wishes and seed give the same bytes.
"""

from __future__ import annotations

import ast
import hashlib
import io
import json
import secrets
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grader import assignments, judge, proofs, variants
from grader import problem as problems
from grader.errors import CourseError, UsageError
from grader.gradescope import document, packages, plan
from grader.gradescope.plan import Plan
from grader.machine import CPU_BUILD

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from grader.course import Course, ProblemFiles
    from grader.problem import Problem

FILES = Path(__file__).with_name("files")
PACKAGE = Path(__file__).parent.parent
SPARE_SECONDS = 20  # of Gradescope's time, for what the shell has to do after the grader
SEED_BITS = 63
_EPOCH = (1980, 1, 1, 0, 0, 0)  # the earliest that a zip can tell
_RUNNABLE = ("setup.sh", "run_autograder")
_KEPT = (".py", ".html", ".css", ".js", ".svg", ".typed")  # endings of files of the package


@dataclass(frozen=True, slots=True)
class Wishes:
    """What an instructor decides; see `plan.Plan`. ``torch`` is a line for pip, empty for the version that is here."""

    hidden: str = "after_published"
    min_tier: int = 2
    minutes: int = plan.MINUTES
    memory_mib: int = plan.MEMORY_MIB
    torch: str = ""


@dataclass(frozen=True, slots=True)
class Made:
    """An archive, and what to know about it."""

    content: bytes
    plan: Plan
    points: float
    manual_points: float
    torch: tuple[str, ...]  # what pip is given for PyTorch
    slowest_minutes: float  # if every check takes all the time it may


def slugs(course: Course, wanted: Iterable[str]) -> tuple[str, ...]:
    """Return the problems that are meant: those of an assignment, those that are named, or all of the course.

    Raises:
        CourseError: there is none, or a name is neither an assignment nor a problem.
    """
    wanted = tuple(wanted)
    if len(wanted) == 1 and wanted[0] not in course.slugs and wanted[0] in assignments.names(course):
        return assignments.read(course, wanted[0]).problems
    found = tuple(dict.fromkeys(course.problem(slug).slug for slug in wanted)) or course.slugs
    if not found:
        raise CourseError(f"there is no problem in {course.root / 'problems'}, so there is nothing to grade")
    return found


def make(course: Course, names: Iterable[str], wishes: Wishes, *, seed: int, before: Plan | None = None) -> Made:
    """Return an archive that grades some problems.

    Args:
        course: the whole course, with references.
        names: the problems.
        wishes: what the instructor decides.
        seed: examples are drawn from it.
        before: the plan of an earlier archive with this seed; problems that are as they were keep its examples.

    Raises:
        CourseError: a reference is missing.
        UsageError: something that the problems need is not installed here.
        AuthoringError: a problem breaks a rule of the author's words.
    """
    files = {slug: _whole(course, slug) for slug in names}
    loaded = {slug: problems.load(one) for slug, one in files.items()}
    modules = packages.imported(files.values(), course.preload)
    torch = packages.torch(modules, wishes.torch)
    kept = before if before is not None and before.seed == seed else None
    made = Plan(
        seed=seed,
        digests={slug: one.digest for slug, one in files.items()},
        examples={slug: _examples(problem, files[slug].digest, seed, kept) for slug, problem in loaded.items()},
        preload=course.preload,
        torch=bool(torch),
        hidden=wishes.hidden,
        min_tier=wishes.min_tier,
        minutes=wishes.minutes,
        memory_mib=wishes.memory_mib,
    )
    content = _content(made, course, files.values(), loaded.values())
    content["requirements.txt"] = _lines(packages.pinned(modules))
    if torch:
        content["torch.txt"] = _lines(torch)
    return Made(
        content=_zipped(content),
        plan=made,
        points=sum(problem.points for problem in loaded.values()),
        manual_points=sum(problem.manual_points for problem in loaded.values()),
        torch=torch,
        slowest_minutes=sum(map(_slowest, loaded.values())) / 60,
    )


def earlier(path: Path) -> Plan | None:
    """Return the plan of the archive at a path; None where nothing is there.

    Raises:
        UsageError: what is there is no archive of ours, and is not to be written over.
    """
    if not path.exists():
        return None
    try:
        with zipfile.ZipFile(path) as archive:
            return plan.read(archive.read(plan.NAME).decode(), str(path))
    except (CourseError, KeyError, OSError, ValueError, zipfile.BadZipFile):
        raise UsageError(
            f"{path} is there and is no archive that grade gradescope made; name another with -o, or move it away"
        ) from None


def settled_seed(seed: int | None, before: Plan | None) -> int:
    """Return the seed to draw from: the one that is asked for, the earlier archive's, or a new one."""
    if seed is not None:
        return seed
    return before.seed if before is not None else secrets.randbits(SEED_BITS)


def notes(course: Course, made: Made, wishes: Wishes) -> Iterator[str]:
    """Yield what to know before an archive is uploaded."""
    if made.torch and not wishes.torch:
        yield (
            f"PyTorch is installed there by `pip install {' '.join(made.torch)}`, which on most machines brings "
            f"gigabytes for GPUs that Gradescope does not have. For the CPU build, choose Linux, Pip and CPU at "
            f"{CPU_BUILD} and give the line that it shows with --torch."
        )
    if made.slowest_minutes > wishes.minutes:
        yield (
            f"If every check takes all the time that it may, this takes {made.slowest_minutes:.0f} minutes, and "
            f"Gradescope stops after {wishes.minutes}: what is not judged by then gets 0 points and says so. Give "
            "fewer problems an assignment each, or raise the limit there and say so with --minutes."
        )
    if wishes.min_tier < 2:  # noqa: PLR2004 - what graded runs demand
        yield "At tier 1 less is contained than graded work needs; docs/gradescope.md says what is left open."
    if unproved := [slug for slug in made.plan.digests if not proofs.proved(course, course.problem(slug))]:
        yield f"Used without a proof: {', '.join(unproved)}. To prove them: grade verify {' '.join(unproved)}"


def summary(path: Path, made: Made) -> dict[str, Any]:
    """Return what `grade gradescope --json` prints; the seed is not in it, since it is secret."""
    return {
        "file": str(path),
        "bytes": len(made.content),
        "sha256": hashlib.sha256(made.content).hexdigest(),
        "problems": list(made.plan.digests),
        "points": made.points,
        "manual_points": made.manual_points,
        "torch": list(made.torch),
        "hidden": made.plan.hidden,
        "min_tier": made.plan.min_tier,
        "minutes": made.plan.minutes,
        "memory_mib": made.plan.memory_mib,
    }


def _whole(course: Course, slug: str) -> ProblemFiles:
    files = course.problem(slug)
    if not files.reference:
        path = course.root / "reference" / f"{slug}.py"
        raise CourseError(f"{path} is missing; an archive is made where the references are")
    return files


def _examples(problem: Problem, digest: str, seed: int, before: Plan | None) -> Mapping[str, tuple[bytes, ...]]:
    if before is not None and before.digests.get(problem.slug) == digest:
        return before.examples[problem.slug]
    return judge.settled(problem, seed)


def _content(
    made: Plan, course: Course, files: Iterable[ProblemFiles], loaded: Iterable[Problem]
) -> dict[str, str | bytes]:
    content: dict[str, str | bytes] = {path.name: path.read_bytes() for path in sorted(FILES.iterdir())}
    content[plan.NAME] = made.text()
    content["seconds.txt"] = f"{made.minutes * 60 - SPARE_SECONDS}\n"
    loaded = tuple(loaded)
    for name, said in (("unfinished.json", document.UNFINISHED), ("not_set_up.json", document.NOT_SET_UP)):
        verdicts = [document.unjudged(problem, "Not judged.") for problem in loaded]
        content[name] = document.document(verdicts, hidden=made.hidden, said=[said], extra={"tier": 0})
    for one in files:
        content |= {f"course/{path}": text for path, text in _problem(one).items()}
    if course.preload:
        content["course/course.toml"] = f"preload = {json.dumps(list(course.preload))}\n"
    for path in sorted(PACKAGE.rglob("*")):
        inner = path.relative_to(PACKAGE)
        if path.suffix in _KEPT and "__pycache__" not in inner.parts and path.is_file():
            content[f"grader/{inner.as_posix()}"] = path.read_bytes()
    return content


def _problem(files: ProblemFiles) -> dict[str, str]:
    """Return what judging needs of one problem: no right variant, no mark scheme, nothing for students' machines."""
    home = f"problems/{files.slug}"
    points = [line for line in files.marking.splitlines() if line.startswith("points:")]
    texts = {
        f"{home}/statement.md": files.statement,
        f"{home}/visible.py": files.visible,
        f"{home}/hidden.py": files.hidden,
        f"{home}/variants.py": _mistakes(files),
        f"{home}/probes.py": files.probes,
        f"{home}/marking.md": _lines(points[:1]),
        f"reference/{files.slug}.py": files.reference,
        f"student_template/{files.slug}.py": files.stub,
    }
    return {path: text for path, text in texts.items() if text}


def _mistakes(files: ProblemFiles) -> str:
    """Return ``variants.py`` without right answers, as far as the mistakes stay what they are."""
    where = f"problems/{files.slug}/variants.py"
    if not files.variants:
        return ""
    whole = variants.read(files.variants, files.reference, where)
    right = {one.name for one in whole if one.right}
    lines = files.variants.splitlines()
    for node in reversed(ast.parse(files.variants).body):
        if getattr(node, "name", "") in right:
            assert isinstance(node, variants.DEFINITIONS), "a variant is a function or a class"
            first = min([node.lineno, *(mark.lineno for mark in node.decorator_list)]) - 1
            del lines[first : node.end_lineno]
    fewer = "\n".join(lines) + "\n"
    try:
        same = variants.read(fewer, files.reference, where) == tuple(one for one in whole if not one.right)
    except CourseError:
        same = False
    return fewer if same else files.variants


def _slowest(problem: Problem) -> float:
    """Return how long a problem can take at most, in seconds: on the clock, three times what it may compute."""
    limits = problem.settings
    checks = min(limits.problem_seconds, limits.seconds * len(problem.checks))
    return 3 * (checks + limits.import_seconds)


def _lines(lines: Iterable[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def _zipped(content: Mapping[str, str | bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(content):
            text = content[name]
            entry = zipfile.ZipInfo(name, _EPOCH)
            entry.create_system = 3  # Unix, wherever it is made
            entry.external_attr = (0o100755 if name in _RUNNABLE else 0o100644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, text.encode() if isinstance(text, str) else text)
    return buffer.getvalue()
