"""Any string made safe to print, and the words and signs of statuses.

Names and messages come from students. Printed as they are, they could move the cursor, turn the direction of
writing, or pass for markup; here every character that prints nothing is spelled out.
"""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

from grader.verdict import Status

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.text import Text

SIGNS = {Status.PASSED: "✓", Status.FAILED: "✗", Status.NOT_ATTEMPTED: "-", Status.SKIPPED: "-", Status.BROKEN: "?"}
WORDS = {
    Status.PASSED: "passed",
    Status.FAILED: "failed",
    Status.NOT_ATTEMPTED: "untried",
    Status.CRASHED: "crashed",
    Status.TIMED_OUT: "timed out",
    Status.OUT_OF_MEMORY: "memory",
    Status.TOO_MUCH_OUTPUT: "output",
    Status.UNUSABLE: "unusable",
    Status.BROKEN: "BROKEN",
    Status.SKIPPED: "skipped",
}
EXPLAINED = WORDS | {
    Status.NOT_ATTEMPTED: "not attempted",
    Status.OUT_OF_MEMORY: "out of memory",
    Status.TOO_MUCH_OUTPUT: "too much output",
}
STYLES = {Status.PASSED: "green", Status.NOT_ATTEMPTED: "dim", Status.SKIPPED: "dim", Status.BROKEN: "bold magenta"}
MARKS_IN_A_ROW = 3


def safe(text: str, *, lines: bool = False) -> str:
    r"""Return a text in which nothing is invisible: no escape codes, no marks that turn the writing.

    Args:
        text: any string.
        lines: keep line ends; otherwise they are spelled out too.

    >>> safe("Ada\x1b[31m\u202e"), safe("two\nlines", lines=True)
    ('Ada\\x1b[31m\\u202e', 'two\nlines')
    """
    kept, marks = [], 0
    for character in text.replace("\r\n", "\n").expandtabs(4) if lines else text:
        marks = marks + 1 if unicodedata.combining(character) else 0
        if marks <= MARKS_IN_A_ROW:  # a tower of accents would cover the lines above it
            kept.append(_visible(character, lines=lines))
    return "".join(kept)


def _visible(character: str, *, lines: bool) -> str:
    if character.isprintable() or (lines and character == "\n"):
        return character
    if unicodedata.category(character) == "Zs":
        return " "
    return character.encode("unicode_escape").decode("ascii")


def plain(text: str, *, style: str = "", lines: bool = False) -> Text:
    """Return a text for the terminal; square brackets in it are square brackets."""
    from rich.text import Text

    return Text(safe(text, lines=lines), style=style, overflow="fold")


def style(status: Status) -> str:
    """Return the colour of a status; its word and sign say the same."""
    return STYLES.get(status, "red")


def sign(status: Status) -> str:
    """Return one character for a status.

    >>> sign(Status.PASSED), sign(Status.CRASHED)
    ('✓', '!')
    """
    return SIGNS.get(status, "!")


def points(value: float | None) -> str:
    """Return points without needless zeros; a question mark where they could not be judged.

    >>> points(2.0), points(0.5), points(1 / 3), points(None)
    ('2', '0.5', '0.33', '?')
    """
    return "?" if value is None else f"{round(value, 2):g}"


def counted(number: float, noun: str) -> str:
    """Return a number with its noun.

    >>> counted(1, "point"), counted(2.5, "point")
    ('1 point', '2.5 points')
    """
    return f"{points(number)} {noun}" if number == 1 else f"{points(number)} {noun}s"


def some(names: Sequence[str], most: int = 10) -> str:
    """Return the first of some names, and how many more there are.

    >>> some(["ada", "bob", "cy"], most=2)
    'ada, bob and 1 more'
    """
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")
