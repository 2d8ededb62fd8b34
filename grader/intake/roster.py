"""Who is in the class, from a file of theirs, and which of them a name of any kind means.

A roster is a CSV file. Its first line names the columns; these are read, in any order, and others passed over:

========  ======================================================================================
login     ``student``, ``username``, ``user``, ``login``, ``login id``, ``sis login id``
number    ``student id``, ``student number``, ``id number``, ``sis user id``, ``id``
email     ``email``, ``email address``, ``mail``, with or without a hyphen
handle    ``identifier`` (Moodle's "Participant 77"), Canvas's own number
name      ``name``, ``full name``, ``student name``, or ``first name`` and ``last name`` (``surname``)
========  ======================================================================================

Without such a line every line holds one student and nothing else. Canvas's gradebook (it has ``sis user id`` or ``sis
login id``; ``student`` is a name there and ``id`` Canvas's own number) and Moodle's worksheet are read as they come.

A student is called by the first column of the table, from the top and the left, that is filled and different in
every line that names somebody.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from grader.errors import UsageError
from grader.intake.tables import Line, plain, read_table
from grader.submission.names import quoted, student, twin

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    _Cells = dict[str, str]  # by title

_LOGINS = ("student", "username", "user name", "user", "login", "login id", "sis login id")
_NUMBERS = ("student id", "student number", "id number", "idnumber", "sis user id", "id")
_EMAILS = ("email", "e mail", "email address", "e mail address", "mail")
_HANDLES = ("identifier", "canvas")
_NAMES = ("name", "full name", "student name")
_FIRST = ("first name", "firstname", "given name")
_LAST = ("last name", "lastname", "surname", "family name")
WHO = (*_LOGINS, *_NUMBERS, *_EMAILS, *_HANDLES, *_NAMES)  # columns that may name a student, the best first
_KNOWN = {*WHO, *_FIRST, *_LAST} - {"canvas"}
_CANVAS = {"sis user id", "sis login id"}  # what only Canvas's gradebook has
_PARTICIPANT = re.compile(r"participant ?([0-9]+)\Z", re.IGNORECASE)
_NOBODY = re.compile(r"points possible|student, test\Z|test student\Z", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Row:
    """One student of the class."""

    student: str
    name: str = ""
    email: str = ""
    ids: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()  # in a system that downloads come from: "Canvas 123"

    @property
    def aliases(self) -> tuple[str, ...]:
        """Everything that is meant to be this student's alone."""
        return (self.student, *self.ids, *filter(None, (self.email,)))


@dataclass(frozen=True)
class Roster:
    """A class, and an index of all that its students go by."""

    path: Path
    rows: tuple[Row, ...]
    passed_over: tuple[tuple[int, str], ...] = ()  # lines, and why they name nobody

    @cached_property
    def _index(self) -> tuple[dict[str, tuple[Row, ...]], ...]:
        return (
            _indexed((number, row) for row in self.rows for number in row.numbers),
            _indexed((twin(alias), row) for row in self.rows for alias in row.aliases),
            _indexed((twin(row.email.partition("@")[0]), row) for row in self.rows),
            _indexed((form, row) for row in self.rows for form in _forms(row.name)),
        )

    def match(self, name: str, number: str = "") -> tuple[Row, ...]:
        """Return whom a name may mean: nobody, one row, or several, among which nobody should guess.

        The first that fits anybody decides: the number in the system that a download comes from; a login, number or
        e-mail address; what stands before an address's @; a full name, whichever part of it comes first, whatever
        stands between its words, with or without accents. Where the roster has numbers of that system, one that is
        not among them is nobody's, whatever its name.
        """
        numbers, aliases, locals_, full = self._index
        if number:
            system, _, digits = number.partition(" ")
            if any(known.startswith(system) for known in numbers):
                return numbers.get(number, ())
            name = name.removesuffix(f"_{digits}")
        return aliases.get(twin(name)) or locals_.get(twin(name)) or full.get(_letters(name)) or ()

    def knows(self, name: str) -> bool:
        """Say whether somebody here may go by a name."""
        return bool(self.match(name))


def read(path: Path) -> Roster:
    """Read a roster.

    Raises:
        UsageError: it cannot be read, has no column that is known, or none that tells its students apart.
    """
    lines = read_table(path)
    titles = [plain(cell) for cell in lines[0].cells]
    is_canvas = bool(_CANVAS & set(titles))
    if is_canvas:
        titles = [{"student": "name", "id": "canvas"}.get(title, title) for title in titles]
    elif all(len(line.cells) == 1 for line in lines) and not _KNOWN & set(titles):
        titles, lines = ["student"], (Line(0, ()), *lines)
    elif not _KNOWN & set(titles):
        raise UsageError(f"{path}: its first line names no column that is known; call one student, id, email or name")
    people, passed_over = _people(lines[1:], titles)
    if not people:
        raise UsageError(f"{path} names no student below its first line")
    return Roster(path, _rows(path, people), tuple(passed_over))


def _people(lines: Iterable[Line], titles: list[str]) -> tuple[dict[int, _Cells], list[tuple[int, str]]]:
    """Return what each line says, by its number, and the lines that name nobody; a line that is there twice is one."""
    people: dict[int, _Cells] = {}
    passed_over = []
    for line in lines:
        cells = {title: cell for title, cell in reversed(list(zip(titles, line.cells, strict=False))) if cell}
        cells = {title: cell for title, cell in cells.items() if title in _KNOWN or title == "canvas"}
        if "name" not in cells and (parts := [cells[title] for title in (*_FIRST, *_LAST) if title in cells]):
            cells["name"] = " ".join(parts)
        if "canvas" in titles and _NOBODY.match(cells.get("name", "")):
            passed_over.append((line.number, f"Canvas's own line, {quoted(cells['name'])}, is nobody"))
        elif not cells:
            passed_over.append((line.number, "it names nobody"))
        elif cells in people.values():
            passed_over.append((line.number, "the same as a line above"))
        else:
            people[line.number] = cells
    return people, passed_over


def _rows(path: Path, people: Mapping[int, _Cells]) -> tuple[Row, ...]:
    calling = next((title for title in WHO if _tells_apart(title, people.values())), None)
    if calling is None:
        raise UsageError(
            f"{path}: no column of logins, numbers, addresses or names is filled and different in every line, so its "
            "students cannot be told apart; add a column called student"
        )
    return tuple(_row(cells, calling) for cells in people.values())


def _tells_apart(title: str, people: Iterable[_Cells]) -> bool:
    filled = [twin(cells.get(title, "")) for cells in people]
    return all(filled) and len(set(filled)) == len(filled)


def _row(cells: _Cells, calling: str) -> Row:
    numbers = [f"Canvas {cells['canvas']}"] if "canvas" in cells else []
    if match := _PARTICIPANT.match(cells.get("identifier", "")):
        numbers.append(f"Moodle {match[1]}")
    return Row(
        student=student(cells[calling]),
        name=next((cells[title] for title in _NAMES if title in cells), ""),
        email=next((cells[title] for title in _EMAILS if title in cells), ""),
        ids=tuple(cells[title] for title in (*_LOGINS, *_NUMBERS, "identifier") if title in cells),
        numbers=tuple(numbers),
    )


def _indexed(pairs: Iterable[tuple[str, Row]]) -> dict[str, tuple[Row, ...]]:
    index: dict[str, tuple[Row, ...]] = {}
    for key, row in pairs:
        if key and row not in index.get(key, ()):
            index[key] = (*index.get(key, ()), row)
    return index


def _forms(name: str) -> Iterable[str]:
    """Yield a full name run together, from each of its words on: Ada King Lovelace, King Lovelace Ada, ..."""
    words = re.findall(r"\w+", name)
    for first in range(len(words)):
        yield _letters("".join(words[first:] + words[:first]))


def _letters(name: str) -> str:
    """Return a name without accents, spaces and signs.

    >>> _letters("Ångström, Zoë")
    'angstromzoe'
    """
    return "".join(c for c in unicodedata.normalize("NFKD", name).casefold() if c.isalnum())
