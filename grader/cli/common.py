"""What commands share: the course, the options that several have, and where output goes."""

from __future__ import annotations

import json
import math
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from grader.course import find

if TYPE_CHECKING:
    from collections.abc import Callable

    from rich.console import Console

    from grader.course import Course

WIDTH = 80
F = TypeVar("F", bound="Callable[..., Any]")

json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON document and nothing else.")
device_option = click.option(
    "--device", default="cpu", show_default=True, metavar="cpu|cuda|cuda:N|auto", help="Where torch problems run."
)
dtype_option = click.option(
    "--dtype",
    default="float64",
    show_default=True,
    type=click.Choice(["float64", "float32"]),
    help="What float arguments are rounded to.",
)
output_option = click.option(
    "-o", "output", required=True, metavar="FILE", type=click.Path(path_type=Path), help="Where; - for stdout."
)
filled_roster_option = click.option(
    "--roster",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="The gradebook or worksheet you downloaded, to fill.",
)
filled_column_option = click.option("--column", default="", metavar="NAME", help="The column of it to fill.")


def course_option(function: F) -> F:
    """Let ``--course`` stand after a command's name as well as before it."""

    def keep(ctx: click.Context, _parameter: click.Parameter, value: Path | None) -> None:
        if value is not None:
            ctx.find_root().obj = value

    return click.option(
        "--course",
        metavar="DIR",
        type=click.Path(path_type=Path),
        expose_value=False,
        hidden=True,
        callback=keep,
    )(function)


def course() -> Course:
    """Return the course that was asked for, or the nearest.

    Raises:
        CourseError: there is none.
    """
    return find(click.get_current_context().find_root().obj)


def document(value: Any) -> None:
    """Print one JSON document; numbers that JSON lacks are null."""
    click.echo(json.dumps(finite(value), indent=1, allow_nan=False))


def finite(value: Any) -> Any:
    """Return plain data with null in place of infinity and NaN.

    >>> finite({"share": float("inf"), "scores": (1.0, 2)})
    {'share': None, 'scores': [1.0, 2]}
    """
    if isinstance(value, dict):
        return {key: finite(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [finite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def console(*, stderr: bool = False) -> Console:
    """Return where text goes: 80 columns at most; colour and escape codes on a terminal only."""
    from rich.console import Console

    stream = sys.stderr if stderr else sys.stdout
    terminal = stream.isatty()
    return Console(
        file=stream,
        width=min(WIDTH, shutil.get_terminal_size((WIDTH, 24)).columns) if terminal else WIDTH,
        force_terminal=terminal,
        color_system="auto" if terminal else None,
        highlight=False,
        markup=False,
        emoji=False,
    )


def say(text: str) -> None:
    """Say something about the work on stderr, where it is never mistaken for a result."""
    from grader.report.text import safe

    click.echo(safe(text, lines=True), err=True)
