"""What a student's total is, and why there is none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grader.submission import Submission
from grader.submission.names import shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from grader.results import Graded, Result, Run

NOTHING = "nothing was handed in"
UNJUDGED = "not judged yet"
BROKEN = "BROKEN: it could not be judged, through no fault of the student"
PENDING = "a part marked by hand is pending"
_NO_FILES = Submission.of("", ()).digest


def handed_in(graded: Graded) -> bool:
    """Say whether there is anything to score: a file that can hold an answer, or points that a person gave."""
    delivered = bool(graded.places or graded.path) and graded.digest != _NO_FILES
    return delivered or any(result.marks for result in graded.results)


def missing(result: Result) -> str:
    """Return why one problem has no score; "" where it has one."""
    if result.score is None:
        return BROKEN
    return PENDING if result.judged.manual_points and result.by_hand is None else ""


def reason(graded: Graded) -> str:
    """Return why a student has no total; "" where there is one."""
    if not handed_in(graded):
        return NOTHING
    found = [missing(result) for result in graded.results]
    if graded.unjudged or not found:
        found.append(UNJUDGED)
    return next((why for why in (BROKEN, UNJUDGED, PENDING) if why in found), "")


def total(graded: Graded, *, late: bool) -> float | None:
    """Return a student's points, with what lateness costs taken off if asked for; None where `reason` says why."""
    if reason(graded):
        return None
    return graded.score if late else graded.earned


def part(graded: Graded, result: Result) -> float | None:
    """Return a student's points in one problem; None where there are none to tell."""
    return None if missing(result) or not handed_in(graded) else result.score


def worth(graded: Graded) -> float:
    """Return what all problems are worth, with the parts that are marked by hand."""
    return sum(result.judged.points + result.judged.manual_points for result in graded.results)


def names(found: Iterable[str]) -> str:
    """Return all of some names as they may be printed."""
    return ", ".join(map(shown, found))


def empty(students: Sequence[Graded]) -> Iterator[str]:
    """Yield a sentence for each reason why students have no total, with all their names."""
    for why in (BROKEN, UNJUDGED, PENDING, NOTHING):
        if concerned := [graded.student for graded in students if reason(graded) == why]:
            yield f"No score ({why}): {names(concerned)}."


def remarks(run: Run) -> Iterator[str]:
    """Yield what else about the scores of a run is worth knowing before they are uploaded."""
    if not run.finished:
        yield "The last grading was stopped before its end; the same grade run again goes on with it."
    if absent := [graded.student for graded in run.students if not graded.present]:
        yield f"Not found by the latest grading, so as judged before: {names(absent)}."
    stale = [graded.student for graded in run.students if any(result.stale for result in graded.results)]
    if stale:
        yield f"Stale, since something changed after it was judged; grade again: {names(stale)}."


def lateness(students: Sequence[Graded]) -> Iterator[str]:
    """Yield what to know where lateness is to be taken off."""
    if all(graded.late is None for graded in students):
        yield "The run knows no due date, so nothing was taken for lateness; grade with --assignment to have one."
    unknown = [graded.student for graded in students if graded.late is not None and graded.late.seconds is None]
    if unknown:
        yield f"When it was handed in is not known, so nothing was taken for lateness: {names(unknown)}."
