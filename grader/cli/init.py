"""``grade init``: start a course."""

from __future__ import annotations

from pathlib import Path

import click

from grader.cli import SUMMARIES
from grader.cli.common import console


@click.command("init", short_help=SUMMARIES["init"])
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--problem", "first", default="", metavar="SLUG", help="Start a first problem in it too.")
def command(folder: Path, *, first: str) -> None:
    """Start a course in a new folder: places for problems and references, course.toml, a README, a .gitignore."""
    from grader import scaffold
    from grader.report.text import plain

    written = scaffold.start_course(folder, first)
    for path in written:
        console().print(plain(path))
    then = f"grade verify {first}" if first else "grade new SLUG"
    console().print(plain(f"Next, in {folder}: {then}"))
