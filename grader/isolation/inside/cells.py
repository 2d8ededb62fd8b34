"""A notebook's cells as plain Python: what IPython adds to the language is left out, with a note.

Runs in the child only, since compiling hostile text is itself something that a limit must be able to stop.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from types import CodeType

# Cell magics that only wrap their cell: the body is Python and is kept.
BODY_KEPT: Final = frozenset({"time", "timeit", "capture", "prun", "memit", "python", "python3"})

_CELL_MAGIC = re.compile(r"\s*%%(\w+)")
_LINE_MAGIC = re.compile(
    r"""\s*(?: [%!?]              # %matplotlib inline, !pip install x, ?print
        | [\w.,\s\[\]'"]+=\s*[%!] # files = !ls
        | [\w.*]+\?\??\s*$        # print?
        )""",
    re.VERBOSE,
)
# What our own notebooks hold to check the work while it is written; it is no part of an answer, so nothing is noted.
_OURS = re.compile(r"\s*%(?:load_ext\s+grader\s*$|grade(?:\s|$))")
_SHOWN_CHARACTERS = 60


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell made ready: its code, or the error that keeps it from running; both None if it is left out."""

    code: CodeType | None
    text: str  # what runs, line for line in the student's numbering
    notes: tuple[str, ...] = ()
    error: Exception | None = None


def prepare(text: str, name: str) -> Cell:
    """Return a cell ready to run.

    A cell that compiles is taken as it is. Otherwise the lines at which compiling stops are left out as long
    as they are magics, so that text which only looks like one, in a docstring say, stays.

    Args:
        text: the cell as the student wrote it.
        name: the file name that tracebacks show.
    """
    code, _ = _compiled(text, name)
    if code is not None:
        return Cell(code, text)
    notes: list[str] = []
    lines = text.split("\n")
    if not _open_cell_magic(lines, notes):
        return Cell(None, "", tuple(notes))
    while True:
        text = "\n".join(lines)
        code, error = _compiled(text, name)
        if isinstance(error, SyntaxError) and _drop_magic(lines, (error.lineno or 0) - 1, notes):
            continue
        return Cell(code, text, tuple(notes), error)


def _compiled(text: str, name: str) -> tuple[CodeType | None, Exception | None]:
    try:
        return compile(text, name, "exec", dont_inherit=True), None
    except Exception as error:  # noqa: BLE001 - text made to break the parser may raise anything
        return None, error


def _open_cell_magic(lines: list[str], notes: list[str]) -> bool:
    """Blank the line that opens a cell magic; return whether the rest of the cell is Python."""
    first = next((i for i, line in enumerate(lines) if line.strip()), 0)
    magic = _CELL_MAGIC.match(lines[first])
    if magic is None:
        return True
    if magic[1] not in BODY_KEPT:
        notes.append(f"left out, since it is a cell for %%{magic[1][:_SHOWN_CHARACTERS]}")
        return False
    notes.append(_left_out(lines[first]))
    lines[first] = ""
    return True


def _drop_magic(lines: list[str], at: int, notes: list[str]) -> bool:
    """Replace the magic at a line, if there is one, by a statement that does nothing."""
    if not (0 <= at < len(lines) and _LINE_MAGIC.match(lines[at])):
        return False
    if not _OURS.match(lines[at]):
        notes.append(_left_out(lines[at]))
    indent = lines[at][: len(lines[at]) - len(lines[at].lstrip())]
    while lines[at].rstrip().endswith("\\") and at + 1 < len(lines):
        lines[at] = ""
        at += 1
    lines[at] = indent + "pass"
    return True


def _left_out(line: str) -> str:
    return f"left out: {line.strip()[:_SHOWN_CHARACTERS]}"
