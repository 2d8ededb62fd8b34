"""``results.json`` for every way in which a submission can go: judged, partly judged, not judged at all.

It always has a score, as Gradescope demands. Where something is not judged through no fault of the student's, the score
lacks it and the text at the top says so; the next run of the autograder gives what is due.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from grader.export.gradescope import results
from grader.report.text import counted
from grader.results import Graded
from grader.verdict import CheckResult, Status, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from grader.problem import Problem

NOT_FINAL = (
    "This is no fault of yours, and the score shown is not your mark. Tell the course staff: they find the reason in "
    "the autograder's output and can run it again."
)
UNFINISHED = "Your work was not judged to its end: the autograder was stopped before it had finished. " + NOT_FINAL
NOT_SET_UP = "Your work was not judged: the autograder is not set up. " + NOT_FINAL
FAULT = "Your work was not judged to its end: the autograder has a fault. " + NOT_FINAL
OUT_OF_TIME = (
    "Not all problems were judged: the time that a submission has here was used up before. If your code is not slow, "
    "tell the course staff."
)
_STUDENT = "you"


def unjudged(problem: Problem, why: str) -> Verdict:
    """Return what stands for a problem that is not judged: every check with 0 points, and the reason."""
    checks = tuple(
        CheckResult(
            name=check.name,
            visible=check.visible,
            promise=check.promise,
            status=Status.SKIPPED,
            score=0.0,
            points=check.points,
            message=f"{check.promise}\n{why}",
        )
        for check in problem.checks
    )
    return Verdict.of(problem.slug, checks, manual_points=problem.manual_points, tier=0, device="cpu", dtype="float64")


def document(
    verdicts: Sequence[Verdict],
    *,
    hidden: str,
    said: Iterable[str],
    extra: Mapping[str, Any],
    more: Mapping[str, float] | None = None,
) -> bytes:
    """Return ``results.json``; students see messages and hints of it, never a detail.

    Args:
        verdicts: one a problem.
        hidden: when students see hidden checks.
        said: sentences for the top, where students read them at once.
        extra: what is kept with the result for the staff.
        more: further fields of Gradescope's, such as ``execution_time``.
    """
    lost = sum(check.points for verdict in verdicts for check in verdict.checks if check.score is None)
    graded = Graded.of(_STUDENT, _STUDENT, _STUDENT, map(_scored, verdicts))
    content = results(graded, hidden=hidden)
    lines = [*said, content["output"]]
    if lost:
        lines.insert(0, f"{counted(lost, 'point')} could not be judged and are not in the score. {NOT_FINAL}")
    content["output"] = "\n".join(filter(None, lines))
    content |= {"extra_data": dict(extra), **(more or {})}
    return (json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False) + "\n").encode()


def _scored(verdict: Verdict) -> Verdict:
    """Return a verdict in which nothing is without a score."""
    checks = tuple(replace(check, score=check.score or 0.0) for check in verdict.checks)
    return replace(verdict, checks=checks, score=sum(check.score or 0.0 for check in checks))
