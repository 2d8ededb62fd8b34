"""Parts (d) and (g): how time and memory grow with the class, and what a whole class takes on two cores."""

from __future__ import annotations

import os
from dataclasses import dataclass

from classes import hand_ins, write
from measuring import GRADE, ROOT, Used, Watched, compared, finished

from grader import course

JOBS = 2
CORE_SECONDS = 0.045  # for a verdict: a thousand students by eight problems in three minutes on two cores
KINDS = {"the grader": "-m grader ", "a judge": "seat.main"}  # by their command lines


@dataclass(frozen=True)
class Graded:
    """What grading one class took, and the most memory that a process of each kind held."""

    students: int
    used: Used
    mib: dict[str, float]


def rows(folder, sizes):
    """Yield how three classes of growing size compare, and what the largest takes, with answers in common or none.

    Args:
        folder: where the classes and their runs are put; must not exist.
        sizes: three numbers of students.
    """
    classes = [_graded(folder / f"of {size}", size, bits=False) for size in sizes]
    small, middle, large = classes
    further = [
        (more.used.wall - less.used.wall) / (more.students - less.students)
        for less, more in ((middle, large), (small, middle))
    ]
    sizes = f"{large.students} students : {small.students}"
    if min(further) > 0:
        note = f"from {middle.students} to {large.students} students : from {small.students} to {middle.students}"
        yield compared(
            "d", "each further student, of a larger class : of a smaller", *further, aim="about 1", note=note
        )
    for kind in KINDS:
        if small.mib[kind]:
            note = "the most at any look"
            what = f"memory of {kind}, {sizes}"
            yield compared("d", what, large.mib[kind], small.mib[kind], aim="about 1", unit="MiB", note=note)
    yield _whole(large, "many answers alike")
    yield _whole(_graded(folder / "bits", large.students, bits=True), "no two answers alike")


def _whole(graded, alike):
    problems = len(course.find(ROOT).slugs)
    jobs = min(JOBS, os.cpu_count() or 1)
    each = graded.used.wall * jobs / (graded.students * problems)
    what = f"a verdict of {graded.students} students by {problems} problems : 45 ms of a core"
    note = f"{alike}: {graded.used.wall:.0f} s on {jobs} cores, start included"
    return compared("g", what, each, CORE_SECONDS, aim="at most 1", note=note)


def _graded(folder, students, *, bits):
    handed_in = write(folder, hand_ins(ROOT, students, bits=bits))
    command = [*GRADE, "--course", ROOT, "run", handed_in, "-o", folder / "run", "--min-tier", "1", "--jobs", JOBS]
    with Watched(**KINDS) as watched:
        used = finished([*command, "--seed", "1"])
    return Graded(students, used, watched.peak)
