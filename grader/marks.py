"""Points that a person gives: the part of a problem that is marked by hand, or an override of what was judged."""

from __future__ import annotations

import getpass
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from grader import store
from grader.errors import UsageError
from grader.results import Mark, near

if TYPE_CHECKING:
    from pathlib import Path

    from grader.results import Graded, Result, Run

BETWEEN = "::"


@dataclass(frozen=True, slots=True)
class Wish:
    """What somebody wants to mark.

    ``target`` is ``SLUG`` or ``SLUG::CHECK``. A slug alone means the part that is marked by hand where the problem
    has one; with ``override``, or where it has none, the whole of what was judged. ``extra`` lets points exceed
    what there is to have.
    """

    student: str
    target: str
    override: bool = False
    extra: bool = False


@dataclass(frozen=True, slots=True)
class Given:
    """A mark that was given or withdrawn, the one that stood before, and the student before and after."""

    mark: Mark
    instead: Mark | None
    before: Graded
    after: Graded


def give(folder: Path, wish: Wish, points: float, reason: str) -> Given:
    """Keep a mark in a run.

    Raises:
        UsageError: the run has no such student, problem or check, the points are out of range, there is no reason,
            or the run cannot be written.
    """
    if not reason.strip():
        raise UsageError("a mark needs a reason, for whoever asks about it later; give it with --reason")
    with store.writing(folder, create=False) as kept:
        before = _run(kept).student(wish.student)
        result, check, by_hand = _aimed(before, wish)
        _demand_in_range(result, check, points, by_hand=by_hand, extra=wish.extra)
        made = Mark(
            student=before.student,
            slug=result.judged.problem,
            check=check,
            by_hand=by_hand,
            points=points + 0.0,  # a negative zero would be shown as such
            reason=reason.strip(),
            who=who(),
            when=store.now(),
        )
        kept.mark(made)
        return Given(made, _standing(result, check, by_hand=by_hand), before, kept.run().student(wish.student))


def withdraw(folder: Path, wish: Wish, reason: str) -> Given:
    """Withdraw a mark of a run, so that what was judged counts again, and the part marked by hand is pending.

    Raises:
        UsageError: there is no such mark, or the run cannot be written.
    """
    with store.writing(folder, create=False) as kept:
        before = _run(kept).student(wish.student)
        slug, _, check = wish.target.partition(BETWEEN)
        result = before.result(slug)
        # What is there is meant; where both are, a slug alone means the part marked by hand, as in giving.
        for by_hand in (False,) if wish.override or check else (True, False):
            if (found := _standing(result, check, by_hand=by_hand)) is not None:
                break
        else:
            known = ", ".join(mark.target for mark in result.marks) or "none"
            raise UsageError(f"{before.student} has no such mark in {wish.target}; marks there: {known}")
        kept.unmark(found, f"{store.now()} {who()}: {reason.strip() or 'withdrawn'}")
        return Given(found, found, before, kept.run().student(wish.student))


def who() -> str:
    """Return who is at the keyboard, as far as the system knows."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "somebody whom the system has no name for"


def _run(kept: store.Store) -> Run:
    if not kept.begun:
        raise UsageError(f"{kept.path} holds nothing to mark yet; grade first")
    return kept.run()


def _aimed(graded: Graded, wish: Wish) -> tuple[Result, str, bool]:
    """Return the result, the check and whether the part marked by hand is meant."""
    slug, colons, check = wish.target.partition(BETWEEN)
    result = graded.result(slug)
    names = [one.name for one in result.judged.checks]
    if colons and check not in names:
        raise UsageError(f"{slug} has no check {check!r}; {near(check, names)}")
    return result, check, bool(result.judged.manual_points) and not check and not wish.override


def _demand_in_range(result: Result, check: str, points: float, *, by_hand: bool, extra: bool) -> None:
    judged = result.judged
    if by_hand:
        what, most = f"the part of {judged.problem} that is marked by hand", judged.manual_points
    elif check:
        what, most = f"{judged.problem}::{check}", next(one.points for one in judged.checks if one.name == check)
    else:
        what, most = f"what is judged of {judged.problem}", judged.points
    if not math.isfinite(points) or points < 0:
        raise UsageError(f"points are 0 or more; got {points:g}")
    if points > most and not extra:
        other = ""
        if by_hand and points <= judged.points:
            other = f"to override what was judged, worth {judged.points:g}, add --override; "
        raise UsageError(
            f"{what} is worth {most:g}, and {points:g} is more; {other}to give more all the same add --extra"
        )


def _standing(result: Result, check: str, *, by_hand: bool) -> Mark | None:
    return next((mark for mark in result.marks if mark.check == check and mark.by_hand == by_hand), None)
