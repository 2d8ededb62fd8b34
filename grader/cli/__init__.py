"""The command ``grade``: it parses, calls and renders; no logic lives here.

One module a command; it is imported when the command is asked for, so that ``grade --help`` answers at once. Each
module offers ``command``, and its name and summary stand below.

Exit codes: 0 all passed (``run``: all graded), 1 not all passed, 2 usage or nothing found to do, 3 the grader itself
is broken, 130 interrupted.
"""

from __future__ import annotations

import contextlib
import errno
import signal
import sys
import threading
import traceback
from importlib import import_module
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NoReturn

import click

from grader import __version__
from grader.errors import GraderError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

BROKEN = 3
INTERRUPTED = 130
SUMMARIES = {
    "problems": "List the problems of the course.",
    "show": "Show the statement of a problem.",
    "check": "Check your own work against the visible checks.",
    "submit": "Look your work over, and pack or deliver it.",
    "run": "Grade submissions and keep the run.",
    "explain": "Explain one student's verdicts.",
    "mark": "Mark by hand, or override a score.",
    "report": "Show how the class did, as text or as pages.",
    "export": "Write marks for Canvas, Moodle, Gradescope and others.",
    "gradescope": "Make an autograder archive for Gradescope.",
    "sources": "Write what was handed in as plain files, to compare.",
    "init": "Start a course.",
    "new": "Start a problem.",
    "verify": "Prove that the checks of a problem are sound.",
    "release": "Write what students receive into a folder.",
    "nbgrader": "Hand out and grade problems through nbgrader.",
    "demo": "Make a small class and grade it.",
    "doctor": "Say what this machine can do and what is missing.",
}


class Told(click.ClickException):
    """An error of ours as click reports it: its sentence on stderr, its exit code."""

    def __init__(self, error: GraderError) -> None:
        super().__init__(str(error))
        self.exit_code = error.exit_code  # type: ignore[misc]  # click reads it from the instance

    def show(self, file: IO[Any] | None = None) -> None:
        """Print the sentence; what it quotes from files cannot steer the terminal."""
        from grader.report.text import safe

        click.echo(f"Error: {safe(self.message, lines=True)}", file=file or sys.stderr)


class Commands(click.Group):
    """A group whose commands are imported when they are asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Return the commands in the order in which people meet them."""
        return list(SUMMARIES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's
        """Import one command."""
        if cmd_name not in SUMMARIES:
            return None
        command: click.Command = import_module(f"grader.cli.{cmd_name}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - click's
        """Write the summaries without importing any command."""
        with formatter.section("Commands"):
            formatter.write_dl(list(SUMMARIES.items()))

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; whatever stops it becomes one sentence and its exit code."""
        _encode_anything()
        try:
            with _terminable():
                return super().invoke(ctx)
        except GraderError as error:
            raise Told(error) from error
        except KeyboardInterrupt as stop:
            click.echo(f"\nInterrupted. {stop}".rstrip(), err=True)
            ctx.exit(INTERRUPTED)
        except (click.ClickException, click.exceptions.Exit, click.Abort):
            raise
        except Exception as error:
            if isinstance(error, OSError) and error.errno == errno.EPIPE:
                raise  # whoever read our output has left; click ends quietly
            _own_fault(ctx)


@click.command(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--course",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="The course: a folder with problems/ in it. By default the nearest at or above the working folder.",
)
@click.version_option(__version__, prog_name="grade")
@click.pass_context
def main(ctx: click.Context, course: Path | None) -> None:
    """Grade deep-learning problems.

    Students check their own work; instructors grade it against tests that student code never shares a process with.
    """
    ctx.obj = course


def _own_fault(ctx: click.Context) -> NoReturn:
    traceback.print_exc()
    click.echo("Error: this is a fault of the grader, not of what was graded; please report the lines above.", err=True)
    ctx.exit(BROKEN)


def _encode_anything() -> None:
    """A terminal that cannot show a sign shows a question mark instead of ending the command."""
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="replace")


@contextlib.contextmanager
def _terminable() -> Iterator[None]:
    """Let SIGTERM end a command as Ctrl-C does: through every ``finally``."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(number: int, frame: FrameType | None) -> None:  # noqa: ARG001 - a handler's signature
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
