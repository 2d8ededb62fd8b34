"""The page of one student as plain data: ``message`` and ``hint`` of each check, never ``detail``, nobody else.

A visible check's message says what was got and wanted, so its picture may show it; a hidden check's never does.

What is here is picked field by field from the run, so that a field which the run gains later is not shown by itself.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from grader.report import standing
from grader.report.page import maps
from grader.report.page.classroom import kind
from grader.report.text import WORDS, counted, points, sign
from grader.verdict import Status

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from grader.report.page.maps import Map
    from grader.results import Graded, Mark, Result
    from grader.verdict import CheckResult

# Where the word of the class table is short, a sentence for the student.
TOLD = {
    Status.NOT_ATTEMPTED: "not attempted",
    Status.OUT_OF_MEMORY: "out of memory",
    Status.TOO_MUCH_OUTPUT: "too much output",
    Status.BROKEN: "could not be judged, through no fault of yours",
}
AGAIN = "The same as above."
SHORT = 80  # characters of a finding that is no burden when it is repeated


@dataclass(frozen=True, slots=True)
class Shown:
    """One check as a student sees it."""

    kind: str
    sign: str
    word: str
    promise: str
    hidden: bool
    score: str
    finding: str
    hint: str
    map: Map | None


@dataclass(frozen=True, slots=True)
class Answer:
    """One problem as a student sees it: checks to be told about, and those that simply passed."""

    slug: str
    kind: str
    word: str
    score: str
    remarks: tuple[str, ...]
    told: tuple[Shown, ...]
    passed: tuple[Shown, ...]


@dataclass(frozen=True, slots=True)
class Page:
    """The page of a student."""

    student: str
    assignment: str
    score: str
    remarks: tuple[str, ...]
    answers: tuple[Answer, ...]


def page(graded: Graded, assignment: str) -> Page:
    """Return the page of a student."""
    return Page(
        student=graded.student,
        assignment=assignment,
        score=f"{points(graded.score)} of {counted(graded.points, 'point')}",
        remarks=tuple(_remarks(graded)),
        answers=tuple(map(_answer, graded.results)),
    )


def _remarks(graded: Graded) -> Iterator[str]:
    if graded.handed_in:
        yield f"Handed in {graded.handed_in[:16].replace('T', ' ')} UTC."
    if line := standing.lateness(graded):
        yield line
    if graded.score is None:
        yield "The total stays open (?) until every problem has been judged."
    if graded.unjudged:
        yield f"Not judged yet: {', '.join(graded.unjudged)}."


def _answer(result: Result) -> Answer:
    verdict = result.verdict
    overridden = {mark.check: mark for mark in result.marks if not mark.by_hand and mark not in result.idle}
    pending = verdict.manual_points if result.by_hand is None else 0.0
    remarks = [_mark(mark) for mark in result.marks if mark not in result.idle]
    if pending:
        remarks.append(f"{counted(pending, 'point')} more that a person gives: not marked yet.")
    plain = [check for check in verdict.checks if check.status is Status.PASSED and check.name not in overridden]
    others = [check for check in verdict.checks if check not in plain]
    return Answer(
        slug=verdict.problem,
        kind=kind(verdict.status),
        word=_word(verdict.status),
        score=f"{points(result.score)} of {counted(result.points, 'point')}",
        remarks=tuple(remarks),
        told=tuple(_told_once([_shown(check, marked=check.name in overridden) for check in others])),
        passed=tuple(_shown(check, marked=False) for check in plain),
    )


def _mark(mark: Mark) -> str:
    """Say a mark without who gave it: a page goes to the student, and a person answers for the course."""
    where = f" in {mark.check}" if mark.check else ""
    what = "marked by hand" if mark.by_hand else f"set by hand{where}"
    return f"{counted(mark.points, 'point')} {what}, {mark.when[:10]}: {mark.reason}"


def _shown(check: CheckResult, *, marked: bool) -> Shown:
    return Shown(
        kind=kind(check.status),
        sign=sign(check.status),
        word=_word(check.status) + (", points set by hand" if marked else ""),
        promise=check.promise,
        hidden=not check.visible,
        score=f"{points(check.score)} of {points(check.points)}",
        finding=check.finding,
        hint=check.hint,
        map=maps.drawn(check.picture) if check.picture is not None and check.visible else None,
    )


def _told_once(checks: Sequence[Shown]) -> Iterator[Shown]:
    """Yield checks; a file that cannot be imported fails them all in the same long words, and so may one mistake."""
    seen: set[str] = set()
    for check in checks:
        finding = AGAIN if check.finding in seen and len(check.finding) > SHORT else check.finding
        yield replace(check, finding=finding, hint="" if check.hint in seen else check.hint)
        seen |= {check.finding, check.hint}


def _word(status: Status) -> str:
    return TOLD.get(status, WORDS[status])
