"""A small class made of a course's own references, stubs and variants, to see grading before there are students.

Who hands in what is the same every time. The names are invented.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from grader import problem as problems
from grader import verify
from grader.errors import CourseError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from grader.course import Course

MARK = "demo.txt"
CLASS = "class"
RUN = "run"
SEED = 2  # a demo shows the same class to everybody
STUDENTS = (
    "amara_obi",
    "benedikt_falk",
    "chiara_lenzi",
    "dilan_aksoy",
    "emil_vesely",
    "farah_nassar",
    "gustav_lind",
    "hana_moriya",
    "ines_quental",
    "jonas_reuter",
)


@dataclass(frozen=True, slots=True)
class HandIn:
    """What one student of the demo hands in for one problem; ``text`` is None where that is nothing."""

    student: str
    slug: str
    candidate: str
    kind: str
    text: str | None


def hand_ins(course: Course) -> tuple[HandIn, ...]:
    """Return what everybody hands in: the first knows everything, the last hands in stubs, one misses a file.

    Raises:
        CourseError: the course has no problem with a worked solution.
    """
    found = []
    for place, slug in enumerate(course.slugs):
        files = course.problem(slug)
        if files.reference:
            found += list(_for_problem(slug, place, list(verify.candidates(problems.load(files)))))
    if not found:
        raise CourseError(f"a demo is made of worked solutions, and there is none in {course.root / 'reference'}")
    return tuple(found)


def write(folder: Path, handed_in: Sequence[HandIn]) -> Path:
    """Write the class below ``folder`` and return where it lies; an earlier demo is written over.

    Raises:
        UsageError: the folder holds something else, or cannot be written.
    """
    _demand_ours(folder)
    try:
        for one in handed_in:
            path = folder / CLASS / one.student / f"{one.slug}.py"
            path.parent.mkdir(parents=True, exist_ok=True)
            if one.text is None:
                path.unlink(missing_ok=True)
            else:
                path.write_text(one.text, encoding="utf-8")
        (folder / MARK).write_text(_key(handed_in), encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{folder} cannot be written ({error.strerror}); choose another folder with -o") from error
    return folder / CLASS


def _for_problem(slug: str, place: int, candidates: list[tuple[str, str, str]]) -> Iterator[HandIn]:
    (_, _, reference), (_, _, stub), *variants = candidates
    for number, student in enumerate(STUDENTS):
        if number == 0:
            yield HandIn(student, slug, "reference", "right", reference)
        elif number == len(STUDENTS) - 1:
            # The last one, and who comes before, have not done everything: a stub here, no file there.
            yield HandIn(student, slug, "stub", "stub", stub)
        elif number == len(STUDENTS) - 2 and place == 0:
            yield HandIn(student, slug, "nothing", "missing", None)
        else:
            name, kind, text = _picked(variants, number - 1 + 3 * place) or ("reference", "right", reference)
            yield HandIn(student, slug, name, kind, text)


def _picked(variants: list[tuple[str, str, str]], turn: int) -> tuple[str, str, str] | None:
    """Return a right and a wrong variant by turns, going through all of each."""
    kind, step = ("right", turn // 2) if turn % 2 else ("wrong", (turn + 1) // 2)
    fitting = [variant for variant in variants if variant[1] == kind]
    return fitting[step % len(fitting)] if fitting else None


def _demand_ours(folder: Path) -> None:
    if not folder.exists():
        return
    if not folder.is_dir():
        raise UsageError(f"{folder} is a file; name a new folder for the demo with -o")
    if any(folder.iterdir()) and not (folder / MARK).is_file():
        raise UsageError(f"{folder} is not empty and no earlier demo; name a new folder for the demo with -o")


def _key(handed_in: Sequence[HandIn]) -> str:
    lines = [f"{one.student:16} {one.slug:24} {one.kind:8} {one.candidate}" for one in handed_in]
    return "\n".join(["Written by grade demo: who handed in what. Running it again writes over it.", "", *lines, ""])
