"""``grade gradescope``: an autograder archive for Gradescope."""

from __future__ import annotations

from pathlib import Path

import click

from grader.cli import SUMMARIES
from grader.cli.common import console, course, course_option, document, json_option, say


@click.command("gradescope", short_help=SUMMARIES["gradescope"])
@course_option
@click.argument("wanted", metavar="[ASSIGNMENT or SLUG]...", nargs=-1)
@click.option(
    "-o", "output", required=True, metavar="ZIP", type=click.Path(path_type=Path), help="Where to write the archive."
)
@click.option(
    "--hidden",
    default="after_published",
    show_default=True,
    type=click.Choice(["after_published", "after_due_date", "hidden", "visible"]),
    help="When students see hidden checks.",
)
@click.option(
    "--min-tier",
    type=click.IntRange(1, 3),
    help="The isolation demanded there; by default what course.toml says, else 2.",
)
@click.option("--minutes", default=10, show_default=True, type=click.IntRange(2, 40), help="The time limit set there.")
@click.option("--memory", default=768, show_default=True, metavar="MIB", type=click.IntRange(256), help="The memory.")
@click.option("--torch", default="", metavar="LINE", help="How PyTorch is installed there: what pip is given.")
@click.option("--seed", type=click.IntRange(0), help="Draw the examples from it; else as before, or new.")
@json_option
def command(
    wanted: tuple[str, ...],
    *,
    output: Path,
    hidden: str,
    min_tier: int | None,
    minutes: int,
    memory: int,
    torch: str,
    seed: int | None,
    as_json: bool,
) -> None:
    """Make an autograder archive for Gradescope, of an assignment, of some problems, or of the whole course.

    It holds the hidden checks, the references and the grader itself: upload it, and give it to nobody. Made again at
    the same place, it keeps its examples, so that regrading moves no mark by chance.
    """
    from grader.export import writing
    from grader.gradescope import archive

    here = course()
    wishes = archive.Wishes(hidden, here.min_tier if min_tier is None else min_tier, minutes, memory, torch)
    before = archive.earlier(output)
    settled = archive.settled_seed(seed, before)
    made = archive.make(here, archive.slugs(here, wanted), wishes, seed=settled, before=before)
    writing.put(output, made.content, keep=[])
    for note in archive.notes(here, made, wishes):
        say(note)
    if as_json:
        document(archive.summary(output, made))
    else:
        from grader.report.text import counted, plain

        size = len(made.content) / 1024
        out = console()
        out.print(plain(f"{output}: {counted(len(made.plan.digests), 'problem')}, {size:.0f} KiB."))
        out.print(plain(f"In Gradescope, set Autograder Points to {made.points:g} and upload it."))
        if made.manual_points:
            out.print(plain(f"Turn on manual grading for {counted(made.manual_points, 'point')} more."))
