"""Canvas: one column of the gradebook that the instructor downloaded, filled; to be uploaded there as it is.

How Canvas reads such a file back (seen in its source): it knows students by ID, then by SIS id and login; columns whose
"Points Possible" says "(read only)" are passed over; EX excuses a student; and an empty cell **takes away** a mark
that is there, which is why cells that lose one are told.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from grader.errors import UsageError
from grader.export import Exported, cells, filling, standing
from grader.export.matching import Key, match
from grader.intake.tables import plain
from grader.submission.names import quoted, shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from grader.export import Wish
    from grader.export.filling import Sheet
    from grader.export.matching import Matched
    from grader.results import Graded, Run

_NAMES = ("student", "lastname")
_KEYS = (("id", True), ("sis user id", False), ("sis login id", False), ("integration id", False))
_WHO = {"student", "lastname", "firstname", "root account", "section", *(title for title, _ in _KEYS)}
_TOTALS = re.compile(r"\b(current|final|override) (score|points|grade|status)\b", re.IGNORECASE)
_READ_ONLY = re.compile(r"read\s+only", re.IGNORECASE)
_NOBODY = re.compile(r"points possible|student, test\Z|test student\Z", re.IGNORECASE)
_KEPT = {"ex", "n/a"}  # excused; not assigned to this student


def export(run: Run, wish: Wish) -> Exported:
    """Return the gradebook with a column filled.

    Raises:
        UsageError: there is no gradebook, it is none, it lacks the column, or nobody of the run is in it.
    """
    sheet, column = _opened(wish)
    keys = [Key(at, own) for title, own in _KEYS if (at := sheet.known(title)) is not None]
    rows = [index for index in range(1, len(sheet.rows)) if _is_somebody(sheet, index, keys)]
    students = {graded.student: graded for graded in run.students}
    found = match(list(students), sheet, keys, rows)
    if not found.rows:
        raise UsageError(nobody(sheet, found, "ID, SIS User ID or SIS Login ID"))
    changes, notes = {}, []
    kept, emptied = [], []
    for name, row in found.rows.items():
        before = sheet.rows[row].value(column)
        if before.casefold() in _KEPT:
            kept.append(f"{shown(name)} ({shown(before)})")
            continue
        changes[row, column] = cells.number(standing.total(students[name], late=wish.late))
        if before and not changes[row, column]:
            emptied.append(f"{shown(name)} ({shown(before)})")
    if kept:
        notes.append(f"Left as they are in {sheet.path.name}, excused or not assigned: {', '.join(kept)}.")
    if emptied:
        notes.append(f"Emptied, and Canvas will take away the mark that is there: {', '.join(emptied)}.")
    notes += [*_possible(sheet, column, run.students), *unmatched(sheet, found, rows, wish)]
    return Exported(sheet.filled(changes), tuple(notes))


def nobody(sheet: Sheet, found: Matched, by: str) -> str:
    """Return the sentence that refuses a table in which nobody of the run is."""
    some = next(iter([*map(quoted, found.strangers), *found.unsure]), "")
    return (
        f"nobody in the run is in {sheet.path} by {by} (such as {some}); names alone are not compared, so grade with "
        "--roster and this file, which calls students as it does"
    )


def unmatched(sheet: Sheet, found: Matched, rows: Sequence[int], wish: Wish) -> Iterator[str]:
    """Yield who is in the run alone, in the table alone, and whom nobody should guess."""
    name = sheet.path.name
    if found.strangers:
        yield f"In the run and not in {name} ({len(found.strangers)}): {standing.names(found.strangers)}."
    if found.unsure:
        yield f"Not filled, since nobody should guess: {'; '.join(found.unsure)}."
    taken = set(found.rows.values())
    left = [row for row in rows if row not in taken]
    if left and wish.everybody:
        yield f"In {name} and not filled ({len(left)}): {'; '.join(_described(sheet, row) for row in left)}."


def _described(sheet: Sheet, row: int) -> str:
    who = next(filter(None, (cell.value.strip() for cell in sheet.rows[row].cells)), "")
    return f"line {sheet.rows[row].number}, {shown(who)}"


def _opened(wish: Wish) -> tuple[Sheet, int]:
    if wish.roster is None:
        raise UsageError("canvas fills the gradebook that you downloaded from Canvas; give it with --roster")
    sheet = filling.load(wish.roster)
    if sheet.known("id") is None or sheet.known(*_NAMES) is None:
        raise UsageError(
            f"{wish.roster} is no gradebook of Canvas: it has no columns Student and ID; download it there"
        )
    who = {index for index, title in enumerate(sheet.titles) if plain(title) in _WHO}
    fit = [title for index, title in enumerate(sheet.titles) if _is_to_fill(sheet, index, who)]
    if not wish.column:
        raise UsageError(
            f"name the column to fill with --column; {wish.roster} has {', '.join(map(quoted, fit)) or 'none'}"
        )
    column = sheet.column(wish.column)
    if not _is_to_fill(sheet, column, who):
        raise UsageError(
            f"{quoted(sheet.titles[column])} in {wish.roster} cannot be filled: it says who students are, or Canvas "
            f"computes it; fill one of {', '.join(map(quoted, fit)) or 'none'}"
        )
    return sheet, column


def _is_to_fill(sheet: Sheet, column: int, who: set[int]) -> bool:
    possible = sheet.rows[at].value(column) if (at := _points_possible(sheet)) else ""
    return column not in who and not _READ_ONLY.search(possible) and not _TOTALS.search(sheet.titles[column])


def _points_possible(sheet: Sheet) -> int | None:
    name = sheet.known(*_NAMES)
    rows = range(1, len(sheet.rows))
    return next((row for row in rows if "points possible" in sheet.rows[row].value(name).casefold()), None)


def _is_somebody(sheet: Sheet, index: int, keys: Sequence[Key]) -> bool:
    row = sheet.rows[index]
    return any(row.value(key.column) for key in keys) and not _NOBODY.match(row.value(sheet.known(*_NAMES)))


def _possible(sheet: Sheet, column: int, students: Sequence[Graded]) -> Iterator[str]:
    at = _points_possible(sheet)
    there = sheet.rows[at].value(column) if at else ""
    yield from differs(there, students, f"{quoted(sheet.titles[column])} has {shown(there)} points possible")


def differs(there: str, students: Sequence[Graded], what: str) -> Iterator[str]:
    """Yield that marks mean something else there, where what there is to have differs from the run's points."""
    worth = max(map(standing.worth, students), default=0)
    if there and cells.number(_float(there)) != cells.number(worth):
        yield f"{what}, and the run {cells.number(worth)}; marks are not scaled."


def _float(text: str) -> float | None:
    try:
        return float(text.replace(",", "."))
    except ValueError:
        return None
