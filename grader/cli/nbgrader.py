"""``grade nbgrader``: the round trip through nbgrader."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.cli import BROKEN, SUMMARIES
from grader.cli.common import (
    console,
    course,
    course_option,
    document,
    filled_column_option,
    filled_roster_option,
    json_option,
    output_option,
    say,
)

if TYPE_CHECKING:
    from grader.notebook.autograde import Recorded
    from grader.notebook.desk import Desk
    from grader.notebook.source import Written


@click.group("nbgrader", short_help=SUMMARIES["nbgrader"])
def command() -> None:
    """Hand out and grade problems through nbgrader, with nothing hidden in the student's kernel."""


folder_option = click.option(
    "--folder",
    metavar="DIR",
    default=".",
    type=click.Path(path_type=Path, file_okay=False),
    help="nbgrader's course, the folder with nbgrader_config.py in it. By default the working folder.",
)


@command.command("source")
@course_option
@folder_option
@click.argument("name")
@click.argument("slugs", metavar="[SLUG]...", nargs=-1)
@click.pass_context
def source(ctx: click.Context, folder: Path, name: str, slugs: tuple[str, ...]) -> None:
    """Write an assignment into a nbgrader course: a source notebook a problem, and the configuration.

    Without a problem's name: those of the assignment NAME in course.toml. What you have edited there is kept and named,
    and the exit code is 1 then.
    """
    from grader.notebook import source as sources

    written = sources.write(course(), name, slugs, folder, say=lambda slug: say(f"{slug}: recording known mistakes"))
    _tell(written)
    ctx.exit(1 if written.kept else 0)


def _tell(written: Written) -> None:
    """Print what became of an assignment's files, and what to do next."""
    from grader.notebook import config, installed
    from grader.report.text import counted, plain

    def line(text: str) -> None:
        console().print(plain(text, lines=True))

    for path in (path for path in written.written if path.endswith(".ipynb")):
        line(f"wrote {path}")
    for path in (path for path in written.same if path.endswith(".ipynb")):
        line(f"{path} is up to date")
    for path in written.kept:
        line(f"kept {path}: it was edited, and differs; move it away to have it written again")
    for path in written.extra:
        line(f"{path} is of no problem named here and still part of the assignment; remove it if it should not be")
    by_hand = f", and {counted(written.manual_points, 'point')} by hand" if written.manual_points else ""
    line(f"{written.name}: {counted(written.points, 'point')} by checks{by_hand}")
    if written.lines:
        line(f"{config.NAME} is yours and was left as it is. Add these lines to it:\n")
        line(written.lines)
    if not installed.version():
        line("nbgrader is not installed here; pip install 'tensor-grader[nbgrader]' brings it.")
    line(f"Next, in {written.folder}:")
    line(f"  nbgrader generate_assignment {shlex.quote(written.name)}")


@command.command("collect")
@folder_option
@click.argument("name")
@click.argument("paths", metavar="ZIP...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--roster",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Who is in the class: the gradebook or worksheet you downloaded, or a CSV file of your own.",
)
@click.option("--times", metavar="FILE", type=click.Path(path_type=Path), help="When each student handed in.")
@click.option("--replace", is_flag=True, help="Take the new one where nobody knows which of two is newer.")
@click.pass_context
def collect(
    ctx: click.Context,
    folder: Path,
    name: str,
    paths: tuple[Path, ...],
    *,
    roster: Path | None,
    times: Path | None,
    replace: bool,
) -> None:
    """Bring downloads of Canvas or Moodle into submitted/, with the names and times that nbgrader wants.

    A newer hand-in is never replaced by an older one. Exit code 1: a person should look at something, and it is listed.
    """
    from rich.padding import Padding

    from grader.notebook import collect as collecting
    from grader.report.text import plain

    found = collecting.collect(name, paths, folder, roster=roster, times=times, replace=replace)
    for text in found.lines:
        inset = len(text) - len(text.lstrip())
        console().print(Padding(plain(text.lstrip()), (0, 0, 0, inset), expand=False))
    ctx.exit(1 if found.doubtful else 0)


@command.command("export")
@folder_option
@click.argument("name")
@output_option
@click.option(
    "--format",
    "form",
    default="csv",
    show_default=True,
    type=click.Choice(["csv", "canvas", "moodle"]),
    help="nbgrader's own table, or what Canvas or Moodle takes.",
)
@filled_roster_option
@filled_column_option
@click.pass_context
def export(
    ctx: click.Context, folder: Path, name: str, *, output: Path, form: str, roster: Path | None, column: str
) -> None:
    """Write the marks of nbgrader's gradebook: as CSV with nbgrader's own columns, or for Canvas or Moodle.

    Only marks that we have given, or a person: where a check's score is not as our stamp in the graded notebook says,
    nothing is written, each such cell is named, and the exit code is 1.
    """
    from grader.export import Wish, writing
    from grader.notebook import export as exporting

    keep = [] if roster is None else [roster]
    if str(output) != "-":
        writing.demand_free(output, keep)
    made = exporting.export(name, folder, Wish(form, roster, column))
    for one in made.unstamped:
        say(f"{one.student}: {one.cell} {one.why}")
    if made.unstamped:
        say(f"Nothing was written. With our lines in {folder / 'nbgrader_config.py'}, grade again:")
        say(f"  nbgrader autograde {shlex.quote(name)} --force")
        ctx.exit(1)
    if str(output) == "-":
        click.echo(made.content, nl=False)
    else:
        writing.put(output, made.content, keep=keep)
    for note in made.notes:
        say(note)


@command.command("autograde")
@folder_option
@click.argument("name")
@click.option("--student", default="*", metavar="NAME", help="This student only; a pattern such as 'a*' is fine.")
@click.option("--force", is_flag=True, help="Have nbgrader record everybody anew, changed or not.")
@click.option("--jobs", type=click.IntRange(min=1), metavar="N", help="Judges side by side; by default one a core.")
@json_option
@click.pass_context
def autograde(
    ctx: click.Context, folder: Path, name: str, student: str, *, force: bool, jobs: int | None, as_json: bool
) -> None:
    """Grade an assignment: judge what was handed in, in parallel, and have nbgrader record it.

    Given again it judges and records what has changed. The formgrader, feedback and export then work as ever.
    """
    from grader import grading
    from grader.cli.progress import progress
    from grader.cli.run import judged
    from grader.notebook import autograde as grading_all
    from grader.notebook.autograde import Wish
    from grader.report.text import counted

    wish = Wish(folder, name, student, force, jobs)
    desk, terms = grading_all.opened(wish)
    with grading.prepared(desk.request(terms)) as prepared:
        desk.take(judged(prepared))
    due = grading_all.due(desk, wish)
    say(f"nbgrader records {len(due)} of {counted(len(desk.folders), 'student')}.")
    with progress(len(due) * len(desk.slugs), "recorded") as advance:
        done = 0

        def hear(who: str) -> None:
            nonlocal done
            done += 1
            advance(done, who)

        recorded = grading_all.record(desk, wish, hear)
    _print_graded(desk, recorded, as_json=as_json)
    ctx.exit(BROKEN if recorded.left or recorded.trouble or grading_all.unscored(desk) else 0)


def _print_graded(desk: Desk, recorded: Recorded, *, as_json: bool) -> None:
    """Print the marks as judged, and whom nbgrader could not record."""
    from grader import documents
    from grader.report import table
    from grader.submission import names

    run = desk.judged.run
    if as_json:
        about = {"not_recorded": list(recorded.left), "trouble": recorded.trouble, "log": str(recorded.log)}
        document(documents.run_document(run) | {"nbgrader": about})
    else:
        console().print(table.run(run))
    if recorded.left:
        left = names.some([names.shown(one) for one in recorded.left])
        say(f"nbgrader could not record {left}; they have no score there. Its log says why: {recorded.log}")
    elif recorded.trouble:
        say(f"nbgrader has these marks, and complained of something else: {recorded.log}")
    say(f"Everything about one verdict: grade explain {shlex.quote(run.run)} STUDENT PROBLEM")
