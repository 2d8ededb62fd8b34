"""A run as files that other systems take; one module a format, each a pure function of the run.

In the order in which data flows::

    standing    what a student's total is, and why there is none
    cells       numbers and texts as cells of a table that no spreadsheet runs as a formula
    feedback    what a student is told: messages and hints, never a detail
    filling     somebody's CSV file, of which single cells are changed and every other byte is kept
    matching    which row of it is which student; never by a name alone
    canvas, moodle, gradescope, junit, sheets, document
    writing     a file whole or not at all

Scores are those before anything is taken for lateness, unless it is asked for. Where nothing was handed in, where a
part marked by hand is pending and where a check is BROKEN there is no score: the cell is left empty, never 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

from grader.errors import UsageError
from grader.export import standing

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from grader.results import Run

FILLING = ("canvas", "moodle")  # formats that fill a file of their system
_MODULES = {
    "canvas": "canvas",
    "moodle": "moodle",
    "gradescope": "gradescope",
    "junit": "junit",
    "csv": "sheets",
    "csv-long": "sheets",
    "json": "document",
}
FORMATS = tuple(_MODULES)


@dataclass(frozen=True, slots=True)
class Wish:
    """What is to be exported.

    ``roster`` is a file that was downloaded from the target and ``column`` the title of what to fill in it. ``late``
    takes off what lateness costs. ``hidden`` is when Gradescope shows hidden checks, ``archive`` whether its results
    go into a zip. ``everybody`` says that the run is whole, so that rows without a student are worth telling.
    """

    format: str
    roster: Path | None = None
    column: str = ""
    late: bool = False
    hidden: str = "after_published"
    archive: bool = False
    everybody: bool = True


@dataclass(frozen=True, slots=True)
class Exported:
    """The file's bytes, and sentences for whoever uploads it."""

    content: bytes
    notes: tuple[str, ...] = ()


def export(run: Run, wish: Wish) -> Exported:
    """Return a run in one format, with a sentence for everything in it that is not as one may think.

    Raises:
        UsageError: the wish does not fit the format or the run, or the roster cannot be filled.
    """
    if wish.format not in FORMATS:
        raise UsageError(f"there is no format {wish.format!r}; there are {', '.join(FORMATS)}")
    if wish.roster is not None and wish.format not in FILLING:
        raise UsageError(f"{wish.format} fills no file of yours; leave out --roster")
    if wish.column and wish.roster is None:
        raise UsageError("--column names a column of a file; give that file with --roster")
    if not run.students:
        raise UsageError(f"{run.run} holds no student; there is nothing to export")
    made: Exported = import_module(f"grader.export.{_MODULES[wish.format]}").export(run, wish)
    return Exported(made.content, (*made.notes, *_notes(run, wish)))


def _notes(run: Run, wish: Wish) -> Iterator[str]:
    yield from standing.empty(run.students)
    yield from standing.remarks(run)
    if wish.late:
        yield from standing.lateness(run.students)
