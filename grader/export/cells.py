"""Numbers and texts as cells of a CSV file that no spreadsheet runs as a formula."""

from __future__ import annotations

import string
from typing import TYPE_CHECKING

from grader.report.text import safe

if TYPE_CHECKING:
    from collections.abc import Iterable

DIGITS = 5  # behind the point, as learning platforms keep them
END = "\r\n"  # RFC 4180
_QUOTES = "\"'`\u2018\u2019\u201c\u201d\u201e\u00ab\u00bb"
_OPENERS = "=+-@\uff1d\uff0b\uff0d\uff20\u2212"  # full-width ones too, which some spreadsheets take for the others


def number(value: float | None) -> str:
    """Return points with a point and without an exponent, thousands or needless zeros; "" for none.

    >>> number(2.0), number(1 / 3), number(-0.0), number(1e6), number(None)
    ('2', '0.33333', '0', '1000000', '')
    """
    if value is None:
        return ""
    short = f"{value:.{DIGITS}f}".rstrip("0").rstrip(".")
    return "0" if short == "-0" else short


def disarmed(text: str) -> str:
    r"""Return a text that a spreadsheet shows as it stands: one that could begin a formula gets an apostrophe.

    Spaces and quotes before the sign make no difference, since readers drop them; a tab or a return at the beginning
    is taken for such a sign. What is invisible is spelled out, but for line ends.

    >>> disarmed("Ada"), disarmed("=1+1"), disarmed('"@SUM(A1)'), disarmed("\t-2"), disarmed("a=b")
    ('Ada', "'=1+1", '\'"@SUM(A1)', "'    -2", 'a=b')
    """
    opening = text.lstrip(f"{_QUOTES}{string.whitespace}")[:1]
    apostrophe = "'" if text[:1] in {"\t", "\r"} or (opening and opening in _OPENERS) else ""
    return apostrophe + safe(text, lines=True)


def quoted(text: str) -> str:
    r"""Return a text as a cell; always in quotes, so that no reader with another separator parts it.

    >>> quoted('Ada "the first"; King')
    '"Ada ""the first""; King"'
    """
    doubled = disarmed(text).replace('"', '""')
    return f'"{doubled}"'


def line(cells: Iterable[str | float | None]) -> str:
    """Return a row: texts in quotes, numbers bare, None empty.

    >>> line(["ada", 1.5, None])
    '"ada",1.5,'
    """
    return ",".join(quoted(cell) if isinstance(cell, str) else number(cell) for cell in cells)


def table(rows: Iterable[Iterable[str | float | None]]) -> bytes:
    """Return rows as a CSV file in UTF-8."""
    return "".join(line(row) + END for row in rows).encode()
