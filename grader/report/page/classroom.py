"""The page of a class as plain data: what its template shows, and nothing that the template must work out."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING

from grader.report.page import maps, names, notices, tally
from grader.report.page.chart import Chart, Part, bars, stacked
from grader.report.text import WORDS, counted, points, safe, sign
from grader.verdict import Status

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from grader.report.page.notices import Notice
    from grader.results import Graded, Result, Run
    from grader.verdict import Verdict

# One letter a status, for the script; its word stands in the page too.
CODES = {
    Status.PASSED: "P",
    Status.FAILED: "F",
    Status.NOT_ATTEMPTED: "N",
    Status.CRASHED: "C",
    Status.TIMED_OUT: "T",
    Status.OUT_OF_MEMORY: "M",
    Status.TOO_MUCH_OUTPUT: "O",
    Status.UNUSABLE: "U",
    Status.BROKEN: "B",
    Status.SKIPPED: "S",
}
# What the filter of the table knows beside statuses, in words.
FLAGS = {
    "unjudged": "not judged yet",
    "stale": "stale",
    "kept": "kept",
    "unmarked": "not marked yet",
    "marked": "marked by a person",
    "late": "late",
    "absent": "absent",
}
UNKNOWN = -1.0  # where an open score is sorted
PICTURES, OF_A_CHECK = 12, 3  # that the page shows
WORTH_A_VARIANT = 3  # students who are off alike where no known mistake fits


@dataclass(frozen=True, slots=True)
class Cell:
    """One student's answer to one problem: points, a word, how many checks are missed, and a letter a check."""

    kind: str
    score: str
    value: float
    words: str
    missed: str
    codes: str


@dataclass(frozen=True, slots=True)
class Row:
    """One student; ``cells`` has None where there is no verdict."""

    student: str
    path: str
    total: str
    value: float
    flags: str
    tags: tuple[str, ...]
    handed_in: str
    cells: tuple[Cell | None, ...]


@dataclass(frozen=True, slots=True)
class CheckRow:
    """One check over the class."""

    check: tally.Check
    worth: str
    bar: Chart
    used: str
    missed: str


@dataclass(frozen=True, slots=True)
class AlikeRow:
    """Who is off alike in a check, and what that looks like."""

    alike: tally.Alike
    map: maps.Map
    unnamed: bool


@dataclass(frozen=True, slots=True)
class ProblemRow:
    """One problem over the class."""

    problem: tally.Problem
    mean: str
    bar: Chart


@dataclass(frozen=True, slots=True)
class Page:
    """The page of a class."""

    title: str
    run: str
    facts: tuple[tuple[str, str], ...]
    notices: tuple[Notice, ...]
    slugs: tuple[str, ...]
    rows: tuple[Row, ...]
    handed_in: bool
    filters: tuple[tuple[str, str], ...]
    legend: tuple[tuple[str, str, str], ...]
    scores: tally.Scores
    scores_words: str
    histogram: Chart
    problems: tuple[ProblemRow, ...]
    checks: tuple[CheckRow, ...]
    mistakes: tuple[tally.Mistake, ...]
    alike: tuple[AlikeRow, ...]
    alike_left: int
    conditions: tuple[tuple[str, str], ...]
    missing: tuple[str, ...]
    script_data: Mapping[str, object]


def page(run: Run) -> Page:
    """Return the page of a class."""
    students = run.students
    slugs, scores, checks = tally.slugs(students), tally.scores(students), tally.checks(students)
    rows = tuple(_row(graded, slugs) for graded in students)
    present, alike = _present(students), tally.alike(students)
    pictures = _pictures(alike)
    return Page(
        title=run.conditions.assignment or "Class report",
        run=PurePath(run.run).name or run.run,
        facts=_facts(run, scores),
        notices=notices.notices(run),
        slugs=slugs,
        rows=rows,
        handed_in=any(row.handed_in for row in rows),
        filters=_filters(rows, present),
        legend=tuple((kind(status), sign(status), WORDS[status]) for status in present),
        scores=scores,
        scores_words=_scores_words(scores),
        histogram=bars(scores.bins),
        problems=tuple(map(_problem, tally.problems(students))),
        checks=tuple(sorted(map(_check, checks), key=lambda row: -row.check.share_missed)),
        mistakes=tally.mistakes(students),
        alike=pictures,
        alike_left=len(alike) - len(pictures),
        conditions=_conditions(run),
        missing=run.conditions.missing,
        script_data=_script_data(checks, slugs),
    )


def kind(status: Status) -> str:
    """Return the class of the stylesheet that colours a status."""
    return status.value.lower().replace("_", "-")


def _row(graded: Graded, slugs: Sequence[str]) -> Row:
    by_slug = {result.judged.problem: result for result in graded.results}
    late = (graded.late.sentence,) if graded.late is not None and graded.late.late else ()
    return Row(
        student=graded.student,
        path=names.path(graded.student),
        total=f"{points(graded.score)}/{points(graded.points)}",
        value=UNKNOWN if graded.score is None else graded.score,
        flags=" ".join(notices.flags(graded)),
        tags=(*late, *(() if graded.present else ("absent",))),
        handed_in=graded.handed_in[:16].replace("T", " "),
        cells=tuple(_cell(by_slug[slug]) if slug in by_slug else None for slug in slugs),
    )


def _cell(result: Result) -> Cell:
    verdict = result.verdict
    words = [WORDS[verdict.status]]
    if verdict.score != result.judged.score:
        words.append("overridden")
    if notices.is_unmarked(result):
        words.append("unmarked")
    if result.waiting is not None:
        words.append("kept")
    elif result.stale:
        words.append("stale")
    return Cell(
        kind=kind(verdict.status),
        score=f"{points(result.score)}/{points(result.points)}",
        value=UNKNOWN if result.score is None else result.score,
        words=", ".join(words),
        missed=_missed(verdict),
        codes="".join(CODES[check.status] for check in verdict.checks),
    )


def _missed(verdict: Verdict) -> str:
    """Return how many checks are not passed, by their signs; nothing where the word for the whole says it."""
    if verdict.status in {Status.PASSED, Status.NOT_ATTEMPTED}:
        return ""
    counts = Counter(sign(check.status) for check in verdict.checks if check.status is not Status.PASSED)
    told = " ".join(f"{number}{mark}" for mark, number in counts.most_common())
    return f"{told} of {len(verdict.checks)}"


def _check(check: tally.Check) -> CheckRow:
    return CheckRow(
        check,
        worth=points(check.points),
        bar=stacked([Part("passed", check.judged - check.misses), Part("failed", check.misses)]),
        used="" if check.used is None else _percent(check.used),
        missed="" if check.missed is None else _times(check.missed),
    )


def _pictures(alike: Sequence[tally.Alike]) -> tuple[AlikeRow, ...]:
    """Return what most students have in common, and not too much of one check."""
    shown: Counter[tuple[str, str]] = Counter()
    rows: list[AlikeRow] = []
    for one in alike:
        key = one.problem, one.check.name
        if shown[key] < OF_A_CHECK and len(rows) < PICTURES:
            shown[key] += 1
            unnamed = not one.hints and len(one.students) >= WORTH_A_VARIANT
            rows.append(AlikeRow(one, maps.drawn(one.picture), unnamed))
    return tuple(rows)


def _problem(problem: tally.Problem) -> ProblemRow:
    ordered = [Part(kind(status), problem.statuses[status]) for status in Status]
    mean = f"{points(problem.mean)}/{points(problem.points)}"
    if problem.manual_points:
        mean += f", and {points(problem.manual_points)} by hand"
    return ProblemRow(problem, mean, bar=stacked(ordered))


def _facts(run: Run, scores: tally.Scores) -> tuple[tuple[str, str], ...]:
    return (
        ("students", str(len(run.students))),
        ("problems", str(len(tally.slugs(run.students)))),
        ("mean score", _whole_percent(scores.mean)),
        ("median", _whole_percent(scores.median)),
        ("isolation", f"tier {run.conditions.tier}"),
    )


def _conditions(run: Run) -> tuple[tuple[str, str], ...]:
    conditions = run.conditions
    return (
        ("Isolation", f"tier {conditions.tier}: {conditions.words}"),
        ("Device", ": ".join(filter(None, (conditions.device, ", ".join(conditions.gpus))))),
        ("Dtype", conditions.dtype),
        *((name, version) for name, version in sorted(conditions.versions.items())),
        ("Without a proof", ", ".join(run.unproved) or "none"),
    )


def _present(students: Sequence[Graded]) -> tuple[Status, ...]:
    """Return the statuses that occur, of problems or of checks, in their own order."""
    found = {result.judged.status for graded in students for result in graded.results}
    found |= {check.status for graded in students for result in graded.results for check in result.judged.checks}
    return tuple(status for status in Status if status in found)


def _filters(rows: Sequence[Row], present: Sequence[Status]) -> tuple[tuple[str, str], ...]:
    """Return what the table can be narrowed to, each with its words: statuses of problems, then flags."""
    kinds = {cell.kind for row in rows for cell in row.cells if cell is not None}
    flags = {flag for row in rows for flag in row.flags.split()}
    return (
        *((kind(status), WORDS[status]) for status in present if kind(status) in kinds),
        *((f"+{flag}", words) for flag, words in FLAGS.items() if flag in flags),
    )


def _scores_words(scores: tally.Scores) -> str:
    """Say the histogram in a sentence, for who cannot see it."""
    width = 100 // tally.BINS
    tenths = [f"{n} from {k * width} to {(k + 1) * width} %" for k, n in enumerate(scores.bins) if n]
    told = f"Students by the share of their points: {'; '.join(tenths)}." if tenths else "Nobody has a score yet."
    if scores.left_out:
        told += f" {counted(scores.left_out, 'student')} without a score."
    return told


def _script_data(checks: Sequence[tally.Check], slugs: Sequence[str]) -> Mapping[str, object]:
    """Return what the script needs to name each check of a row that is opened."""
    by_slug: dict[str, list[tuple[str, str]]] = {slug: [] for slug in slugs}
    for check in checks:
        by_slug[check.problem].append((safe(check.name), safe(check.promise)))
    return {
        "problems": [(safe(slug), found) for slug, found in by_slug.items()],
        "statuses": {CODES[status]: (kind(status), sign(status), WORDS[status]) for status in Status},
    }


def _percent(share: float) -> str:
    return f"{100 * share:.2g} %"


def _times(share: float) -> str:
    return "no number" if share == float("inf") else f"{share:.3g} times"


def _whole_percent(share: float | None) -> str:
    return "?" if share is None else f"{100 * share:.0f} %"
