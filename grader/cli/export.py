"""``grade export``: a run as a file that another system takes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.cli import BROKEN, SUMMARIES
from grader.cli.common import filled_column_option, filled_roster_option, output_option, say
from grader.export import FORMATS

if TYPE_CHECKING:
    from grader.results import Run


@click.command("export", short_help=SUMMARIES["export"])
@click.argument("folder", metavar="RUN", type=click.Path(path_type=Path))
@click.option("--format", "form", required=True, type=click.Choice(FORMATS), help="What to write.")
@output_option
@filled_roster_option
@filled_column_option
@click.option("--late", is_flag=True, help="Take off what lateness costs.")
@click.option("--student", "students", multiple=True, metavar="NAME", help="Only this student; may be given again.")
@click.option(
    "--hidden",
    default="after_published",
    show_default=True,
    type=click.Choice(["after_published", "after_due_date", "hidden", "visible"]),
    help="When Gradescope shows hidden checks.",
)
@click.pass_context
def command(
    ctx: click.Context,
    folder: Path,
    form: str,
    output: Path,
    *,
    roster: Path | None,
    column: str,
    late: bool,
    students: tuple[str, ...],
    hidden: str,
) -> None:
    """Write the marks of a run for another system. Scores are those before lateness, unless --late.

    Exit code 3: something is BROKEN and has no score.
    """
    from grader import export, store
    from grader.export import writing

    keep = [path for path in (roster, folder, folder / store.NAME) if path is not None]
    if str(output) != "-":
        writing.demand_free(output, keep)
    run = _only(store.read(folder), students)
    wish = export.Wish(
        form, roster, column, late=late, hidden=hidden, archive=output.suffix.lower() == ".zip", everybody=not students
    )
    made = export.export(run, wish)
    if str(output) == "-":
        click.echo(made.content, nl=False)
    else:
        writing.put(output, made.content, keep=keep)
    for note in made.notes:
        say(note)
    if run.broken:
        ctx.exit(BROKEN)


def _only(run: Run, names: tuple[str, ...]) -> Run:
    return replace(run, students=tuple(run.student(name) for name in dict.fromkeys(names))) if names else run
