"""A check's result as the outputs of its grade cell: a report for the student, then the points as nbgrader reads them.

nbgrader goes through the outputs in order: an error or anything on stderr is 0 points, the first result that is a
float is the score, and a cell with neither is worth all its points. So there is always one of them, and never stderr.
The report is plain text, which every reader escapes: what it quotes may come from a student's file.
"""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

from grader.export import feedback
from grader.report.text import EXPLAINED, WORDS, counted, points, safe, sign
from grader.verdict import Status

if TYPE_CHECKING:
    from collections.abc import Sequence

    from grader.verdict import CheckResult

WIDTH = 80
UNSCORED = "NotGraded"
BY_A_PERSON = "It has no score yet, through no fault of the student: a person has to give it."


def share(check: CheckResult, worth: float) -> float | None:
    """Return the score of a check where the gradebook gives it ``worth`` points; None if it has no score.

    The gradebook decides what a check is worth: the points of its source notebook may have been edited there.
    """
    if check.score is None:
        return None
    if check.points == worth:
        return min(max(float(check.score), 0.0), worth)
    part = check.score / check.points if check.points else float(check.status is Status.PASSED)
    return min(max(part, 0.0), 1.0) * worth


def outputs(check: CheckResult, worth: float, notes: Sequence[str] = ()) -> list[dict[str, Any]]:
    """Return the outputs of a check's grade cell.

    Args:
        check: the check's result.
        worth: the points that the gradebook gives for it.
        notes: what else the student is told of the file.
    """
    score = share(check, worth)
    word = EXPLAINED.get(check.status, WORDS[check.status])
    head = f"{sign(check.status)} {word}: {points(score)} of {counted(worth, 'point')}"
    told = [head, feedback.check(check), *(f"Note: {safe(note)}" for note in notes)]
    report = display(_wrapped("\n".join(told)))
    return [report, unscored() if score is None else result(score)]


def _wrapped(text: str) -> str:
    """Return a text in lines that fit nbgrader's pages; what is drawn with spaces stays as it is drawn."""
    lines = []
    for line in text.split("\n"):
        drawn = len(line) <= WIDTH or line.startswith(" ") or "   " in line
        lines += [line] if drawn else textwrap.wrap(line, WIDTH, break_long_words=False, break_on_hyphens=False)
    return "\n".join(lines)


def display(text: str) -> dict[str, Any]:
    """Return a text as an output that nbgrader shows and does not score."""
    return {"output_type": "display_data", "data": {"text/plain": text}, "metadata": {}}


def result(score: float) -> dict[str, Any]:
    """Return a score as the value of a cell: a plain float, whose text nbgrader reads back without loss."""
    return {
        "output_type": "execute_result",
        "data": {"text/plain": repr(float(score))},
        "metadata": {},
        "execution_count": 1,
    }


def unscored() -> dict[str, Any]:
    """Return an error: nbgrader's own reading gives it no points, and `SaveGrades` asks for a person."""
    return {
        "output_type": "error",
        "ename": UNSCORED,
        "evalue": BY_A_PERSON,
        "traceback": [f"{UNSCORED}: {BY_A_PERSON}"],
    }
