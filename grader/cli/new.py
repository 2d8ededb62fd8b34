"""``grade new``: start a problem."""

from __future__ import annotations

import click

from grader.cli import SUMMARIES
from grader.cli.common import console, course, course_option


@click.command("new", short_help=SUMMARIES["new"])
@course_option
@click.argument("slug")
def command(slug: str) -> None:
    """Start a problem in this course: a small one that is proved as it stands, to be replaced part by part.

    SLUG names its folder and the file that students hand in: lower-case letters, digits and underscores. Nothing is
    ever written over.
    """
    from grader import scaffold
    from grader.report.text import plain

    here = course()
    written = scaffold.start_problem(here, slug)
    for path in written:
        console().print(plain(path))
    console().print(plain(f"`grade verify {slug}` proves it as it stands; replace it part by part."))
