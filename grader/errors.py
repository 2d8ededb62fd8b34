"""One tree of errors.

::

    GraderError                    a sentence for a person; carries the exit code
    ├── UsageError            (2)  what was asked for cannot be done as asked
    │   ├── CourseError            no course here, no such problem, course.toml is wrong
    │   ├── SubmissionError        a path, archive or notebook that we refuse to read
    │   └── TierError              the machine isolates less than the run demands
    ├── AuthoringError        (3)  a problem folder breaks the author's rules
    └── IsolationError        (3)  the child could not be built, or our own side of the pipe failed

    Failure                        a check says no; raised by close, equal, refuses and by authors
    StudentFault                   a student's call ended in a status of its own (crash, limit, no answer)

The last two are signals inside a check, not faults of the grader, so they stand beside the tree.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from grader.excerpt import Miss
    from grader.picture import Picture
    from grader.verdict import Status


class GraderError(Exception):
    """Something that a person must be told in one sentence."""

    exit_code = 3


class UsageError(GraderError):
    """What was asked for cannot be done as asked."""

    exit_code = 2


class CourseError(UsageError):
    """There is no course here, no such problem, or its layout is wrong."""


class SubmissionError(UsageError):
    """A path, archive or notebook that we refuse to read."""


class TierError(UsageError):
    """The machine isolates student code less than the run demands."""


class AuthoringError(GraderError):
    """A problem folder breaks the author's rules."""


class IsolationError(GraderError):
    """The child could not be built, or our own side of the channel failed."""


class Failure(Exception):  # noqa: N818 - an author's word; it names a verdict, not an error
    """A check says no.

    Args:
        message: the whole sentence: what, where, got, wanted, allowed, how many.
        kind: the kind of miss, safe to show for a hidden check: ``"value"``, ``"shape"``, ``"dtype"``,
            ``"NaN"``, ``"type"``, ``"length"``, ``"keys"``, ``"refusal"`` or ``"promise"`` (an author's own).
        share: worst ``|got - wanted| / allowed``; infinite where no number says how far off it is.
        picture: where the numbers miss, of an array.
        miss: the same in figures, for whoever may see the values.

    >>> raise Failure("the weights separate nothing")
    Traceback (most recent call last):
        ...
    grader.errors.Failure: the weights separate nothing
    """

    def __init__(
        self,
        message: str,
        *,
        kind: str = "promise",
        share: float = math.inf,
        picture: Picture | None = None,
        miss: Miss | None = None,
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.share = share
        self.picture = picture
        self.miss = miss
        self.compared: tuple[object, ...] = ()  # the one answer that was compared, where one was


class StudentFault(Exception):  # noqa: N818 - a signal, not an error of ours
    """A student's call ended in a status of its own.

    Args:
        status: the status that the check gets.
        summary: one sentence for the student; holds the exception's type and the student's own file and
            line, never an input, an expected value, an exception text or output.
        exception: class names of the exception and its bases, nearest first; empty if none was raised.
        text: the exception's text, for visible checks and instructors.
        traceback: the student's frames only, for visible checks and instructors.
        frames: the same, outermost first: file, line, function and source line.

    ``excused`` is set where a check wanted this very fault; it then counts against nobody.
    """

    def __init__(
        self,
        status: Status,
        summary: str,
        *,
        exception: tuple[str, ...] = (),
        text: str = "",
        traceback: str = "",
        frames: tuple[tuple[str, int, str, str], ...] = (),
    ) -> None:
        super().__init__(status, summary)
        self.status = status
        self.summary = summary
        self.exception = exception
        self.text = text
        self.traceback = traceback
        self.frames = frames
        self.excused = False

    def __str__(self) -> str:
        return self.summary
