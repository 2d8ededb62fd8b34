"""What a student is told about a result: messages and hints, never a detail."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grader.report.text import counted, points, safe
from grader.verdict import Status

if TYPE_CHECKING:
    from collections.abc import Iterator

    from grader.results import Graded, Result
    from grader.verdict import CheckResult


def check(result: CheckResult, *, promise: bool = True) -> str:
    """Return what is said of one check, safe to print.

    Args:
        result: the check.
        promise: begin with what the check promises.
    """
    told = [result.message if promise else result.finding]
    if result.hint:
        told.append(f"Hint: {result.hint}")
    return safe("\n".join(filter(None, told)), lines=True)


def student(graded: Graded, *, late: bool) -> list[str]:
    """Return what is said of all problems, line by line: points, and whatever did not pass."""
    lines = [line for result in graded.results for line in problem(result)]
    if late and graded.late is not None and graded.earned is not None and graded.late.sentence:
        lines.append(f"{graded.late.line(graded.earned)}.")
    return lines


def problem(result: Result) -> Iterator[str]:
    """Yield what is said of one problem, line by line."""
    judged = result.judged
    possible = judged.points + (judged.manual_points if result.by_hand else 0)
    yield f"{judged.problem}: {points(result.score)} of {counted(possible, 'point')}"
    for sentence in standing(result):
        yield f"  {sentence}"
    for one in result.verdict.checks:
        if one.status is not Status.PASSED:
            first, *rest = check(one).split("\n")
            yield f"  * {first}"
            yield from (f"    {line}" for line in rest)


def standing(result: Result) -> Iterator[str]:
    """Yield what a person added to, changed in or still owes a judged problem."""
    if result.by_hand is not None:
        yield f"{points(result.by_hand.points)} of {counted(result.judged.manual_points, 'point')} marked by hand."
    elif result.judged.manual_points:
        yield f"{counted(result.judged.manual_points, 'point')} will be marked by hand."
    if result.verdict.score != result.judged.score:
        yield f"What was judged was changed by hand to {counted(result.verdict.score or 0, 'point')}."
