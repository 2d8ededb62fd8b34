"""The tables of a run file, version by version: what a new file is made with, and how an older one is brought up.

A version is never changed once files of it exist; a new one is a migration more. Each migration runs in the
transaction of whoever opens the file, so a file is of one version or the next and nothing between.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import sqlite3

APPLICATION = 0x67726164  # "grad": says that a database is a run
VERSION = 2

# One verdict a student and problem, under conditions that are the whole run's.
FIRST = """
CREATE TABLE conditions (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE problems (
    slug TEXT PRIMARY KEY, position INTEGER NOT NULL, digest TEXT NOT NULL, proved INTEGER NOT NULL
);
CREATE TABLE examples (
    slug TEXT NOT NULL, digest TEXT NOT NULL, name TEXT NOT NULL, place INTEGER NOT NULL, content BLOB NOT NULL,
    PRIMARY KEY (slug, digest, name, place)
);
CREATE TABLE students (student TEXT PRIMARY KEY, digest TEXT NOT NULL, path TEXT NOT NULL);
CREATE TABLE verdicts (
    student TEXT NOT NULL, slug TEXT NOT NULL,
    submission TEXT NOT NULL, problem TEXT NOT NULL, examples TEXT NOT NULL, environment TEXT NOT NULL,
    device TEXT NOT NULL, dtype TEXT NOT NULL, tier INTEGER NOT NULL,
    content TEXT NOT NULL, made TEXT NOT NULL,
    PRIMARY KEY (student, slug)
);
"""

# Earlier verdicts stay, a lower one waits, people mark by hand, and a student has a time and may be gone.
SECOND = """
ALTER TABLE students ADD COLUMN places TEXT NOT NULL DEFAULT '';
ALTER TABLE students ADD COLUMN handed_in TEXT NOT NULL DEFAULT '';
ALTER TABLE students ADD COLUMN late TEXT NOT NULL DEFAULT '';
ALTER TABLE students ADD COLUMN note TEXT NOT NULL DEFAULT '';
ALTER TABLE students ADD COLUMN present INTEGER NOT NULL DEFAULT 1;
ALTER TABLE verdicts RENAME TO first_verdicts;
CREATE TABLE verdicts (
    id INTEGER PRIMARY KEY,
    student TEXT NOT NULL, slug TEXT NOT NULL,
    standing TEXT NOT NULL CHECK (standing IN ('stands', 'waits', 'past')),
    submission TEXT NOT NULL, problem TEXT NOT NULL, examples TEXT NOT NULL, environment TEXT NOT NULL,
    device TEXT NOT NULL, dtype TEXT NOT NULL, tier INTEGER NOT NULL,
    content TEXT NOT NULL, made TEXT NOT NULL
);
INSERT INTO verdicts
    (student, slug, standing, submission, problem, examples, environment, device, dtype, tier, content, made)
    SELECT student, slug, 'stands', submission, problem, examples, environment, device, dtype, tier, content, made
    FROM first_verdicts ORDER BY rowid;
DROP TABLE first_verdicts;
CREATE UNIQUE INDEX standing_verdicts ON verdicts (student, slug, standing) WHERE standing <> 'past';
CREATE INDEX every_verdict ON verdicts (student, slug);
CREATE TABLE marks (
    id INTEGER PRIMARY KEY,
    student TEXT NOT NULL, slug TEXT NOT NULL, name TEXT NOT NULL, by_hand INTEGER NOT NULL,
    points REAL NOT NULL, reason TEXT NOT NULL, who TEXT NOT NULL, made TEXT NOT NULL,
    withdrawn TEXT NOT NULL DEFAULT ''
);
CREATE UNIQUE INDEX given_marks ON marks (student, slug, name, by_hand) WHERE withdrawn = '';
CREATE TABLE moves (
    student TEXT NOT NULL, slug TEXT NOT NULL, before REAL, after REAL, kept INTEGER NOT NULL,
    PRIMARY KEY (student, slug)
);
"""
MIGRATIONS = (FIRST, SECOND)


def version(connection: sqlite3.Connection) -> int:
    """Return the version of a run file; 0 for an empty database, -1 for a database that is no run."""
    application, own = (
        connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version")
    )
    if application == APPLICATION:
        return int(own)
    tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    return 0 if application == own == tables == 0 else -1


def migrate(connection: sqlite3.Connection) -> None:
    """Bring a run file up to this version; to be called inside a transaction.

    ``executescript`` would end the transaction, so the statements go one by one.
    """
    for script in MIGRATIONS[version(connection) :]:
        for statement in script.split(";\n"):
            if statement.strip():
                connection.execute(statement)
    connection.execute(f"PRAGMA application_id = {APPLICATION}")
    connection.execute(f"PRAGMA user_version = {VERSION}")
