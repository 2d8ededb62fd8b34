"""When each student handed in, from a CSV file of ``student`` and ``time``.

The first line may name the columns, in any order, among others: the student's as a roster does, the time's ``time``,
``submitted``, ``submitted at``, ``handed in``, ``pushed at``, ``date`` or ``timestamp``. Without such a line
the first column is the student's and the second the time's. Every time states its offset from UTC.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from grader.errors import UsageError
from grader.intake.roster import WHO
from grader.intake.tables import plain, read_table
from grader.submission.moments import FORMS, moment
from grader.submission.names import quoted, twin

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime
    from pathlib import Path

_WHEN = ("time", "submitted", "submitted at", "handed in", "pushed at", "date", "timestamp")


@dataclass(frozen=True, slots=True)
class Time:
    """One line: a name of a student, and when in UTC."""

    line: int
    student: str
    time: datetime


def read(path: Path) -> tuple[Time, ...]:
    """Read a list of times; lines without a time, of students who have handed in nothing, are passed over.

    Raises:
        UsageError: it cannot be read, a time has no offset or is none, or a student is there twice.
    """
    lines = read_table(path)
    who, when, first = _columns(path, lines[0].cells)
    found: dict[str, Time] = {}
    for line in lines[first:]:
        cells = (*line.cells, *[""] * (max(who, when) + 1 - len(line.cells)))
        if not cells[when]:
            continue
        time = moment(cells[when])
        if time is None or not cells[who]:
            raise UsageError(
                f"{path}, line {line.number}: {quoted(cells[when])} is no time with an offset from UTC of a student; "
                f"write it as {FORMS}"
            )
        known = found.setdefault(twin(cells[who]), Time(line.number, cells[who], time))
        if known.line != line.number:
            raise UsageError(
                f"{path}: lines {known.line} and {line.number} are both of {quoted(cells[who])}; "
                "keep the one of the submission that counts"
            )
    return tuple(found.values())


def _columns(path: Path, cells: Sequence[str]) -> tuple[int, int, int]:
    """Return which column is the student's, which the time's, and which line is the first of them."""
    titles = [plain(cell) for cell in cells]
    who = next((titles.index(title) for title in WHO if title in titles), None)
    when = next((titles.index(title) for title in _WHEN if title in titles), None)
    if who is not None and when is not None:
        return who, when, 1
    if who is None and when is None and len(cells) > 1 and moment(cells[1]):
        return 0, 1, 0
    raise UsageError(f"{path}: its first line names no column of a student and one of a time; write: student,time")
