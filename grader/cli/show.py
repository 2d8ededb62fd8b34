"""``grade show``: a statement."""

from __future__ import annotations

import click

from grader.cli import SUMMARIES
from grader.cli.common import console, course, course_option


@click.command("show", short_help=SUMMARIES["show"])
@course_option
@click.argument("slug")
@click.option("--raw", is_flag=True, help="Print the Markdown as it was written.")
def command(slug: str, *, raw: bool) -> None:
    """Show the statement of a problem, its formulas as Unicode."""
    from grader.report.statement import statement

    text = course().problem(slug).statement
    if raw:
        click.echo(text, nl=not text.endswith("\n"))
    else:
        console().print(statement(text))
