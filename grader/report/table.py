"""A class at a glance, and the catalogue of a course: tables of at most 80 columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from grader.report import standing
from grader.report.text import WORDS, counted, plain, points, safe, some, style
from grader.verdict import Status

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from rich.console import RenderableType
    from rich.table import Table
    from rich.text import Text

    from grader.problem import Problem
    from grader.results import Graded, Result, Run

WIDTH = 80
NAME = 24  # columns of the longest student name; longer ones are folded
LISTED = 10  # ignored paths that are named
NARROWEST = 8
HEADING = 16  # columns of a slug above its points; longer ones are folded


def run(run: Run) -> RenderableType:
    """Return a run: students by problems, totals, and under which conditions; in blocks that fit 80 columns."""
    from rich.console import Group

    parts: list[RenderableType] = []
    for slugs in _blocks(run.students):
        parts += [_block(run.students, slugs), plain("")]
    return Group(*parts, *(plain(line) for line in summary(run)))


def summary(run: Run) -> list[str]:
    """Return what stands below the table, a sentence a line."""
    return [
        *_judged(run.students),
        *_by_hand(run.students),
        *standing.summary(run),
        f"Isolation: tier {run.conditions.tier}, {run.conditions.words}.",
        *(f"  Missing: {one}" for one in run.conditions.missing),
        *_unproved(run.unproved),
        *_ignored(run.conditions.ignored),
    ]


def cell(result: Result) -> Text:
    """Return one result as points and, unless it is passed as it stands, a word: what was judged, or what holds."""
    verdict = result.verdict
    text = plain(f"{points(result.score)}/{points(result.points)}")
    if verdict.score != result.judged.score:
        text.append(" marked", style="cyan")
    elif verdict.status is not Status.PASSED:
        text.append(f" {WORDS[verdict.status]}", style=style(verdict.status))
    if result.waiting is not None:
        text.append(" kept", style="yellow")
    elif result.stale:
        text.append(" stale", style="yellow")
    return text


def catalogue(problems: Iterable[tuple[Problem, bool]]) -> RenderableType:
    """Return the problems of a course as a table.

    Args:
        problems: each with whether its hidden part is here.
    """
    table = _bare("problem", "title", "points", "visible", "hidden", "right", "wrong")
    for problem, whole in problems:
        row = entry(problem)
        worth = points(row["points"]) + (f"+{points(row['manual_points'])}" if row["manual_points"] else "")
        counts = [str(row[key]) for key in ("visible", "hidden", "right", "wrong")]
        table.add_row(
            *map(plain, (row["slug"], row["title"], worth, *(counts if whole else [counts[0], "-", "-", "-"])))
        )
    for column in table.columns[2:]:
        column.justify = "right"
        column.no_wrap = True
    return table


def entry(problem: Problem) -> dict[str, Any]:
    """Return one problem of the catalogue as JSON data."""
    visible = sum(check.visible for check in problem.checks)
    return {
        "slug": problem.slug,
        "title": problem.title,
        "source": problem.settings.source,
        "points": problem.points,
        "manual_points": problem.manual_points,
        "visible": visible,
        "hidden": len(problem.checks) - visible,
        "right": len(problem.right),
        "wrong": len(problem.wrong),
    }


def _blocks(students: Sequence[Graded]) -> Iterator[tuple[str, ...]]:
    """Yield the problems of each table: as many as fit beside the names."""
    widths: dict[str, int] = {}
    for graded in students:
        for result in graded.results:
            slug = result.judged.problem
            narrowest = max(NARROWEST, min(len(slug), HEADING))
            widths[slug] = max(widths.get(slug, narrowest), cell(result).cell_len)
    room = WIDTH - min(NAME, max((plain(graded.student).cell_len for graded in students), default=7)) - 2
    room -= max((plain(_total(graded)).cell_len for graded in students), default=5) + 2
    block: list[str] = []
    left = room
    for slug, width in widths.items():
        if block and width + 2 > left:
            yield tuple(block)
            block, left = [], room
        block.append(slug)
        left -= width + 2
    yield tuple(block)


def _block(students: Sequence[Graded], slugs: tuple[str, ...]) -> Table:
    table = _bare("student", *slugs, "total")
    for graded in students:
        by_slug: Mapping[str, Result] = {result.judged.problem: result for result in graded.results}
        cells = [cell(by_slug[slug]) if slug in by_slug else plain("") for slug in slugs]
        table.add_row(plain(graded.student), *cells, plain(_total(graded)))
    table.columns[0].max_width = NAME
    for column, heading in zip(table.columns[1:], (*slugs, "total"), strict=True):
        column.min_width = min(len(heading), HEADING)
    return table


def _bare(*headings: str) -> Table:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False, padding=(0, 1, 0, 0))
    for heading in headings:
        table.add_column(plain(heading, style="bold"), overflow="fold")
    return table


def _total(graded: Graded) -> str:
    return f"{points(graded.score)}/{points(graded.points)}"


def _judged(students: Sequence[Graded]) -> Iterator[str]:
    scores = [graded.score for graded in students if graded.score is not None]
    yield f"{counted(len(students), 'student')} graded."
    if scores and len(students) > 1:
        yield f"Mean {points(sum(scores) / len(scores))} of {points(students[0].points)} points."
    broken = [
        f"{safe(graded.student)} ({result.judged.problem})"
        for graded in students
        for result in graded.results
        if result.score is None
    ]
    if broken:
        yield (
            f"Not judged, through no fault of the students: {some(broken)}. Their totals are left open (?); "
            "grade explain says why, and grading again judges them again."
        )


def _by_hand(students: Sequence[Graded]) -> Iterator[str]:
    pending = {
        result.judged.problem: result.judged.manual_points
        for graded in students
        for result in graded.results
        if result.judged.manual_points and not result.by_hand
    }
    if pending:
        listed = ", ".join(f"{counted(worth, 'point')} in {slug}" for slug, worth in pending.items())
        yield f"Marked by hand, pending and not in the totals: {listed}."


def _unproved(slugs: Sequence[str]) -> Iterator[str]:
    if slugs:
        yield f"Used without a proof: {', '.join(slugs)}. To prove them: grade verify {' '.join(slugs)}"


def _ignored(ignored: Sequence[tuple[str, str]]) -> Iterator[str]:
    for path, reason in ignored[:LISTED]:
        yield f"Ignored {safe(path)}: {safe(reason)}."
    if len(ignored) > LISTED:
        yield f"Ignored {len(ignored) - LISTED} more; --json names them all."
