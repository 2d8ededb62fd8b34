"""``grade run``: many submissions, graded and kept."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.cli import BROKEN, SUMMARIES
from grader.cli.common import console, course, course_option, device_option, document, dtype_option, json_option, say

if TYPE_CHECKING:
    from grader.classroom import Graded
    from grader.grading import Request
    from grader.runfile import Run


@click.command("run", short_help=SUMMARIES["run"])
@course_option
@click.argument("paths", metavar="PATH...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("-o", "folder", metavar="RUN", required=True, type=click.Path(path_type=Path), help="Where to keep it.")
@click.option("--assignment", default="", metavar="NAME", help="The problems of this assignment of course.toml.")
@click.option("--problem", "problems", multiple=True, metavar="SLUG", help="This problem only; may be repeated.")
@click.option("--student", "students", multiple=True, metavar="NAME", help="This student only; may be repeated.")
@device_option
@dtype_option
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    metavar="N",
    help="Judges side by side; by default one a core, and one on a GPU.",
)
@click.option("--min-tier", type=click.IntRange(1, 3), metavar="N", help="The isolation to demand, 1 to 3.")
@click.option("--seed", type=click.IntRange(0, 2**63 - 1), metavar="N", help="Draw the examples from this seed.")
@json_option
@click.pass_context
def command(
    ctx: click.Context,
    paths: tuple[Path, ...],
    *,
    folder: Path,
    assignment: str,
    problems: tuple[str, ...],
    students: tuple[str, ...],
    device: str,
    dtype: str,
    jobs: int | None,
    min_tier: int | None,
    seed: int | None,
    as_json: bool,
) -> None:
    """Grade submissions and keep the run in the folder RUN.

    PATH is a folder of students, one student's folder, a file, a notebook or an archive.
    """
    from grader.grading import Request

    request = Request(
        course=course(),
        paths=paths,
        folder=folder,
        assignment=assignment,
        problems=problems,
        students=students,
        device=device,
        dtype=dtype,
        min_tier=min_tier,
        seed=seed,
    )
    graded(ctx, request, jobs=jobs, as_json=as_json)


def graded(ctx: click.Context, request: Request, *, jobs: int | None, as_json: bool) -> None:
    """Grade what is asked for, keep it, print it and end the command."""
    from grader import grading
    from grader.cli.progress import progress
    from grader.report.text import counted

    prepared = grading.prepare(request)
    total, done = len(prepared.tasks), 0
    problems = len(prepared.plan.problems)
    say(f"Grading {counted(total, 'student')} on {counted(problems, 'problem')}, at tier {prepared.survey.tier}.")
    try:
        with progress(total, "graded") as advance:

            def tell(number: int, latest: Graded) -> None:
                nonlocal done
                done = number
                advance(number, latest.student)

            run = grading.grade(prepared, jobs=jobs, progress=tell)
    except KeyboardInterrupt as stop:
        raise KeyboardInterrupt(
            f"{done} of {total} were graded; nothing was kept, and what {request.folder} held before is as it was."
        ) from stop
    aside = grading.keep(run, request.folder)
    if aside is not None:
        say(f"The earlier run is kept as {aside}.")
    _print(run, as_json=as_json)
    ctx.exit(BROKEN if grading.broken(run) else 0)


def _print(run: Run, *, as_json: bool) -> None:
    from grader.report import table

    if as_json:
        document(run.document())
    else:
        console().print(table.run(run))
