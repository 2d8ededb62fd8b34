"""What a judgement is: frozen plain data, made by judge, read by everybody downstream."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from grader.picture import Picture


class Status(enum.StrEnum):
    """How a check or a problem ended."""

    PASSED = "PASSED"
    FAILED = "FAILED"
    NOT_ATTEMPTED = "NOT_ATTEMPTED"
    CRASHED = "CRASHED"
    TIMED_OUT = "TIMED_OUT"
    OUT_OF_MEMORY = "OUT_OF_MEMORY"
    TOO_MUCH_OUTPUT = "TOO_MUCH_OUTPUT"
    UNUSABLE = "UNUSABLE"
    BROKEN = "BROKEN"
    SKIPPED = "SKIPPED"


SEVERITY = (
    Status.BROKEN,
    Status.UNUSABLE,
    Status.TOO_MUCH_OUTPUT,
    Status.OUT_OF_MEMORY,
    Status.TIMED_OUT,
    Status.CRASHED,
    Status.FAILED,
    Status.SKIPPED,
)


def combined(statuses: Iterable[Status]) -> Status:
    """Return the status of a problem from those of its checks.

    >>> combined([Status.PASSED, Status.CRASHED, Status.FAILED]).value
    'CRASHED'
    >>> combined([Status.NOT_ATTEMPTED, Status.NOT_ATTEMPTED]).value
    'NOT_ATTEMPTED'

    A problem that is partly right and partly not attempted is attempted, and not passed:

    >>> combined([Status.PASSED, Status.NOT_ATTEMPTED]).value
    'FAILED'
    """
    seen = set(statuses)
    if len(seen) == 1:
        return seen.pop()
    return next((status for status in SEVERITY if status in seen), Status.FAILED)


@dataclass(frozen=True, slots=True)
class CheckResult:
    """One check, judged.

    ``message`` is for the student: its first line is the promise, the rest says what happened. For a hidden
    check it holds no input, no expected value, no exception text and no output. ``detail`` is for the
    instructor and holds all of that. ``share`` is the worst ``|got - wanted| / allowed`` seen (a pass is
    at most 1; None where no number was compared). ``picture`` shows where an array misses: of a hidden check it is
    for the instructor, as ``detail`` is.
    """

    name: str
    visible: bool
    promise: str
    status: Status
    score: float | None
    points: float
    message: str
    detail: str = ""
    hint: str = ""
    share: float | None = None
    picture: Picture | None = None

    @property
    def finding(self) -> str:
        """The message without the promise that opens it."""
        return self.message.removeprefix(self.promise).strip()


@dataclass(frozen=True, slots=True)
class Verdict:
    """One submission's judged problem; ``score`` is None where a check is BROKEN.

    ``seconds`` is the CPU time of the student's processes, None where none was started.
    """

    problem: str
    status: Status
    score: float | None
    points: float
    manual_points: float
    checks: tuple[CheckResult, ...]
    tier: int
    device: str
    dtype: str
    notes: tuple[str, ...] = field(default=())
    seconds: float | None = field(default=None, compare=False)  # of no importance to what was judged

    @staticmethod
    def of(  # noqa: D102 - described by the class
        problem: str,
        checks: tuple[CheckResult, ...],
        *,
        manual_points: float,
        tier: int,
        device: str,
        dtype: str,
        notes: tuple[str, ...] = (),
        seconds: float | None = None,
    ) -> Verdict:
        broken = any(check.score is None for check in checks)
        return Verdict(
            problem=problem,
            status=combined(check.status for check in checks),
            score=None if broken else sum(check.score or 0.0 for check in checks),
            points=sum(check.points for check in checks),
            manual_points=manual_points,
            checks=checks,
            tier=tier,
            device=device,
            dtype=dtype,
            notes=notes,
            seconds=seconds,
        )
