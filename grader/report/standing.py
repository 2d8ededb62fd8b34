"""What became of scores beside being judged: moved, kept, stale, late, marked by hand. Sentences for instructors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grader.report.text import counted, points, safe, some

if TYPE_CHECKING:
    from collections.abc import Iterator

    from grader.results import Graded, Mark, Result, Run

MOVES = 40  # of scores that moved, named one by one


def summary(run: Run) -> list[str]:
    """Return what stands below the table of a run about its scores, a sentence a line."""
    return [*_unfinished(run), *_moved(run), *_kept(run), *_stale(run), *_late(run), *_marked(run), *_absent(run)]


def lines(graded: Graded, result: Result) -> list[str]:
    """Return the same about one student's answer to one problem."""
    judged, waiting, found = result.judged, result.waiting, []
    if result.verdict.score != judged.score:
        found.append(f"Judged {points(judged.score)}/{points(judged.points)}; overridden by hand.")
    found += [mark(one) + (" (no such check now: of no effect)" if one in result.idle else "") for one in result.marks]
    if result.stale:
        found.append(f"Stale: {' and '.join(result.stale)} changed since this was judged.")
    if waiting is not None:
        found.append(f"{_waits(result)}: {_why(result)}")
    if judged.manual_points and not result.by_hand:
        command = f"grade mark RUN {graded.student} {judged.problem} POINTS --reason TEXT"
        found.append(f"Marked by hand: {counted(judged.manual_points, 'point')}, pending ({command}).")
    return found


def lateness(graded: Graded) -> str:
    """Return a student's lateness as a line of its own; empty on time."""
    if graded.late is None or not graded.late.sentence:
        return ""
    if graded.earned is None:
        return f"{graded.late.sentence}."
    return f"{graded.late.line(graded.earned)}."


def mark(one: Mark) -> str:
    """Return one mark: what, by whom, when and why."""
    what = "marked by hand" if one.by_hand else "overridden"
    given = f"{counted(one.points, 'point')} in {one.target} {what}"
    return f"{given} by {safe(one.who)}, {one.when[:10]}: {safe(one.reason)}"


def _unfinished(run: Run) -> Iterator[str]:
    waiting = [f"{safe(graded.student)} ({', '.join(graded.unjudged)})" for graded in run.students if graded.unjudged]
    if waiting:
        yield (
            f"Not judged yet: {some(waiting)}. Their totals are left open (?); the same grade run again goes on with "
            "what was asked for."
        )
    elif not run.finished:
        yield "The last grading was stopped before its end; the same grade run again goes on with it."


def _moved(run: Run) -> Iterator[str]:
    moved = [move for move in run.moved if not move.kept]
    for move in moved[:MOVES]:
        yield f"Moved: {safe(move.student)}, {move.problem}, from {points(move.before)} to {points(move.after)}."
    if len(moved) > MOVES:
        yield f"Moved: {len(moved) - MOVES} more; --json names them all."


def _kept(run: Run) -> Iterator[str]:
    waiting = [(graded, result) for graded in run.students for result in graded.results if result.waiting is not None]
    for graded, result in waiting[:MOVES]:
        yield f"Kept: {safe(graded.student)}, {result.judged.problem}: {_waits(result)}."
    if len(waiting) > MOVES:
        yield f"Kept: {len(waiting) - MOVES} more; --json names them all."
    if any(result.waiting.score is not None for _, result in waiting if result.waiting):
        yield "No score falls unless grading is told --allow-lower."


def _waits(result: Result) -> str:
    assert result.waiting is not None, "asked before"
    stands = f"{points(result.judged.score)} stands"
    if result.waiting.score is None:
        return f"{stands}, since judging it again failed through no fault of the student"
    return f"{stands}, since the later score of {points(result.waiting.score)} is lower"


def _why(result: Result) -> str:
    broken = result.waiting is not None and result.waiting.score is None
    return "the next grade run judges it again." if broken else "grade run --allow-lower puts the lower one in force."


def _stale(run: Run) -> Iterator[str]:
    stale: dict[str, list[str]] = {}
    for graded in run.students:
        for result in graded.results:
            if result.stale and result.waiting is None:
                what = f"{' and '.join(result.stale)} changed"
                stale.setdefault(what, []).append(f"{safe(graded.student)} ({result.judged.problem})")
    for what, names in stale.items():
        yield f"Stale, since {what} after judging: {some(names)}. grade run over all of them judges them again."


def _late(run: Run) -> Iterator[str]:
    for graded in run.students:
        if line := lateness(graded):
            yield f"Late: {safe(graded.student)}, {line}"
    unknown = [safe(graded.student) for graded in run.students if graded.late and graded.late.seconds is None]
    if unknown:
        yield f"Time of hand-in unknown, so taken as on time: {some(unknown)}."


def _marked(run: Run) -> Iterator[str]:
    for one in run.marks[:MOVES]:
        yield f"Mark: {safe(one.student)}, {mark(one)}."
    if len(run.marks) > MOVES:
        yield f"Mark: {len(run.marks) - MOVES} more; --json names them all."
    idle = [f"{safe(one.student)} ({one.target})" for g in run.students for r in g.results for one in r.idle]
    if idle:
        yield f"Overrides of checks that are no longer there, kept and of no effect: {some(idle)}."


def _absent(run: Run) -> Iterator[str]:
    absent = [safe(graded.student) for graded in run.students if not graded.present]
    if absent:
        yield f"Not found by the latest grading, so kept as judged before: {some(absent)}."
