"""``grade submit``: a student's own work, packed to upload or delivered."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import click

from grader.cli import SUMMARIES
from grader.cli.common import console, course, course_option, document, json_option, say


@click.command("submit", short_help=SUMMARIES["submit"])
@course_option
@click.argument("wanted", metavar="[PATH or SLUG]...", nargs=-1)
@click.option("--to", "inbox", metavar="DIR", type=click.Path(path_type=Path), help="Deliver to this inbox folder.")
@click.option("--student", metavar="NAME", default="", help="Who hands in. By default the name you are logged in with.")
@click.option("--assignment", metavar="NAME", help="What it is for, where course.toml leaves that open.")
@json_option
def command(
    wanted: tuple[str, ...], *, inbox: Path | None, student: str, assignment: str | None, as_json: bool
) -> None:
    """Look your work over and pack it into a zip to upload, or deliver it.

    Nothing in it is run. Without a path or a problem's name: every problem that a file lies here for. The zip is
    written beside the work; with --to it goes to an inbox folder, with its receipt. Nothing is written over.
    """
    from grader import handin
    from grader.report.receipt import receipt

    packed = handin.pack(course(), wanted, Path.cwd(), assignment)
    for warning in packed.warnings:
        say(f"Note: {warning}.")
    now = datetime.now(UTC)
    who = student or handin.login()
    if inbox is None:
        path, given = handin.keep(packed, packed.home), handin.receipt(packed, who, now)
    else:
        path, given = handin.deliver(packed, inbox, who, now)
    if as_json:
        document(given.document() | {"path": str(path), "problems": packed.problems, "warnings": packed.warnings})
    else:
        console().print(receipt(given, path, delivered=inbox is not None))
