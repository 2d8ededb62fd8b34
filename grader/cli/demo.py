"""``grade demo``: a small class of known answers, graded."""

from __future__ import annotations

from pathlib import Path

import click

from grader.cli import SUMMARIES
from grader.cli.common import course, course_option, json_option, say


@click.command("demo", short_help=SUMMARIES["demo"])
@course_option
@click.option("-o", "folder", metavar="DIR", required=True, type=click.Path(path_type=Path), help="A new folder.")
@json_option
@click.pass_context
def command(ctx: click.Context, *, folder: Path, as_json: bool) -> None:
    """Make a small class of the course's own references, stubs and variants, and grade it."""
    from grader import demo
    from grader.cli.run import graded
    from grader.grading import Request

    here = course()
    handed_in = demo.hand_ins(here)
    students = demo.write(folder, handed_in)
    say(f"Who handed in what is in {folder / demo.MARK}.")
    slugs = tuple(dict.fromkeys(one.slug for one in handed_in))
    request = Request(
        course=here,
        paths=(students,),
        folder=folder / demo.RUN,
        problems=slugs,
        min_tier=1,
        seed=demo.SEED,
        allow_lower=True,  # what a demo showed before is nobody's mark
    )
    graded(ctx, request, as_json=as_json)
