"""``grade problems``: the catalogue."""

from __future__ import annotations

import click

from grader.cli import BROKEN, SUMMARIES
from grader.cli.common import console, course, course_option, document, json_option, say
from grader.errors import AuthoringError, CourseError


@click.command("problems", short_help=SUMMARIES["problems"])
@course_option
@json_option
@click.pass_context
def command(ctx: click.Context, *, as_json: bool) -> None:
    """List the problems of the course: what they are worth, and how many checks and variants they have."""
    from grader import problem as problems
    from grader.report import table

    here = course()
    if not here.slugs:
        raise CourseError(f"{here.root / 'problems'} holds no problem; a problem is a folder with visible.py in it")
    found, unreadable = [], 0
    for slug in here.slugs:
        files = here.problem(slug)
        try:
            found.append((problems.load(files), bool(files.hidden or files.reference)))
        except AuthoringError as error:
            say(f"Error: {error}")
            unreadable += 1
    if as_json:
        document([table.entry(problem) for problem, _ in found])
    else:
        console().print(table.catalogue(found))
    if unreadable:
        ctx.exit(BROKEN)
