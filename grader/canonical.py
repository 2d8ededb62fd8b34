"""A run as text to compare: sorted, and without times, paths and what names a machine or a person at the keyboard.

Two gradings of the same submissions with the same stored examples give the same text, however often one of them was
stopped, killed and taken up again.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from grader import documents, record

if TYPE_CHECKING:
    from collections.abc import Mapping

    from grader.results import Run

OF_A_RUN = ("tier", "device", "dtype", "isolation", "assignment", "problems", "unproved", "versions", "finished")
OF_A_STUDENT = ("student", "score", "points", "digest", "late", "note", "present", "unjudged")
OF_A_MARK = ("student", "slug", "check", "by_hand", "points", "reason")


def canonical(run: Run) -> str:
    """Return what a run says, as JSON text that is the same for every way to come to it."""
    document = documents.run_document(run)
    content = {
        **_only(document, OF_A_RUN),
        "examples": {slug: record.digest(drawn) for slug, drawn in run.examples.items()},
        "marks": sorted((_only(mark, OF_A_MARK) for mark in document["marks"]), key=str),
        "students": sorted(map(_student, document["students"]), key=lambda student: str(student["student"])),
    }
    return json.dumps(content, indent=1, sort_keys=True) + "\n"


def _student(document: Mapping[str, Any]) -> dict[str, Any]:
    verdicts = [
        {**verdict, "seconds": None, "marks": sorted((_only(mark, OF_A_MARK) for mark in verdict["marks"]), key=str)}
        for verdict in document["verdicts"]
    ]
    return _only(document, OF_A_STUDENT) | {"verdicts": sorted(verdicts, key=lambda verdict: str(verdict["problem"]))}


def _only(document: Mapping[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    return {name: document[name] for name in names}
