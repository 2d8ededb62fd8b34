"""The nbgrader that is installed beside us: one of the versions that we know, or a sentence that says what to do."""

from __future__ import annotations

import os
import re
import sys
from importlib import metadata
from pathlib import Path

from grader.errors import UsageError

KNOWN = "0.9"
_INSTALL = "pip install 'nbgrader>=0.9,<0.10'"


def version() -> str:
    """Return the version of nbgrader that is installed; "" if none is."""
    try:
        return metadata.version("nbgrader")
    except metadata.PackageNotFoundError:
        return ""


def require() -> str:
    """Return the version of nbgrader that is installed.

    Raises:
        UsageError: none is, or one whose files and database we do not know.
    """
    found = version()
    if not found:
        raise UsageError(f"nbgrader is not installed beside {sys.executable}; install it with: {_INSTALL}")
    if not re.match(rf"{re.escape(KNOWN)}(\.|$)", found):
        raise UsageError(f"nbgrader {found} is installed, but only {KNOWN}.x is known here; run: {_INSTALL}")
    return found


def command(*arguments: str) -> list[str]:
    """Return the command line that runs the nbgrader beside us."""
    return [sys.executable, "-m", "nbgrader", *arguments]


def environment() -> dict[str, str]:
    """Return the environment for nbgrader's commands: what it starts itself (alembic) must be found.

    In a virtual environment that is not activated, its folder of programs is not on ``PATH``.
    """
    programs = str(Path(sys.executable).parent)
    before = os.environ.get("PATH", os.defpath)
    folders = before.split(os.pathsep)
    path = before if programs in folders else os.pathsep.join([programs, before])
    return {**os.environ, "PATH": path}
