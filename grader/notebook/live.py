"""``%load_ext grader`` and ``%grade``: the visible checks, run in a live notebook on its own functions.

::

    %grade xor                         all visible checks of a problem
    %grade xor::two_units_compute_xor  one of them; raises if it is not passed
    %grade -v xor                      with the names of the checks, and what they called

In a cell that is worth points the second form makes nbgrader's Validate say what is wrong. A cell of a check that is
made after hand-in says so. Where nbgrader's own autograde runs a notebook, cells with points raise: it is not the one
who gives points here.
"""

from __future__ import annotations

import io
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grader import course as courses
from grader.errors import CourseError, GraderError
from grader.notebook import checking
from grader.notebook.checking import Live
from grader.notebook.kernel import Cells
from grader.verdict import Status

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.console import Console, RenderableType

    from grader.course import Course
    from grader.notebook.checking import Checked

LATER = "--after-hand-in"
VERBOSE = "-v"
WIDTH = 80
_USAGE = "write %grade and a problem's name, as in `%grade xor`, or with one check, as in `%grade xor::its_name`"
_NOT_HERE = (
    "this notebook is graded by `grade nbgrader`, not by running its cells: no points are given here; "
    "nbgrader_config.py needs the lines that `grade nbgrader source` writes"
)


class CannotCheck(Exception):  # noqa: N818 - its name stands in a student's notebook
    """A sentence in place of an answer; a notebook shows it without a traceback."""

    def _render_traceback_(self) -> list[str]:  # IPython asks for this
        return [f"{self}"]


class NotPassed(CannotCheck):
    """One check is not passed; a notebook shows what was found."""

    def __init__(self, message: str, shown: str) -> None:
        super().__init__(message)
        self.shown = shown

    def _render_traceback_(self) -> list[str]:
        return self.shown.rstrip("\n").split("\n")


def load(shell: Any) -> None:
    """Give an IPython shell the magic ``%grade``."""
    shell.register_magic_function(Magic(shell, Path.cwd()), magic_kind="line", magic_name="grade")


@dataclass(frozen=True, slots=True)
class Request:
    """What a line asks for: problems with the check of each, "" for all."""

    targets: tuple[tuple[str, str], ...]
    verbose: bool = False
    later: bool = False


def read(line: str) -> Request:
    """Return what a line asks for.

    Raises:
        CannotCheck: it names nothing, or has an option that there is not.

    >>> read("xor::two_units -v").targets
    (('xor', 'two_units'),)
    """
    words = line.split("#", 1)[0].split()
    options = {word for word in words if word.startswith("-")}
    named = tuple(word for word in words if word not in options)
    for option in sorted(options - {VERBOSE, LATER}):
        raise CannotCheck(f"%grade has no option {option}; {_USAGE}")
    if not named:
        raise CannotCheck(_USAGE)
    targets = tuple((slug, name) for slug, _, name in (word.partition("::") for word in named))
    return Request(targets, VERBOSE in options, LATER in options)


class Magic:
    """The magic ``%grade`` of one shell."""

    def __init__(self, shell: Any, home: Path) -> None:
        self._shell = shell
        self._home = home  # where the notebook was started; code may go elsewhere

    def __call__(self, line: str) -> None:
        """Run what a line asks for.

        Raises:
            CannotCheck: there is nothing to run, or one check that was named is not passed.
        """
        request = read(line)
        if os.environ.get("NBGRADER_EXECUTION") == "autograde":
            self._refuse(request)
            return
        for slug, name in request.targets:
            if request.later:
                self._print(f"{slug}: this check is made after hand-in. Nothing is wanted here.")
                continue
            try:
                checked = checking.checked(self._course(), slug, self._live(), name)
            except GraderError as error:
                raise CannotCheck(f"{error}") from None
            self._show(checked, name, verbose=request.verbose)

    def _refuse(self, request: Request) -> None:
        if request.later or any(name for _, name in request.targets):
            raise CannotCheck(_NOT_HERE)
        self._print(f"Not run: {_NOT_HERE}.")

    def _course(self) -> Course:
        try:
            return courses.find()
        except CourseError:
            pass
        try:
            return courses.find(self._home)
        except CourseError:
            raise CourseError(
                f"there is no folder `problems` in {Path.cwd()} or above it; it comes with the assignment and must lie "
                "beside this notebook: fetch or download the whole assignment"
            ) from None

    def _live(self) -> Live:
        texts = tuple(self._shell.history_manager.input_hist_raw[1:])
        names: Mapping[str, Any] = self._shell.user_ns
        return Live(Cells(names, self._cell, self._home), texts)

    def _cell(self, file: str) -> str:
        """Return what the file of a cell is called; "" for any other file."""
        found = self._shell.compile.format_code_name(file)
        number = found[1].removeprefix("In[").removesuffix("]") if found else ""
        return f"{checking.NOTEBOOK}, cell {number}" if number.isdigit() else ""

    # What is shown

    def _show(self, checked: Checked, name: str, *, verbose: bool) -> None:
        from grader.report import own

        verdict = checked.verdict
        shown: RenderableType = own.work(verdict, checked.title, checked.closer, verbose=verbose)
        if name and verdict.status is not Status.PASSED:
            page = self._console(io.StringIO())
            with page.capture() as captured:
                page.print(shown)
            raise NotPassed(f"{verdict.problem}::{name} is not passed", captured.get())
        screen = self._console(sys.stdout)
        screen.print(shown)
        if not name:
            screen.print(own.total([verdict], checked.worth))

    def _print(self, text: str) -> None:
        self._console(sys.stdout).print(text)

    def _console(self, stream: Any) -> Console:
        """Return where text goes; notebooks show colours, though they are no terminals."""
        from rich.console import Console

        colours = hasattr(self._shell, "kernel") or sys.stdout.isatty()
        return Console(
            file=stream,
            width=WIDTH,
            force_jupyter=False,
            force_terminal=colours,
            color_system="standard" if colours else None,
            highlight=False,
            markup=False,
            emoji=False,
        )
