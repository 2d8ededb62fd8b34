"""``grade explain``: everything about one student's verdicts."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.cli import SUMMARIES
from grader.cli.common import console, course, course_option, document, json_option, say

if TYPE_CHECKING:
    from grader.explain import Explained


@click.command("explain", short_help=SUMMARIES["explain"])
@course_option
@click.argument("run", metavar="RUN", type=click.Path(path_type=Path))
@click.argument("student")
@click.argument("slug", required=False)
@click.option(
    "--replay", metavar="FILE.py", type=click.Path(path_type=Path), help="Write the failing calls as a script to run."
)
@json_option
def command(run: Path, student: str, slug: str | None, *, replay: Path | None, as_json: bool) -> None:
    """Explain one student's verdicts: for instructors, since it shows hidden values."""
    from grader import classroom, explain, isolation, store
    from grader import replay as replays

    graded = store.read(run)
    explained = explain.find(graded, student, slug)
    survey, here = isolation.survey(), course()
    starting = isolation.launcher(survey.layers, preload=here.preload)
    with contextlib.closing(starting) as launcher, classroom.one_core():
        explained = explain.look_closer(explained, graded, here, survey, launcher)
    if replay is not None:
        replays.write(replay, explain.script(explained))
        say(f"{replay} holds hidden values: do not hand it out.")
    _print(explained, as_json=as_json)


def _print(explained: Explained, *, as_json: bool) -> None:
    from grader import explain
    from grader.report import standing, verdicts
    from grader.report.text import plain

    if as_json:
        document(explain.document(explained))
        return
    out = console()
    out.print(plain(explained.graded.student, style="bold"))
    for remark in explained.remarks:
        out.print(plain(remark))
    if late := standing.lateness(explained.graded):
        out.print(plain(f"Late: {late}"))
    for result in explained.results:
        seen = explain.seen(explained.closer.get(result.judged.problem))
        out.print(verdicts.for_instructor(result.verdict, seen, standing.lines(explained.graded, result)))
