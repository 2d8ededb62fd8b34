"""One grader a run: whoever writes a run holds a lock beside it, and who comes second is told by whom.

The lock is a transaction held open in a small database of its own, so it is as good as SQLite's own locking on the
same file system, it ends with its holder however that ends, and children of the holder do not inherit it. Where a
file system cannot lock at all (a network file system without a lock service) every writer is refused.
"""

from __future__ import annotations

import contextlib
import os
import platform
import sqlite3
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from grader import database
from grader.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

NAME = "run.lock"


@contextlib.contextmanager
def held(folder: Path) -> Iterator[None]:
    """Hold the lock of a run's folder for the length of the block.

    Raises:
        UsageError: somebody else holds it, or it cannot be had here.
    """
    with contextlib.closing(database.connected(folder / NAME, 0.0)) as connection:
        try:
            _sign(connection)
            connection.execute("BEGIN IMMEDIATE")
        except sqlite3.Error as error:
            raise UsageError(_refusal(folder, connection, error)) from error
        yield


def _sign(connection: sqlite3.Connection) -> None:
    """Leave word of who holds the lock, for who comes second."""
    who = f"process {os.getpid()} on {platform.node()}, since {datetime.now(UTC):%Y-%m-%d %H:%M:%S} UTC"
    connection.execute("PRAGMA synchronous = OFF")  # nothing of it is of use after the machine has gone down
    connection.execute("BEGIN IMMEDIATE")
    connection.execute("CREATE TABLE IF NOT EXISTS holder (who TEXT)")
    connection.execute("DELETE FROM holder")
    connection.execute("INSERT INTO holder VALUES (?)", (who,))
    connection.execute("COMMIT")


def _refusal(folder: Path, connection: sqlite3.Connection, error: sqlite3.Error) -> str:
    if database.code(error) != "SQLITE_BUSY":
        return f"{folder / NAME} cannot be written: {database.trouble(error)}; choose another folder with -o"
    try:
        who = connection.execute("SELECT who FROM holder").fetchone()
    except sqlite3.Error:
        who = None
    if who is None:
        return (
            f"{folder} is locked by another grader, or its file system cannot lock files, as a network file system "
            "without a lock service; wait, or choose a folder on a local disk with -o"
        )
    return (
        f"another grader is at work on {folder} ({who[0]}); wait until it has ended, or choose another folder with -o"
    )
