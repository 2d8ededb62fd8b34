"""SQLite as a run uses it: opened with one setting everywhere, its complaints in words."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

from grader.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

TROUBLE = {
    "SQLITE_FULL": "the disk is full",
    "SQLITE_IOERR": "the disk takes no more (it is full, at a quota, at a limit of size, or failing)",
    "SQLITE_READONLY": "it or its folder is read-only",
    "SQLITE_CANTOPEN": "its folder is read-only or belongs to somebody else",
    "SQLITE_BUSY": "another program has it open",
    "SQLITE_NOTADB": "it is no SQLite file, so it is no run",
    "SQLITE_CORRUPT": "the file is damaged",
}
ADVICE = {"SQLITE_FULL": "Free some space", "SQLITE_IOERR": "Free some space", "SQLITE_BUSY": "Close that program"}


def connected(path: Path, seconds: float) -> sqlite3.Connection:
    """Open or make a database; transactions begin and end where we say so.

    Args:
        path: where it lies.
        seconds: how long to wait for another program that has it locked.

    Raises:
        UsageError: it cannot be opened.
    """
    try:
        return sqlite3.connect(path, isolation_level=None, timeout=seconds)
    except sqlite3.Error as error:
        raise UsageError(f"{path} cannot be opened: {trouble(error)}; choose another folder") from error


def code(error: sqlite3.Error) -> str:
    """Return the primary result code of an error: SQLITE_IOERR for SQLITE_IOERR_WRITE."""
    return "_".join(str(getattr(error, "sqlite_errorname", "")).split("_")[:2])


def trouble(error: sqlite3.Error) -> str:
    """Return in words what SQLite complains of."""
    return TROUBLE.get(code(error), str(error))


def advice(error: sqlite3.Error) -> str:
    """Return what to do about it, as the beginning of a sentence."""
    return ADVICE.get(code(error), "Mend that")
