"""What came of a hand-in, read from nbgrader's gradebook, its graded notebooks and its log."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from itertools import dropwhile
from typing import TYPE_CHECKING, Any

from nbgrader_inputs.situations import ANY

if TYPE_CHECKING:
    from pathlib import Path

LAST = "zoe"  # right, and graded after everybody else
SLUGS = ("double", "triple")
NAME = "week1"
_RAISED = re.compile(r"^ +(?:[\w.]+\.)?(\w+(?:Error|Exception)): (.+)$", re.MULTILINE)
_LOGGED = re.compile(
    r"^\[\w+App \| ERROR\] (?!There was an error|Please see|Traceback|Interrupting)(.+)$", re.MULTILINE
)


@dataclass(frozen=True)
class Outcome:
    """What a student has: points of each notebook by slug, (earned, of how many, cells that need a person)."""

    marks: dict[str, tuple[float, float, int]]
    graded: bool  # whether there is a graded notebook to look at
    last: bool  # whether nbgrader got as far as the student after this one
    told: str = ""  # what is said of it

    @property
    def sentence(self) -> str:
        """The marks as they stand in the table."""
        earned, points, manual = self.marks["double"]
        parts = [f"{earned:g} of {points:g}" if self.graded else "no grade"]
        if not self.graded and earned:
            parts = [f"no graded notebook, and still {earned:g} of {points:g}"]
        if manual and self.graded:
            parts.append(f"{manual} {'cell' if manual == 1 else 'cells'} to mark by hand")
        other, whole, _ = self.marks["triple"]
        if other != whole:
            parts.append(f"the other notebook {other:g} of {whole:g}")
        if not self.last:
            parts.append("nobody after this student is graded")
        return "; ".join(parts)


def seen(root: Path, student: str) -> Outcome:
    """Return what a student of a course folder has."""
    from nbgrader.api import Gradebook

    with Gradebook(f"sqlite:///{root / 'gradebook.db'}") as book:
        return Outcome(
            marks={slug: _marks(book, slug, student) for slug in SLUGS},
            graded=_graded(root, student).exists(),
            last=any(one.id == LAST for one in book.students),
        )


def _marks(book: Any, slug: str, student: str) -> tuple[float, float, int]:
    from nbgrader.api import MissingEntry

    points = float(book.find_notebook(slug, NAME).max_score)
    try:
        found = book.find_submission_notebook(slug, NAME, student)
    except MissingEntry:
        return 0.0, points, 0
    return float(found.score), points, sum(bool(grade.needs_manual_grade) for grade in found.grades)


def error(log: str) -> str:
    """Return the last error that nbgrader's log tells."""
    raised = _RAISED.findall(log)
    if raised:
        return ": ".join(raised[-1])
    logged = _LOGGED.findall(log)
    return logged[-1].strip() if logged else ""


def reported(root: Path, student: str) -> str:
    """Return what our report says below the hidden test: why it did not pass, or what to note."""
    notebook = json.loads(_graded(root, student).read_text(encoding="utf-8"))
    texts = {
        cell["metadata"]["nbgrader"]["grade_id"]: "".join(output["data"]["text/plain"]).split("\n")
        for cell in notebook["cells"]
        for output in cell.get("outputs", ())
        if output["output_type"] == "display_data"
    }
    notes = (" ".join(dropwhile(lambda line: not line.startswith("Note: "), lines)) for lines in texts.values())
    return next(filter(None, [" ".join(texts.get(ANY, ())[2:]), *notes]), "")


def _graded(root: Path, student: str) -> Path:
    return root / "autograded" / student / NAME / "double.ipynb"
