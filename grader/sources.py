"""What was handed in as plain files, one a student and problem, with the known answers beside them: to compare or read.

::

    students/NAME/SLUG.py       the answer as it was judged: a notebook's code cells, then the modules beside it
    known/reference/SLUG.py     the worked solution
    known/VARIANT/SLUG.py       right answers of another make
    handed_out/SLUG.py          the stub: what everybody has in common

Nothing of it is run or parsed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from grader import problem as problems
from grader import submission, verify
from grader.errors import SubmissionError, UsageError
from grader.report.page import names

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from grader.course import Course
    from grader.results import Graded, Run
    from grader.submission import Answer

STUDENTS, KNOWN, HANDED_OUT = "students", "known", "handed_out"


@dataclass(frozen=True, slots=True)
class Sources:
    """Files by their paths, and a sentence for whatever is not among them or not as it was graded."""

    files: Mapping[str, bytes]
    students: int
    remarks: tuple[str, ...] = ()


def files(run: Run, course: Course, slugs: Sequence[str] = ()) -> Sources:
    """Return what the students of a run handed in, and what is known of these problems.

    Args:
        run: whose students are wanted.
        course: where its problems lie.
        slugs: the problems that are wanted; all of the run's if none is named.

    Raises:
        UsageError: the run has no such problem, or nothing was handed in for it.
        CourseError: the course has no such problem.
    """
    if strange := [slug for slug in slugs if slug not in run.problems]:
        raise UsageError(f"the run has no problem {strange[0]!r}; its problems: {', '.join(run.problems)}")
    wanted = tuple(slugs) or tuple(run.problems)
    made: dict[str, bytes] = {}
    remarks: list[str] = []
    for graded in run.students:
        theirs, said = _of(graded, wanted, course.slugs)
        made |= theirs
        remarks += said
    students = len({path.split("/")[1] for path in made})
    if not students:
        raise UsageError(f"nothing was handed in for {', '.join(wanted)}, or nothing is there any more")
    for slug in wanted:
        made |= _known(course, slug)
    return Sources(made, students, tuple(remarks))


def _of(graded: Graded, slugs: Sequence[str], all_slugs: tuple[str, ...]) -> tuple[dict[str, bytes], list[str]]:
    handed_in = submission.load_places(graded.places, student=graded.student, slugs=all_slugs)
    if handed_in.refused:
        return {}, [f"{graded.student}: {handed_in.refused}"]
    remarks = []
    if handed_in.digest != graded.digest:
        remarks.append(f"{graded.student}: the files have changed since they were graded; these are today's.")
    made = {}
    for slug in slugs:
        try:
            answer = submission.answer(handed_in, slug)
        except SubmissionError as error:
            remarks.append(f"{graded.student}, {slug}: {error}")
            continue
        if answer is not None:
            made[f"{STUDENTS}/{names.stem(graded.student)}/{slug}.py"] = _text(answer).encode()
    return made, remarks


def _text(answer: Answer) -> str:
    """Return an answer as one text: who copies a module copies it under another name."""
    parts = [*answer.main.cells, *(text for _, text in answer.helpers)]
    return "\n\n".join(part.strip("\n") for part in parts) + "\n"


def _known(course: Course, slug: str) -> dict[str, bytes]:
    files = course.problem(slug)
    problem = problems.load(files)
    made = {f"{HANDED_OUT}/{slug}.py": problem.stub.encode()}
    if files.reference:
        made |= {
            f"{KNOWN}/{name}/{slug}.py": text.encode()
            for name, kind, text in verify.candidates(problem)
            if kind == "right"
        }
    return made
