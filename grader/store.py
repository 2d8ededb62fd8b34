"""The run on disk: ``RUN/run.sqlite``, one SQLite file a run.

Promises: only one process writes it at a time. Every verdict is one transaction: whatever kills the grader, what was
committed stays, and nothing is there twice. At rest it is a single file that can be copied; while it is written a
journal lies beside it, which whoever opens it next takes up. A file that is no run, or one of a newer version, is
refused and left as it is; one of an older version is brought up by who writes, and read as it is by who reads.
"""

from __future__ import annotations

import contextlib
import json
import sqlite3
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from grader import database, documents, lock, record, regrade, schema, volumes
from grader.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from grader.assignments import Lateness
    from grader.examples import Stored
    from grader.results import Conditions, Key, Mark, Run
    from grader.submission import Place
    from grader.verdict import Verdict

NAME = "run.sqlite"
EARLIER = "run.json"  # what runs were kept in before
WAIT_SECONDS = 10.0  # for a reader to get out of the way


@dataclass(frozen=True, slots=True)
class Seen:
    """One student as a run finds them."""

    student: str
    digest: str
    places: tuple[Place, ...] = ()
    handed_in: str = ""  # ISO 8601, UTC
    late: Lateness | None = None  # None: no assignment says when it was due, so what is known stays
    note: str = ""


@dataclass(frozen=True, slots=True)
class Problem:
    """One problem as a run finds it; ``examples`` is None where it is not to be judged this time."""

    slug: str
    digest: str
    proved: bool = False
    examples: Mapping[str, Stored] | None = None


class Store:
    """A run file that this process alone writes; made by `writing`."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self.connection = connection

    @contextlib.contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Commit everything in the block or nothing.

        Raises:
            UsageError: it cannot be written; the sentence says why and how much is kept.
        """
        try:
            self.connection.execute("BEGIN IMMEDIATE")
            yield self.connection
            self.connection.execute("COMMIT")
        except sqlite3.Error as error:
            self._undo()
            raise UsageError(self._lost(error)) from error
        except BaseException:
            self._undo()
            raise

    def begin(
        self,
        conditions: Conditions,
        problems: Sequence[Problem],
        students: Sequence[Seen],
        *,
        everybody: bool,
        afresh: bool = True,
    ) -> None:
        """Keep under what, on what and whom this run goes, before anything is judged.

        Args:
            conditions: of all that will be judged.
            problems: those of the run that were looked at.
            students: those that were found.
            everybody: all of the class was looked for, so that whoever is not among them is absent.
            afresh: something is to be judged. The moves that are told are those of the last grading that judged
                anything, so that a kill after its end does not keep them from whoever grades again.
        """
        with self.transaction() as connection:
            finished = record.conditions(connection).get("finished", True)
            if finished and afresh:
                connection.execute("DELETE FROM moves")
            for name, value in {**asdict(conditions), "finished": finished and not afresh}.items():
                connection.execute("INSERT OR REPLACE INTO conditions VALUES (?, ?)", (name, json.dumps(value)))
            for problem in problems:
                _see_problem(connection, problem)
            if everybody:
                connection.execute("UPDATE students SET present = 0")
            for seen in students:
                _see_student(connection, seen)

    def keep(self, student: str, slug: str, key: Key, verdict: Verdict, *, allow_lower: bool = False) -> None:
        """Commit one verdict: in force, or waiting where it would take points away."""
        with self.transaction() as connection:
            stands = record.verdicts(connection, student, slug).get((student, slug), {}).get("stands")
            gives_way = stands is None or regrade.yields(stands.verdict, verdict, allow_lower=allow_lower)
            if stands is not None:
                _move(connection, student, slug, stands.verdict, verdict, kept=not gives_way)
            _retire(connection, student, slug, *(("stands", "waits") if gives_way else ("waits",)))
            row = {"student": student, "slug": slug, "standing": "stands" if gives_way else "waits", **asdict(key)}
            _insert(connection, "verdicts", row | {"content": documents.pack(verdict), "made": now()})

    def lower(self, student: str, slug: str) -> None:
        """Put the verdict that waits into force."""
        with self.transaction() as connection:
            before = record.verdicts(connection, student, slug)[student, slug]
            _move(connection, student, slug, before["stands"].verdict, before["waits"].verdict, kept=False)
            _retire(connection, student, slug, "stands")
            connection.execute(
                "UPDATE verdicts SET standing = 'stands' WHERE student = ? AND slug = ? AND standing = 'waits'",
                (student, slug),
            )

    def drop(self, student: str, slug: str) -> None:
        """Let go of a verdict that waits, where what was changed has been changed back."""
        with self.transaction() as connection:
            _retire(connection, student, slug, "waits")
            connection.execute("DELETE FROM moves WHERE student = ? AND slug = ? AND kept", (student, slug))

    def finish(self) -> None:
        """Say that everything that was asked for has been judged."""
        with self.transaction() as connection:
            connection.execute("UPDATE conditions SET value = 'true' WHERE name = 'finished'")

    def mark(self, mark: Mark) -> None:
        """Keep a mark, in place of an earlier one for the same; the earlier one stays as history."""
        with self.transaction() as connection:
            _withdraw(connection, mark, f"{mark.when} {mark.who}: replaced")
            row = {
                "student": mark.student, "slug": mark.slug, "name": mark.check, "by_hand": mark.by_hand,
                "points": mark.points, "reason": mark.reason, "who": mark.who, "made": mark.when,
            }  # fmt: skip
            _insert(connection, "marks", row)

    def unmark(self, mark: Mark, why: str) -> None:
        """Withdraw a mark; it stays as history, with why it was withdrawn."""
        with self.transaction() as connection:
            _withdraw(connection, mark, why)

    @property
    def begun(self) -> bool:
        """Whether anything has been graded in it."""
        return bool(record.conditions(self.connection))

    def run(self) -> Run:
        """Return the whole run as it stands."""
        return record.run(self.connection, str(self.path.parent))

    def _undo(self) -> None:
        with contextlib.suppress(sqlite3.Error):
            if self.connection.in_transaction:
                self.connection.execute("ROLLBACK")

    def _lost(self, error: sqlite3.Error) -> str:
        kept = ""
        with contextlib.suppress(sqlite3.Error):
            (count,) = self.connection.execute("SELECT count(*) FROM verdicts WHERE standing = 'stands'").fetchone()
            kept = f"; it keeps {count} verdict{'' if count == 1 else 's'}"
        what = f"{self.path} cannot be written: {database.trouble(error)}{kept}"
        return f"{what}. {database.advice(error)} and give the same command again"


@contextlib.contextmanager
def writing(folder: Path, *, create: bool = True) -> Iterator[Store]:
    """Open a run to write: alone, brought up to this version, and left at rest as one file.

    Args:
        folder: where the run is kept.
        create: make what is not there.

    Raises:
        UsageError: it cannot be written, is in use, or is no run of ours; the sentence says which.
    """
    path = folder / NAME
    if not create and not path.exists():
        raise UsageError(_missing(folder))
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"{folder} cannot be written ({error.strerror}); choose another folder with -o") from error
    with lock.held(folder), contextlib.closing(database.connected(path, WAIT_SECONDS)) as connection:
        with _opening(path):
            _demand_ours(path, connection)
            _choose_journal(connection, folder)
        store = Store(path, connection)
        with store.transaction():
            schema.migrate(connection)
        try:
            yield store
        finally:
            with contextlib.suppress(sqlite3.Error):  # somebody reads it, or the disk is full: the journal stays
                connection.execute("PRAGMA journal_mode = DELETE")


def read(folder: Path) -> Run:
    """Return a run as it stands, also while a grader writes it.

    Args:
        folder: the run's, or the run file itself.

    Raises:
        UsageError: there is none, or it cannot be read.
    """
    path = folder if folder.is_file() else folder / NAME
    if not path.is_file():
        raise UsageError(_missing(folder))
    with contextlib.closing(database.connected(path, WAIT_SECONDS)) as connection, _opening(path):
        _demand_ours(path, connection)
        with _brought_up(connection) as current:
            current.execute("BEGIN")  # one state of it, whatever is written meanwhile
            if not record.conditions(current):
                raise UsageError(f"{path} holds nothing yet: the run was stopped before it began; grade again")
            return record.run(current, str(path.parent))


def now() -> str:
    """Return the time as runs keep it: ISO 8601, UTC, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


@contextlib.contextmanager
def _brought_up(connection: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    """Yield a connection of this version: the same, or a copy in memory where the file is of an older one."""
    if schema.version(connection) == schema.VERSION:
        yield connection
        return
    with contextlib.closing(sqlite3.connect(":memory:", isolation_level=None)) as copy:
        connection.backup(copy)
        schema.migrate(copy)
        yield copy


def _choose_journal(connection: sqlite3.Connection, folder: Path) -> None:
    mode = volumes.journal(folder)
    (now_is,) = connection.execute(f"PRAGMA journal_mode = {mode}").fetchone()
    # With a write-ahead log a kill loses nothing that was committed; a power cut may lose the last few verdicts.
    connection.execute(f"PRAGMA synchronous = {'NORMAL' if now_is == 'wal' else 'FULL'}")


def _missing(folder: Path) -> str:
    earlier = folder / EARLIER
    if earlier.is_file():
        return f"{earlier} is a run of an earlier version of the grader and no longer read; grade the submissions again"
    return f"{folder / NAME} is no run (there is no such file); give the folder that grade run -o wrote"


def _demand_ours(path: Path, connection: sqlite3.Connection) -> None:
    version = schema.version(connection)
    if version < 0:
        raise UsageError(f"{path} is a database, but no run; it is left as it is; choose another folder")
    if version > schema.VERSION:
        raise UsageError(
            f"{path} is of version {version}, and this grader knows versions up to {schema.VERSION}; it is left as it "
            "is; use the newer grader that wrote it"
        )


@contextlib.contextmanager
def _opening(path: Path) -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        raise UsageError(f"{path} cannot be used: {database.trouble(error)}; nothing in it was changed") from error


def _insert(connection: sqlite3.Connection, table: str, row: Mapping[str, Any]) -> None:
    names, places = ", ".join(row), ", ".join("?" * len(row))
    connection.execute(f"INSERT INTO {table} ({names}) VALUES ({places})", tuple(row.values()))  # noqa: S608 - our own names


def _see_problem(connection: sqlite3.Connection, problem: Problem) -> None:
    known = connection.execute("SELECT position FROM problems WHERE slug = ?", (problem.slug,)).fetchone()
    (last,) = connection.execute("SELECT coalesce(max(position), 0) FROM problems").fetchone()
    position = known[0] if known else last + 1
    row = (problem.slug, position, problem.digest, problem.proved)
    connection.execute("INSERT OR REPLACE INTO problems VALUES (?, ?, ?, ?)", row)
    for name, stored in (problem.examples or {}).items():
        for place, content in enumerate(stored):
            values = (problem.slug, problem.digest, name, place, content)
            connection.execute("INSERT OR IGNORE INTO examples VALUES (?, ?, ?, ?, ?)", values)


def _see_student(connection: sqlite3.Connection, seen: Seen) -> None:
    known = connection.execute("SELECT late FROM students WHERE student = ?", (seen.student,)).fetchone()
    late = json.dumps(asdict(seen.late)) if seen.late is not None else known[0] if known else ""
    connection.execute("DELETE FROM students WHERE student = ?", (seen.student,))
    places = [(str(place.path), place.inner, place.name) for place in seen.places]
    row = {
        "student": seen.student, "digest": seen.digest, "path": "\n".join(str(place.shown) for place in seen.places),
        "places": json.dumps(places), "handed_in": seen.handed_in, "late": late, "note": seen.note, "present": 1,
    }  # fmt: skip
    _insert(connection, "students", row)


def _retire(connection: sqlite3.Connection, student: str, slug: str, *standings: str) -> None:
    for standing in standings:
        connection.execute(
            "UPDATE verdicts SET standing = 'past' WHERE student = ? AND slug = ? AND standing = ?",
            (student, slug, standing),
        )


def _move(
    connection: sqlite3.Connection, student: str, slug: str, stands: Verdict, later: Verdict, *, kept: bool
) -> None:
    """List a score that moves; the moves of one regrade, interrupted or not, count from where it stood before."""
    earlier = connection.execute("SELECT before FROM moves WHERE student = ? AND slug = ?", (student, slug)).fetchone()
    before = earlier[0] if earlier is not None else stands.score
    connection.execute("DELETE FROM moves WHERE student = ? AND slug = ?", (student, slug))
    if later.score is not None and later.score != before:
        connection.execute("INSERT INTO moves VALUES (?, ?, ?, ?, ?)", (student, slug, before, later.score, kept))


def _withdraw(connection: sqlite3.Connection, mark: Mark, why: str) -> None:
    connection.execute(
        "UPDATE marks SET withdrawn = ? WHERE student = ? AND slug = ? AND name = ? AND by_hand = ? AND withdrawn = ''",
        (why, mark.student, mark.slug, mark.check, mark.by_hand),
    )
