"""Plain tables: ``csv`` has a row a student and a column a problem, ``csv-long`` a row a check."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grader.export import Exported, cells, standing

if TYPE_CHECKING:
    from collections.abc import Iterator

    from grader.export import Wish
    from grader.results import Graded, Result, Run

LONG = ("student", "problem", "check", "visible", "status", "score", "points", "message", "hint")
_Row = list[str | float | None]


def export(run: Run, wish: Wish) -> Exported:
    """Return the table, in UTF-8, texts in quotes and numbers bare."""
    return Exported(cells.table(_long(run) if wish.format == "csv-long" else _wide(run, late=wish.late)))


def _wide(run: Run, *, late: bool) -> Iterator[_Row]:
    slugs = list(
        dict.fromkeys([*run.problems, *(one.judged.problem for graded in run.students for one in graded.results)])
    )
    yield ["student", *slugs, *(["late"] if late else []), "total", "points", "open"]
    for graded in run.students:
        found = {result.judged.problem: result for result in graded.results}
        scores = [standing.part(graded, found[slug]) if slug in found else None for slug in slugs]
        total = standing.total(graded, late=late)
        taken = [-graded.taken if total is not None else None] if late else []
        yield [graded.student, *scores, *taken, total, standing.worth(graded), standing.reason(graded)]


def _long(run: Run) -> Iterator[_Row]:
    yield list(LONG)
    for graded in run.students:
        for result in graded.results:
            yield from _checks(graded, result)
        for slug in graded.unjudged:
            yield [graded.student, slug, "", "", standing.UNJUDGED, None, None, "", ""]


def _checks(graded: Graded, result: Result) -> Iterator[_Row]:
    """Yield a row a check; then what a person gave, which for the whole problem stands in place of the checks."""
    judged, there = result.judged, standing.handed_in(graded)
    for check in result.verdict.checks:
        yield [
            graded.student, judged.problem, check.name, "visible" if check.visible else "hidden", check.status.value,
            check.score if there else None, check.points, check.message, check.hint,
        ]  # fmt: skip
    for mark in result.marks:
        if not mark.check:
            worth = judged.manual_points if mark.by_hand else judged.points
            status = "MARKED BY HAND" if mark.by_hand else "OVERRIDDEN"
            yield [graded.student, judged.problem, "", "", status, mark.points, worth, "", ""]
    if judged.manual_points and result.by_hand is None:
        yield [graded.student, judged.problem, "", "", "PENDING", None, judged.manual_points, "", ""]
