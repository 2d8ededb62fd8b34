"""``grade mark``: points that a person gives."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.cli import SUMMARIES
from grader.cli.common import console, document, json_option

if TYPE_CHECKING:
    from grader.marks import Given


@click.command("mark", short_help=SUMMARIES["mark"])
@click.argument("run", metavar="RUN", type=click.Path(path_type=Path))
@click.argument("student")
@click.argument("target", metavar="SLUG[::CHECK]")
@click.argument("points", type=float, required=False)
@click.option("--reason", default="", metavar="TEXT", help="Why; kept and shown with the mark.")
@click.option("--override", is_flag=True, help="Of a problem with a part marked by hand, mean what was judged.")
@click.option("--extra", is_flag=True, help="Let the points exceed what there is to have.")
@click.option("--remove", is_flag=True, help="Withdraw the mark: what was judged counts again.")
@json_option
def command(
    run: Path,
    student: str,
    target: str,
    points: float | None,
    *,
    reason: str,
    override: bool,
    extra: bool,
    remove: bool,
    as_json: bool,
) -> None:
    """Mark by hand, or override what was judged. The mark stays through every regrade.

    SLUG alone means the part that is marked by hand, where the problem has one; otherwise all that was judged.
    SLUG::CHECK means one check.
    """
    from grader import documents, marks

    if remove == (points is not None):
        raise click.UsageError("give either POINTS or --remove")
    wish = marks.Wish(student, target, override=override, extra=extra)
    given = marks.withdraw(run, wish, reason) if points is None else marks.give(run, wish, points, reason)
    if as_json:
        document(documents.student_document(given.after))
    else:
        _print(given, withdrawn=remove)


def _print(given: Given, *, withdrawn: bool) -> None:
    from grader.report import standing
    from grader.report.text import plain, points

    out, before, after = console(), given.before, given.after
    out.print(plain(f"{after.student}: {standing.mark(given.mark)}{', withdrawn' if withdrawn else ''}."))
    if given.instead is not None and not withdrawn:
        out.print(plain(f"In place of: {standing.mark(given.instead)}."))
    was = f"{points(before.score)}/{points(before.points)}"
    out.print(plain(f"Total: {points(after.score)}/{points(after.points)}, was {was}."))
