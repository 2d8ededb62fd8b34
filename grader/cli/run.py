"""``grade run``: many submissions, graded and kept."""

from __future__ import annotations

import shlex
import sys
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.cli import BROKEN, SUMMARIES
from grader.cli.common import console, course, course_option, device_option, document, dtype_option, json_option, say

if TYPE_CHECKING:
    from grader.classroom import Work
    from grader.grading import Prepared, Request
    from grader.results import Run
    from grader.verdict import Verdict

PATH = click.Path(path_type=Path)


@click.command("run", short_help=SUMMARIES["run"])
@course_option
@click.argument("paths", metavar="PATH...", nargs=-1, required=True, type=PATH)
@click.option("-o", "folder", metavar="RUN", required=True, type=PATH, help="Where to keep it.")
@click.option("--assignment", default="", metavar="NAME", help="The problems and due date of this assignment.")
@click.option("--problem", "problems", multiple=True, metavar="SLUG", help="This problem only; may be repeated.")
@click.option("--student", "students", multiple=True, metavar="NAME", help="This student only; may be repeated.")
@click.option("--roster", metavar="FILE", type=PATH, help="Who is in the class.")
@click.option("--times", metavar="FILE", type=PATH, help="When each student handed in.")
@device_option
@dtype_option
@click.option(
    "--jobs", type=click.IntRange(min=1), metavar="N", help="Judges side by side; by default one a core, one on a GPU."
)
@click.option("--cluster", default="", metavar="ADDRESS", help="Judge on the workers of this Dask scheduler.")
@click.option("--min-tier", type=click.IntRange(1, 3), metavar="N", help="The isolation to demand, 1 to 3.")
@click.option("--seed", type=click.IntRange(0, 2**63 - 1), metavar="N", help="Draw the examples from this seed.")
@click.option("--allow-lower", is_flag=True, help="Let scores fall; otherwise the higher one stands.")
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
    roster: Path | None,
    times: Path | None,
    device: str,
    dtype: str,
    jobs: int | None,
    cluster: str,
    min_tier: int | None,
    seed: int | None,
    allow_lower: bool,
    as_json: bool,
) -> None:
    """Grade submissions and keep the run in the folder RUN.

    PATH is a folder of students, one student's folder, a file, a notebook or an archive. Given again, with the same
    RUN, it judges what has changed and goes on where it was stopped.
    """
    from grader.grading import Request

    request = Request(
        course=course(),
        paths=paths,
        folder=folder,
        assignment=assignment,
        problems=problems,
        students=students,
        roster=roster,
        times=times,
        device=device,
        dtype=dtype,
        min_tier=min_tier,
        seed=seed,
        allow_lower=allow_lower,
        cluster=cluster,
        jobs=jobs,
    )
    graded(ctx, request, as_json=as_json)


def graded(ctx: click.Context, request: Request, *, as_json: bool) -> None:
    """Grade what is asked for, keep it, print it and end the command."""
    from grader import grading

    with grading.prepared(request) as prepared:
        run = judged(prepared)
    _print(run, as_json=as_json)
    ctx.exit(BROKEN if run.broken else 0)


def judged(prepared: Prepared) -> Run:
    """Judge what is due, telling how far it is and how to go on after an interruption."""
    from grader import grading
    from grader.cli.progress import pace, progress
    from grader.report.text import counted

    total, done, statuses, started = len(prepared.due), 0, Counter[str](), time.monotonic()
    problems = len(prepared.plan.problems)
    said = f"Grading {counted(prepared.students, 'student')} on {counted(problems, 'problem')}"
    where = f" on {prepared.device}: {', '.join(prepared.gpus)}" if prepared.gpus else ""
    say(f"{said}, at tier {prepared.survey.tier}{where}.")
    for notice in prepared.notices:
        say(notice)
    if prepared.settled:
        say(f"{prepared.settled} of {prepared.settled + total} verdicts stand; {total} to judge.")
    try:
        with progress(total, "judged") as advance:

            def tell(number: int, work: Work, verdict: Verdict) -> None:
                nonlocal done
                done = number
                statuses[verdict.status.value] += 1
                advance(number, work.student, _so_far(statuses))

            run = grading.grade(prepared, progress=tell)
        if total:
            say(f"{pace(total, time.monotonic() - started)}.")
    except KeyboardInterrupt as stop:
        again = shlex.join(["grade", *sys.argv[1:]])
        raise KeyboardInterrupt(
            f"{prepared.settled + done} of {prepared.settled + total} verdicts are kept in {prepared.store.path}; "
            f"to go on: {again}"
        ) from stop
    return run


def _so_far(statuses: Counter[str]) -> str:
    from grader.report.text import WORDS
    from grader.verdict import Status

    return ", ".join(f"{number} {WORDS[Status(status)]}" for status, number in statuses.most_common())


def _print(run: Run, *, as_json: bool) -> None:
    from grader import documents
    from grader.report import table

    if as_json:
        document(documents.run_document(run))
    else:
        console().print(table.run(run))
