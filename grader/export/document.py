"""JSON: what ``grade run --json`` prints, without the details and pictures that hold hidden values."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

from grader import documents
from grader.export import Exported

if TYPE_CHECKING:
    from grader.export import Wish
    from grader.results import Run


def export(run: Run, wish: Wish) -> Exported:
    """Return the document; without ``late`` a student's score is that before anything is taken for lateness."""
    document = documents.run_document(run)
    for graded, student in zip(run.students, document["students"], strict=True):
        if not wish.late:
            student["score"] = graded.earned
        for verdict in student["verdicts"]:
            for check in verdict["checks"]:
                del check["detail"], check["picture"]
    return Exported((json.dumps(_finite(document), indent=1, allow_nan=False) + "\n").encode())


def _finite(value: Any) -> Any:
    """Return plain data with null in place of what JSON has no number for."""
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
