"""The lines of ``nbgrader_config.py`` that make nbgrader grade with us, as a block that is ours and easily told.

What stands outside of the block is the instructor's and is never touched.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

NAME = "nbgrader_config.py"
BEGIN = "# >>> grade nbgrader (these lines are the command's; change others, not these)"
END = "# <<< grade nbgrader"

ADAPTER = "grader.notebook.adapter.SandboxJudge"
SAVER = "grader.notebook.adapter.SaveGrades"
SANITIZER = "grader.notebook.sanitize.Sanitize"
EXPORTER = "grader.notebook.exporter.JudgedExporter"  # judges before the first notebook, and reads any notebook

# nbgrader's own lists with ours in place of DeduplicateIds, of Execute and of SaveAutoGrades.
SANITIZE_PREPROCESSORS = (
    "nbgrader.preprocessors.ClearOutput",
    SANITIZER,
    "nbgrader.preprocessors.OverwriteKernelspec",
    "nbgrader.preprocessors.OverwriteCells",
    "nbgrader.preprocessors.CheckCellMetadata",
)
AUTOGRADE_PREPROCESSORS = (
    ADAPTER,
    "nbgrader.preprocessors.IgnorePattern",
    "nbgrader.preprocessors.LimitOutput",
    SAVER,
    "nbgrader.preprocessors.AssignLatePenalties",
    "nbgrader.preprocessors.CheckCellMetadata",
)
# Feedback without the mark scheme, which stands in a cell for whoever marks.
FEEDBACK = "grader.notebook.feedback.OmitMarkScheme"
FEEDBACK_PREPROCESSORS = (
    FEEDBACK,
    "nbgrader.preprocessors.GetGrades",
    "nbconvert.preprocessors.CSSHTMLHeaderPreprocessor",
)
WIDTH = 50  # characters of a path on a line
# nbgrader starts alembic by its name for a new gradebook: a virtual environment need not be activated for that.
_PROGRAMS = """\
import os, sys
programs = os.path.dirname(sys.executable)
if programs not in os.environ.get("PATH", "").split(os.pathsep):
    os.environ["PATH"] = os.pathsep.join([programs, os.environ.get("PATH", os.defpath)])"""
_BLOCK = re.compile(rf"^{re.escape(BEGIN)}$.*?^{re.escape(END)}$\n?", re.MULTILINE | re.DOTALL)


def block(course: Path) -> str:
    """Return our lines, with the course that holds the problems."""
    lines = [
        BEGIN,
        *_PROGRAMS.split("\n"),
        "c = get_config()  # noqa: F821 - nbgrader defines it",
        *_listed("c.Autograde.sanitize_preprocessors", SANITIZE_PREPROCESSORS),
        *_listed("c.Autograde.autograde_preprocessors", AUTOGRADE_PREPROCESSORS),
        *_listed("c.GenerateFeedback.preprocessors", FEEDBACK_PREPROCESSORS),
        f'c.Autograde.exporter_class = "{EXPORTER}"',
        *_path("c.SandboxJudge.course", str(course)),
        END,
    ]
    return "\n".join(lines) + "\n"


def updated(text: str, course: Path) -> str | None:
    """Return a configuration with our block brought up to date; None if it has no block of ours.

    An empty text gets the block.
    """
    ours = block(course)
    if not text.strip():
        return ours
    found = _BLOCK.search(text)
    return text[: found.start()] + ours + text[found.end() :] if found else None


def _listed(name: str, classes: tuple[str, ...]) -> list[str]:
    return [f"{name} = [", *(f'    "{one}",' for one in classes), "]"]


def _path(name: str, path: str) -> list[str]:
    """Return the lines that set a path; a long one in parts, since lines are printed in 80 columns."""
    parts = [path[start : start + WIDTH] for start in range(0, len(path), WIDTH)]
    return [f"{name} = (", *(f"    {part!r}" for part in parts), ")"] if parts[1:] else [f"{name} = {path!r}"]
