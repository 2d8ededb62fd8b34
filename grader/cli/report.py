"""``grade report``: the class and each student, in the terminal or as pages."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.cli import SUMMARIES
from grader.cli.common import console, document, json_option, say

if TYPE_CHECKING:
    from grader.results import Run


@click.command("report", short_help=SUMMARIES["report"])
@click.argument("run", metavar="RUN", type=click.Path(path_type=Path))
@click.option("-o", "folder", metavar="DIR", type=click.Path(path_type=Path), help="Write pages to look at here.")
@json_option
def command(run: Path, *, folder: Path | None, as_json: bool) -> None:
    """Show how the class did: a table, or with -o a page of the class and a page for each student.

    DIR/index.html is for instructors. DIR/students/ holds a page a student, with nothing on it that a student may
    not see. They need no network and no server.
    """
    from grader import documents, store
    from grader.report import table

    if folder is not None and as_json:
        raise click.UsageError("give either -o DIR or --json")
    graded = store.read(run)
    if folder is not None:
        _write(graded, folder)
    elif as_json:
        document(documents.run_document(graded))
    else:
        console().print(table.run(graded))


def _write(graded: Run, folder: Path) -> None:
    from grader import bundle
    from grader.report import page
    from grader.report.text import counted, plain

    bundle.write(page.files(graded), folder)
    console().print(plain(f"{folder / 'index.html'} shows the class, {counted(len(graded.students), 'student')}."))
    console().print(plain(f"{folder / 'students'} holds a page for each of them."))
    say("The page of the class names every student: hand out single pages of students only.")
