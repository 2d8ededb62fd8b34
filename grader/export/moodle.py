"""Moodle: a table of grades and feedback to import, or a file that was downloaded there, filled.

Two files come from Moodle: an assignment's grading worksheet (Identifier, Grade, Maximum Grade, Grade can be changed,
Feedback comments) and the gradebook's export ("Assignment: week 1 (Real)", "... (Feedback)"). How Moodle reads the
worksheet back (seen in its source): an empty grade changes nothing, one above the maximum or of somebody whose grade
is locked is passed over without a word, and feedback is HTML.
"""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

from grader.errors import UsageError
from grader.export import Exported, canvas, cells, feedback, filling, standing
from grader.export.matching import Key, match
from grader.intake.tables import plain
from grader.submission.names import shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from grader.export import Wish
    from grader.export.filling import Sheet
    from grader.results import Graded, Run

_OWN = ("identifier",)
_KEYS = ("id number", "idnumber", "student id", "username", "email address", "e mail address", "email")
_WHO = {*_OWN, *_KEYS, "full name", "first name", "last name", "surname", "status", "maximum grade"}
_COMMENTS = ("feedback comments", "feedback")
_CHANGEABLE = ("grade can be changed",)
_LOCKED = {"no", "0", "false"}
BREAK = "<br>"


def export(run: Run, wish: Wish) -> Exported:
    """Return a table to import, or with a roster that file filled.

    Raises:
        UsageError: the roster has no column of grades or none of students, or nobody of the run is in it.
    """
    if wish.roster is not None:
        return _filled(run, wish, filling.load(wish.roster))
    title, called = _identifiers([graded.student for graded in run.students])
    rows: list[list[str | float | None]] = [[title, "Grade", "Feedback comments"]]
    for graded in run.students:
        grade = standing.total(graded, late=wish.late)
        rows.append([called[graded.student], grade, "" if grade is None else comment(graded, late=wish.late)])
    return Exported(cells.table(rows))


def comment(graded: Graded, *, late: bool) -> str:
    """Return the feedback of a student as HTML on one line: Moodle takes it for HTML whatever it is."""
    return BREAK.join(html.escape(line, quote=False) for line in feedback.student(graded, late=late))


def _identifiers(names: Sequence[str]) -> tuple[str, Mapping[str, str]]:
    """Return what Moodle calls the names that the run has, and how it writes them."""
    _, _, last = names[0].rpartition("_")
    if all("_" in name and name.rpartition("_")[2].isdecimal() for name in names) and last:
        return "Identifier", {name: f"Participant {name.rpartition('_')[2]}" for name in names}
    same = {name: name for name in names}
    if all(name.lower().startswith("participant ") for name in names):
        return "Identifier", same
    if all("@" in name for name in names):
        return "Email address", same
    return ("ID number" if all(name.isdecimal() for name in names) else "Username"), same


def _filled(run: Run, wish: Wish, sheet: Sheet) -> Exported:
    column = _grades(sheet, wish.column)
    comments = _comments(sheet, column)
    keys = [Key(at, own=True) for title in _OWN if (at := sheet.known(title)) is not None]
    keys += [Key(at) for title in _KEYS if (at := sheet.known(title)) is not None]
    if not keys:
        raise UsageError(
            f"{sheet.path} has no column Identifier, ID number, Username or Email address to know students by"
        )
    rows = [row for row in range(1, len(sheet.rows)) if any(sheet.rows[row].value(key.column) for key in keys)]
    students = {graded.student: graded for graded in run.students}
    found = match(list(students), sheet, keys, rows)
    if not found.rows:
        raise UsageError(canvas.nobody(sheet, found, "Identifier, ID number, Username or Email address"))
    changes: dict[tuple[int, int], str] = {}
    locked = []
    for name, row in found.rows.items():
        if sheet.rows[row].value(sheet.known(*_CHANGEABLE)).casefold() in _LOCKED:
            locked.append(name)
            continue
        grade = standing.total(students[name], late=wish.late)
        changes[row, column] = cells.number(grade)
        if comments is not None and grade is not None:
            changes[row, comments] = cells.quoted(comment(students[name], late=wish.late))
    notes = [*_maxima(sheet, [*found.rows.values()], run.students), *_above(sheet, column, changes)]
    if locked:
        notes.append(f"Left as they are, since Moodle says that the grade cannot be changed: {standing.names(locked)}.")
    return Exported(sheet.filled(changes), (*notes, *canvas.unmatched(sheet, found, rows, wish)))


def _grades(sheet: Sheet, wanted: str) -> int:
    column = sheet.column(wanted) if wanted else sheet.known("grade")
    if column is None:
        raise UsageError(f"{sheet.path} has no column Grade; name the one to fill with --column")
    if plain(sheet.titles[column]) in _WHO:
        raise UsageError(
            f'"{shown(sheet.titles[column])}" in {sheet.path} is no column of grades; name another with --column'
        )
    return column


def _comments(sheet: Sheet, column: int) -> int | None:
    """Return the column of the feedback that belongs to a column of grades; None if there is none."""
    title = plain(sheet.titles[column])
    if title.endswith(" (real)"):
        return sheet.known(title.replace(" (real)", " (feedback)"))
    return sheet.known(*_COMMENTS)


def _maxima(sheet: Sheet, rows: Sequence[int], students: Sequence[Graded]) -> Iterator[str]:
    at = sheet.known("maximum grade")
    for there in sorted({sheet.rows[row].value(at) for row in rows}):
        yield from canvas.differs(there, students, f"Maximum Grade is {shown(there)} in {sheet.path.name}")


def _above(sheet: Sheet, column: int, changes: Mapping[tuple[int, int], str]) -> Iterator[str]:
    at = sheet.known("maximum grade")
    above = [
        row for (row, filled), new in changes.items() if filled == column and _exceeds(new, sheet.rows[row].value(at))
    ]
    if above:
        lines = ", ".join(str(sheet.rows[row].number) for row in above)
        yield f"Above the Maximum Grade, so that Moodle will pass over them without a word: lines {lines}."


def _exceeds(new: str, most: str) -> bool:
    try:
        return float(new) > float(most.replace(",", "."))
    except ValueError:
        return False
