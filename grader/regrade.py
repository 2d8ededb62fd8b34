"""What has to be judged again, and which of two scores stands. Pure rules; the store applies them."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from grader.results import Key
    from grader.verdict import Verdict


class Step(enum.Enum):
    """What a run does about one student and problem."""

    JUDGE = "judge it"
    LEAVE = "nothing has changed"
    LOWER = "the lower score that waited comes into force"
    DROP = "what was changed has been changed back, so nothing waits any more"


@dataclass(frozen=True, slots=True)
class Kept:
    """One verdict of a run file, with what it was made under."""

    key: Key
    verdict: Verdict


def step(now: Key, stands: Kept | None, waits: Kept | None, *, allow_lower: bool) -> Step:
    """Return what to do, given the verdict in force and the one that waits, if there are such.

    What is BROKEN is judged again whether anything has changed or not.
    """
    if stands is not None and _good(now, stands):
        return Step.LEAVE if waits is None else Step.DROP
    if waits is not None and _good(now, waits):
        return Step.LOWER if allow_lower else Step.LEAVE
    return Step.JUDGE


def yields(stands: Verdict, later: Verdict, *, allow_lower: bool) -> bool:
    """Whether the verdict in force gives way to a later one.

    A lower score waits unless lower ones are allowed. One that could not be judged, which is our fault, never takes
    a score away.
    """
    if stands.score is None:
        return True
    return later.score is not None and (allow_lower or later.score >= stands.score)


def _good(now: Key, kept: Kept) -> bool:
    return kept.key == now and kept.verdict.score is not None
