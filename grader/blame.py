"""Who is to blame when a check does not hold: decided by experiment.

A fault in a student's call gives its own status, from the call log, even if the check swallowed the exception. Any
other exception in a check makes us run the same example with the reference in the student's place: if that passes,
the student's value could not be used (UNUSABLE); if it raises too, the problem is at fault (BROKEN). Nothing that a
student returns can produce BROKEN.
"""

from __future__ import annotations

import traceback
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from grader import compare
from grader.errors import Failure, IsolationError, StudentFault
from grader.outcome import Outcome
from grader.patience import impatient
from grader.script import Diverged, Prompter, Teller, strayed
from grader.student import Log, Proxy
from grader.verdict import Status

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from grader.problem import Check
    from grader.script import Asked, Scene
    from grader.student import Answers


@dataclass(frozen=True, slots=True)
class Bench:
    """What a check runs with: who answers for the reference, and how arguments are given.

    ``reference`` is None on a student's machine; there a check is taken to be sound, since an author proved it.
    """

    reference: Answers | None
    dtype: str
    takes_tensors: Mapping[str, bool]
    patience: float | None = None  # seconds that one example may take on our side as well

    def run(self, check: Check, example: Mapping[str, Any], student: Answers, log: Log) -> Outcome:
        """Run a check on one example with ``student`` answering, and say what came of it."""
        log.begin()
        with compare.observed() as shares:
            raised = self._raised(check, example, student, log)
        student.forget()
        return self._outcome(check, example, raised, log, shares)

    def replay(self, check: Check, scene: Scene, answered: Sequence[Asked], log: Log) -> Outcome | None:
        """Run a check on one example whose questions have been answered, and say what came of it.

        None if it asks anything else; the log is then as it was.
        """
        log.begin()
        student = Prompter(answered, log)
        arguments = scene.arguments()
        arguments["student"] = student
        if "reference" in check.parameters:
            assert self.reference is not None, "a script is written with a reference"
            arguments["reference"] = Teller(
                scene.told, self.reference, dtype=self.dtype, takes_tensors=self.takes_tensors
            )
        try:
            with compare.observed() as shares:
                raised = self._raised_by(check, arguments)
        except Diverged:
            raised = None
        if strayed(student):
            log.examples.pop()
            return None
        return self._outcome(check, scene.example, raised, log, shares)

    def _outcome(
        self, check: Check, example: Mapping[str, Any], raised: Exception | None, log: Log, shares: Sequence[float]
    ) -> Outcome:
        outcome = self._blamed(check, example, raised, log)
        given = [share for share in (*shares, outcome.share) if share is not None]
        return Outcome(
            outcome.status, outcome.failure, outcome.fault, outcome.trouble, example, max(given, default=None)
        )

    def _blamed(self, check: Check, example: Mapping[str, Any], raised: Exception | None, log: Log) -> Outcome:
        if isinstance(raised, IsolationError):
            return Outcome(Status.BROKEN, trouble=f"IsolationError: {raised}")
        if log.fault is not None:
            return Outcome(log.fault.status, fault=log.fault)
        if isinstance(raised, Failure):
            return Outcome(Status.FAILED, failure=raised, share=raised.share)
        if raised is None:
            return Outcome(Status.PASSED)
        sound = self._holds_for_reference(check, example)
        return Outcome(Status.UNUSABLE if sound else Status.BROKEN, trouble=_told(raised))

    def _holds_for_reference(self, check: Check, example: Mapping[str, Any]) -> bool:
        return self.reference is None or self._raised(check, example, self.reference, Log()) is None

    def _raised(self, check: Check, example: Mapping[str, Any], student: Answers, log: Log) -> Exception | None:
        """Run a check; return what it raised. A student's fault is in the log and not returned."""
        arguments = dict(example)
        arguments["student"] = Proxy(student, log, dtype=self.dtype, takes_tensors=self.takes_tensors)
        if "reference" in check.parameters:
            assert self.reference is not None, "a visible check never asks for the reference"
            arguments["reference"] = Proxy(self.reference, Log(), dtype=self.dtype, takes_tensors=self.takes_tensors)
        return self._raised_by(check, arguments)

    def _raised_by(self, check: Check, arguments: Mapping[str, Any]) -> Exception | None:
        try:
            with impatient(self.patience):
                check.function(**arguments)
        except StudentFault:
            return None
        except Exception as error:  # noqa: BLE001 - the caller decides whose it is
            return error
        finally:
            if self.reference is not None:
                self.reference.forget()
        return None


def _told(error: Exception) -> str:
    return "".join(traceback.format_exception(error)[-6:])
