"""Somebody's CSV file, of which single cells are changed: every other byte of it stays as it was.

Reading a table and writing it anew changes quotes, line ends, the byte order mark or numbers with many digits. Here
the file stays one text; each cell knows from where to where in it it stands.
"""

from __future__ import annotations

import codecs
import difflib
import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from grader.errors import SubmissionError, UsageError
from grader.intake.tables import plain
from grader.submission.folder import read
from grader.submission.ledger import MIB
from grader.submission.names import quoted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

_BYTES = 16 * MIB
_SEPARATORS = ",;\t"
_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell: where it stands in the text, quotes included, and what it says."""

    start: int
    end: int
    value: str


@dataclass(frozen=True, slots=True)
class Row:
    """One row; ``number`` is that of the line it begins on."""

    number: int
    cells: tuple[Cell, ...]

    def value(self, column: int | None) -> str:
        """Return what stands in a column, without spaces around it; "" where the row has no such cell."""
        return self.cells[column].value.strip() if column is not None and column < len(self.cells) else ""


@dataclass(frozen=True)
class Sheet:
    """A CSV file as it came."""

    path: Path
    mark: bytes
    encoding: str
    text: str
    separator: str
    rows: tuple[Row, ...]  # the first names the columns; empty ones are not among them

    @cached_property
    def titles(self) -> tuple[str, ...]:
        """The titles of the columns."""
        return tuple(cell.value.strip() for cell in self.rows[0].cells)

    def known(self, *titles: str) -> int | None:
        """Return the first column that has one of some titles, in lower case without signs; None if none has."""
        found = [plain(title) for title in self.titles]
        return next((found.index(title) for title in titles if title in found), None)

    def column(self, wanted: str) -> int:
        """Return the column that is meant: by its title, whatever its case, also without a number in brackets.

        Raises:
            UsageError: there is none, or several; the sentence names the nearest.
        """
        for form in (str, plain, _unnumbered):
            found = [index for index, title in enumerate(self.titles) if form(title) == form(wanted)]
            if len(found) == 1:
                return found[0]
            if found:
                several = " and ".join(quoted(self.titles[index]) for index in found)
                raise UsageError(
                    f"{self.path} has {len(found)} columns that may be {wanted!r}: {several}; give one whole"
                )
        raise UsageError(f"{self.path} has no column {wanted!r}; {_nearest(wanted, self.titles)}")

    def filled(self, changes: Mapping[tuple[int, int], str]) -> bytes:
        """Return the file with other cells in some places.

        Args:
            changes: cells as they are to stand there, quotes included, by the index of row and column. A row that
                ends before the column is made longer.
        """
        pieces, done = [], 0
        lengths = {index: len(self.rows[index].cells) for index, _ in changes}
        for (index, column), new in sorted(changes.items()):
            cells = self.rows[index].cells
            inside = column < len(cells)
            start, end = (cells[column].start if inside else cells[-1].end), cells[column if inside else -1].end
            leading = self.separator * max(0, column + 1 - lengths[index])
            lengths[index] += len(leading)
            pieces += [self.text[done:start], leading + new]
            done = end
        pieces.append(self.text[done:])
        return self.mark + "".join(pieces).encode(self.encoding)


def load(path: Path) -> Sheet:
    """Read a CSV file: UTF-8 or UTF-16, parted by commas, semicolons or tabs.

    Raises:
        UsageError: it cannot be read, is no such table, or holds no line below its titles.
    """
    try:
        data = read(path, _BYTES)
        mark, encoding = next(((mark, name) for mark, name in _MARKS if data.startswith(mark)), (b"", "utf-8"))
        text = data[len(mark) :].decode(encoding)
    except (SubmissionError, UnicodeDecodeError) as error:
        reason = "it is not UTF-8; save it as CSV UTF-8" if isinstance(error, UnicodeDecodeError) else error
        raise UsageError(f"{path} cannot be read as a table: {reason}") from error
    separator = _separator(text)
    rows = tuple(row for row in _rows(path, text, separator) if any(cell.value.strip() for cell in row.cells))
    if len(rows) < 2:  # noqa: PLR2004 - titles and one line
        raise UsageError(f"{path} is empty; it needs a line of titles and a line for each student")
    return Sheet(path, mark, encoding, text, separator, rows)


def _separator(text: str) -> str:
    """Return whichever the first line holds most of outside quotes."""
    first = next((line for line in text.splitlines() if line.strip()), "")
    outside = "".join(first.split('"')[::2])
    return max(_SEPARATORS, key=outside.count)


def _rows(path: Path, text: str, separator: str) -> Iterator[Row]:
    one = re.compile(rf'(?:"([^"]*(?:""[^"]*)*)"|([^"{separator}\r\n][^{separator}\r\n]*)?)({separator}|\r\n|\n|\r|\Z)')
    position, number, begun, cells = 0, 1, 1, list[Cell]()
    while position < len(text) or cells:
        found = one.match(text, position)
        if found is None:
            raise UsageError(
                f"{path}, line {number}: a quote is not closed, or something follows it; save it again as CSV"
            )
        value = found[1].replace('""', '"') if found[1] is not None else found[2] or ""
        cells.append(Cell(position, found.start(3), value))
        number += len(re.findall(r"\r\n|\n|\r", found[0]))
        position = found.end()
        if found[3] != separator:
            yield Row(begun, tuple(cells))
            begun, cells = number, []


def _unnumbered(title: str) -> str:
    """Return a title as it is compared, without the number that Canvas puts behind it.

    >>> _unnumbered("Homework 1 (4711)"), _unnumbered("Homework (late)")
    ('homework 1', 'homework (late)')
    """
    return re.sub(r" ?\([0-9]+\)\Z", "", plain(title))


def _nearest(wanted: str, titles: Sequence[str]) -> str:
    """Return a hint at what was meant, in which case and numbers in brackets do not count; failing that, all titles.

    >>> _nearest("hw2", ["Student", "HW 1 (10)", "HW 2 (11)"])
    'did you mean "HW 2 (11)" or "HW 1 (10)"?'
    """
    forms = {_unnumbered(title): title for title in titles if title}
    close = difflib.get_close_matches(_unnumbered(wanted), forms, n=3, cutoff=0.5)
    close += [form for form in forms if wanted and _unnumbered(wanted) in form and form not in close][:3]
    if close:
        return f"did you mean {' or '.join(quoted(forms[form]) for form in close)}?"
    return f"it has {', '.join(map(quoted, forms.values()))}"
