"""What needs somebody's attention in a run: each kind with what it means, what to do, and where."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import starmap
from typing import TYPE_CHECKING

from grader.report import standing
from grader.report.text import counted, points
from grader.verdict import Status

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from grader.results import Graded, Result, Run


@dataclass(frozen=True, slots=True)
class Notice:
    """One kind: its title, what it means, and each case: whose it is ("" where it is nobody's), and what."""

    title: str
    meaning: str
    cases: tuple[tuple[str, str], ...]
    number: int


def notices(run: Run) -> tuple[Notice, ...]:
    """Return every kind that occurs, the most urgent first."""
    found = (
        *starmap(_notice, _scores(run)),
        _unmarked(run),
        *starmap(_notice, (*_marks(run), *_deliveries(run))),
    )
    return tuple(notice for notice in found if notice.cases)


def flags(graded: Graded) -> tuple[str, ...]:
    """Return what holds of a student, of what the filter of the table knows."""
    found = {
        "broken": any(result.verdict.score is None for result in graded.results),
        "unjudged": bool(graded.unjudged),
        "stale": any(result.stale for result in graded.results),
        "kept": any(result.waiting for result in graded.results),
        "unmarked": any(is_unmarked(result) for result in graded.results),
        "marked": any(result.marks for result in graded.results),
        "late": graded.late is not None and graded.late.late,
        "absent": not graded.present,
    }
    return tuple(flag for flag, holds in found.items() if holds)


_Kind = tuple[str, str, "Iterable[tuple[str, str]]"]


def _notice(title: str, meaning: str, cases: Iterable[tuple[str, str]]) -> Notice:
    listed = tuple(cases)
    return Notice(title, meaning, listed, len(listed))


def _each(run: Run) -> Iterator[tuple[Graded, Result, str]]:
    for graded in run.students:
        for result in graded.results:
            yield graded, result, result.judged.problem


def _scores(run: Run) -> Iterator[_Kind]:
    yield (
        "BROKEN",
        "Not judged, through no fault of the students: totals are left open, and the next grade run judges them again.",
        ((graded.student, _broken(result)) for graded, result, _ in _each(run) if result.verdict.score is None),
    )
    yield (
        "Not judged yet",
        "Their totals are left open; the same grade run again goes on.",
        ((graded.student, ", ".join(graded.unjudged)) for graded in run.students if graded.unjudged),
    )
    if not run.finished:
        yield "Stopped", "The last grading was stopped before its end.", [("", "The same grade run goes on with it.")]
    yield (
        "Stale",
        "Something changed after these were judged; grade run over all of them judges them again.",
        ((graded.student, f"{slug}: {_listed(r.stale)} changed") for graded, r, slug in _each(run) if r.stale),
    )
    yield (
        "Kept",
        "A later judgement came out lower or BROKEN: the earlier score stands; grade run --allow-lower lets it fall.",
        (
            (graded.student, f"{slug}: {points(r.judged.score)} stands, {points(r.waiting.score)} waits")
            for graded, r, slug in _each(run)
            if r.waiting is not None
        ),
    )
    yield (
        "Moved",
        "Scores that the last grading changed.",
        (
            (move.student, f"{move.problem}: from {points(move.before)} to {points(move.after)}")
            for move in run.moved
            if not move.kept
        ),
    )


def _unmarked(run: Run) -> Notice:
    waiting = Counter((slug, result.judged.manual_points) for _, result, slug in _each(run) if is_unmarked(result))
    return Notice(
        "Not marked yet",
        "Points that a person gives, pending and not in the totals: grade mark RUN STUDENT SLUG POINTS --reason TEXT.",
        tuple(
            ("", f"{slug}: {counted(worth, 'point')}, {counted(number, 'student')}")
            for (slug, worth), number in waiting.items()
        ),
        waiting.total(),
    )


def _marks(run: Run) -> Iterator[_Kind]:
    yield (
        "Marked and overridden",
        "Points that a person gave; they stay through every regrade.",
        ((mark.student, standing.mark(mark)) for mark in run.marks),
    )
    yield (
        "Overrides of no effect",
        "They are of checks that are no longer there; kept all the same.",
        ((graded.student, mark.target) for graded, result, _ in _each(run) for mark in result.idle),
    )


def _deliveries(run: Run) -> Iterator[_Kind]:
    yield (
        "Late",
        "What is taken is in the totals.",
        ((graded.student, line) for graded in run.students if (line := standing.lateness(graded))),
    )
    yield (
        "Time of hand-in unknown",
        "Taken as on time.",
        ((graded.student, "") for graded in run.students if graded.late and graded.late.seconds is None),
    )
    yield (
        "Absent",
        "Not found by the latest grading, so kept as judged before.",
        ((graded.student, "") for graded in run.students if not graded.present),
    )
    yield (
        "Notes on deliveries",
        "Which of several counted, and the like.",
        ((graded.student, graded.note) for graded in run.students if graded.note),
    )
    yield "Ignored", "Files that nobody's work was read from.", (
        ("", f"{path}: {reason}") for path, reason in run.conditions.ignored
    )  # fmt: skip
    yield (
        "Used without a proof",
        "grade verify proves that the checks accept right answers and catch known mistakes.",
        (("", slug) for slug in run.unproved),
    )


def is_unmarked(result: Result) -> bool:
    """Tell whether points that a person gives are pending."""
    return bool(result.judged.manual_points) and result.by_hand is None


def _broken(result: Result) -> str:
    names = [check.name for check in result.judged.checks if check.status is Status.BROKEN]
    return f"{result.judged.problem}: {', '.join(names)}"


def _listed(changed: tuple[str, ...]) -> str:
    return " and ".join(changed)
