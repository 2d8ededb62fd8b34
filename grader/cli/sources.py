"""``grade sources``: what was handed in as plain files, to compare or to read."""

from __future__ import annotations

from pathlib import Path

import click

from grader.cli import SUMMARIES
from grader.cli.common import console, course, course_option, say


@click.command("sources", short_help=SUMMARIES["sources"])
@course_option
@click.argument("run", metavar="RUN", type=click.Path(path_type=Path))
@click.argument("slugs", nargs=-1, metavar="[SLUG]...")
@click.option("-o", "folder", metavar="DIR", required=True, type=click.Path(path_type=Path), help="A new folder.")
def command(run: Path, slugs: tuple[str, ...], *, folder: Path) -> None:
    """Write each student's answers as plain files, with the known answers and the stubs beside them.

    DIR/students/ has a folder for each student, DIR/known/ the worked solutions and right answers of another make,
    DIR/handed_out/ the stubs. docs/similarity.md compares them.
    """
    from grader import bundle, sources, store
    from grader.report.text import counted, plain

    made = sources.files(store.read(run), course(), slugs)
    bundle.write(made.files, folder)
    for remark in made.remarks:
        say(remark)
    console().print(plain(f"{folder} holds the answers of {counted(made.students, 'student')}."))
