"""Which row of a table is which student of a run: by numbers, logins and addresses, never by a name alone.

A wrong match gives somebody else's marks, so whatever fits twice is nobody's and is told.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from grader.submission.names import quoted, student, twin

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from grader.export.filling import Sheet

_NUMBERED = re.compile(r"(?:.*_|participant ?)([0-9]+)\Z", re.IGNORECASE | re.DOTALL)
_LAST_DIGITS = re.compile(r"[0-9]+\Z")


@dataclass(frozen=True, slots=True)
class Key:
    """A column that tells students apart; ``own``: it holds the number that the system puts into its downloads."""

    column: int
    own: bool = False


@dataclass(frozen=True, slots=True)
class Matched:
    """Row by student; whom nothing fits, and whom too much fits, with the sentence."""

    rows: Mapping[str, int]
    strangers: tuple[str, ...]
    unsure: tuple[str, ...]


def match(names: Sequence[str], sheet: Sheet, keys: Sequence[Key], rows: Iterable[int]) -> Matched:
    """Find the rows of students.

    The number in a name that a download gave (``lovelaceada_123``, ``Participant 77``) is looked for in the system's
    own column, unless as many such names of the class stand as they are in another: then they are logins. Names of
    digits alone are all looked for in one column, which most of them fit, since one system's number may be somebody
    else's in another. All other names may stand in any column; for one that stands in none, what comes before an
    address's @ counts, on either side.

    Args:
        names: what the run calls its students.
        sheet: the table.
        keys: its columns, the first the best.
        rows: the indices of rows that are students.
    """
    index = _Index(names, sheet, keys, tuple(rows))
    fits = {name: index.fitting(name) for name in names}
    claims = Counter(row for found in fits.values() if len(found) == 1 for row in found)
    rows_of, unsure = {}, []
    for name, found in fits.items():
        if len(found) > 1:
            lines = " and ".join(str(sheet.rows[row].number) for row in sorted(found))
            unsure.append(f"{quoted(name)} fits lines {lines}")
        elif found:
            (row,) = found
            if claims[row] == 1:
                rows_of[name] = row
            else:
                unsure.append(f"{quoted(name)} is one of {claims[row]} who fit line {sheet.rows[row].number}")
    return Matched(rows_of, tuple(name for name, found in fits.items() if not found), tuple(unsure))


class _Index:
    """All that the rows of a table go by, and how names of this class are to be read."""

    def __init__(self, names: Sequence[str], sheet: Sheet, keys: Sequence[Key], rows: Sequence[int]) -> None:
        cells = [(key, row, sheet.rows[row].value(key.column)) for key in keys for row in rows]
        self._own = _indexed((_last(cell), row) for key, row, cell in cells if key.own)
        self._each = [_indexed((_form(cell), row) for one, row, cell in cells if one == key) for key in keys]
        self._locals = _indexed((_form(cell.partition("@")[0]), row) for _, row, cell in cells if "@" in cell)
        digits = [_form(name) for name in names if name.isdecimal()]
        self._digits = max(self._each, key=lambda known: sum(name in known for name in digits), default={})
        numbered = [name for name in names if _NUMBERED.match(name)]
        self._takes_numbers = sum(map(bool, map(self._by_number, numbered))) > sum(
            bool(self._exactly(name)) for name in numbered
        )

    def fitting(self, name: str) -> frozenset[int]:
        """Return the rows that a name may mean."""
        if name.isdecimal():
            return self._digits.get(_form(name), frozenset())
        found, by_number = self._exactly(name), self._by_number(name)
        if found or (by_number and self._takes_numbers):
            return found | by_number
        local, at, _ = name.partition("@")
        return self._exactly(local) if at else self._locals.get(_form(name), frozenset())

    def _by_number(self, name: str) -> frozenset[int]:
        numbered = _NUMBERED.match(name)
        return self._own.get(numbered[1], frozenset()) if numbered else frozenset()

    def _exactly(self, name: str) -> frozenset[int]:
        return frozenset[int]().union(*(known.get(_form(name), frozenset()) for known in self._each))


def _form(name: str) -> str:
    """Return a name as it is compared: as the run would call that student, whatever the case."""
    return twin(student(name.strip()))


def _last(cell: str) -> str:
    found = _LAST_DIGITS.search(cell)
    return found[0] if found else ""


def _indexed(pairs: Iterator[tuple[str, int]]) -> dict[str, frozenset[int]]:
    index: dict[str, frozenset[int]] = {}
    for key, row in pairs:
        if key:
            index[key] = index.get(key, frozenset()) | {row}
    return index
