"""A CSV file as spreadsheets and learning platforms write it -> its rows, with the numbers of their lines."""

from __future__ import annotations

import codecs
import csv
import io
from dataclasses import dataclass
from typing import TYPE_CHECKING

from grader.errors import SubmissionError, UsageError
from grader.submission.folder import read
from grader.submission.ledger import MIB

if TYPE_CHECKING:
    from pathlib import Path

_BYTES = 16 * MIB
_SEPARATORS = ",;\t"


@dataclass(frozen=True, slots=True)
class Line:
    """One row of a table; ``number`` is that of the line it ends on."""

    number: int
    cells: tuple[str, ...]


def read_table(path: Path) -> tuple[Line, ...]:
    """Return the rows of a CSV file that are not empty.

    It is UTF-8, or UTF-16 with a byte order mark as spreadsheets write it. What parts the cells, a comma, a semicolon
    or a tab, is whichever the first line holds most of outside quotes.

    Raises:
        UsageError: the file cannot be read, is no such text, or is empty.
    """
    try:
        text = _decoded(read(path, _BYTES))
        lines = tuple(_lines(text))
    except (SubmissionError, UnicodeDecodeError, csv.Error) as error:
        reason = "it is not UTF-8; save it as CSV UTF-8" if isinstance(error, UnicodeDecodeError) else error
        raise UsageError(f"{path} cannot be read as a table: {reason}") from error
    if not lines:
        raise UsageError(f"{path} is empty; it needs a line for each student")
    return lines


def _decoded(data: bytes) -> str:
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return data.decode("utf-16")
    return data.decode("utf-8-sig")


def _lines(text: str) -> list[Line]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=_separator(text), strict=True)
    rows = ((reader.line_num, tuple(cell.strip() for cell in row)) for row in reader)
    return [Line(number, cells) for number, cells in rows if any(cells)]


def _separator(text: str) -> str:
    first = next((line for line in text.splitlines() if line.strip()), "")
    outside = "".join(first.split('"')[::2])
    return max(_SEPARATORS, key=outside.count)


def plain(title: str) -> str:
    """Return a column's title as it is compared.

    >>> plain(" SIS_Login  ID ")
    'sis login id'
    """
    return " ".join(title.replace("_", " ").replace("-", " ").casefold().split())
