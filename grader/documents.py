"""Results as JSON data: what ``--json`` prints, and a verdict as text to keep and to read back."""

from __future__ import annotations

import dataclasses
import json
from typing import TYPE_CHECKING, Any

from grader import picture
from grader.verdict import CheckResult, Status, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterable

    from grader.results import Graded, Mark, Result, Run

_VERDICT, _CHECK = (tuple(one.name for one in dataclasses.fields(kind)) for kind in (Verdict, CheckResult))
_STATUS = {status.value: status for status in Status}


def run_document(run: Run) -> dict[str, Any]:
    """Return what ``--json`` prints of a run: everything but the seed and the examples."""
    conditions = run.conditions
    each = [(graded.student, result) for graded in run.students for result in graded.results]
    return {
        "run": run.run,
        "tier": conditions.tier,
        "device": conditions.device,
        "gpus": list(conditions.gpus),
        "dtype": conditions.dtype,
        "isolation": {"words": conditions.words, "missing": list(conditions.missing)},
        "assignment": conditions.assignment,
        "problems": dict(run.problems),
        "unproved": list(run.unproved),
        "ignored": [{"path": path, "reason": reason} for path, reason in conditions.ignored],
        "versions": dict(conditions.versions),
        "finished": run.finished,
        "stale": [
            {"student": student, "problem": result.judged.problem, "changed": list(result.stale)}
            for student, result in each
            if result.stale
        ],
        "moved": [dataclasses.asdict(move) for move in run.moved],
        "late": [{"student": one.student, **_late(one)} for one in run.students if one.late and one.late.sentence],
        "marks": [mark_document(mark) for mark in run.marks],
        "absent": [graded.student for graded in run.students if not graded.present],
        "students": [student_document(graded) for graded in run.students],
    }


def student_document(graded: Graded, results: Iterable[Result] | None = None) -> dict[str, Any]:
    """Return one student's results as JSON data.

    Args:
        graded: the student.
        results: those to tell of where not all are wanted.
    """
    return {
        "student": graded.student,
        "score": graded.score,
        "points": graded.points,
        "path": graded.path,
        "digest": graded.digest,
        "handed_in": graded.handed_in or None,
        "late": _late(graded) if graded.late is not None and graded.late.sentence else None,
        "note": graded.note,
        "present": graded.present,
        "unjudged": list(graded.unjudged),
        "verdicts": [result_document(result) for result in (graded.results if results is None else results)],
    }


def result_document(result: Result) -> dict[str, Any]:
    """Return what stands for one problem: the verdict with its overrides, and what is behind it."""
    waiting = result.waiting
    return verdict_document(result.verdict) | {
        "judged": result.judged.score,
        "by_hand": result.by_hand.points if result.by_hand else None,
        "stale": list(result.stale),
        "waiting": waiting and {"status": waiting.status, "score": waiting.score, "points": waiting.points},
        "marks": [mark_document(mark) for mark in result.marks],
    }


def mark_document(mark: Mark) -> dict[str, Any]:
    """Return one mark as JSON data."""
    return dataclasses.asdict(mark)


def verdict_document(verdict: Verdict) -> dict[str, Any]:
    """Return one verdict as JSON data; a share that no number measures is null."""
    document = _flat(verdict)
    for check in document["checks"]:
        if check["share"] == float("inf"):
            check["share"] = None
    return document


def pack(verdict: Verdict) -> str:
    """Return a verdict as text that `unpack` reads back without loss."""
    return json.dumps(_flat(verdict))


def unpack(text: str) -> Verdict:
    """Return the verdict that `pack` made into text."""
    content = json.loads(text)
    for one in (content, *content["checks"]):
        one["status"] = _STATUS[one["status"]]
    for check in content["checks"]:
        check["picture"] = picture.read(check["picture"]) if check.get("picture") else None
    content["checks"] = tuple(CheckResult(**check) for check in content["checks"])
    content["notes"] = tuple(content["notes"])
    return Verdict(**content)


def _flat(verdict: Verdict) -> dict[str, Any]:
    """Return a verdict as data; `dataclasses.asdict` copies every value in depth, which takes a class many seconds."""
    document = {name: getattr(verdict, name) for name in _VERDICT}
    document["notes"] = list(verdict.notes)
    document["checks"] = [{name: getattr(check, name) for name in _CHECK} for check in verdict.checks]
    for check in document["checks"]:
        if check["picture"] is not None:
            check["picture"] = picture.data(check["picture"])
    return document


def _late(graded: Graded) -> dict[str, Any]:
    late = graded.late
    assert late is not None, "asked before"
    return {**dataclasses.asdict(late), "taken": graded.taken, "sentence": late.sentence}
