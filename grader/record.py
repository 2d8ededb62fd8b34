"""The rows of a run file as plain data: what stands, and what has changed since it was judged."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grader import documents
from grader.assignments import Lateness
from grader.regrade import Kept
from grader.results import Conditions, Graded, Key, Mark, Move, Result, Run
from grader.submission import Place, names

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Mapping

    from grader.examples import Stored

    Examples = Mapping[str, Stored]
    Standing = Mapping[str, Kept]

KEY = "submission, problem, examples, environment, device, dtype, tier"


def run(connection: sqlite3.Connection, folder: str) -> Run:
    """Return the whole run."""
    said = conditions(connection)
    finished = said.pop("finished", False)
    assert isinstance(finished, bool), "written so"
    said |= {name: tuple(said.get(name, ())) for name in ("missing", "gpus")}
    known = Conditions(**{**said, "ignored": tuple((path, why) for path, why in said["ignored"])})
    problems = dict(connection.execute("SELECT slug, digest FROM problems ORDER BY position"))
    drawn = {slug: examples(connection, slug, digest) for slug, digest in problems.items()}
    given = marks(connection)
    unproved = connection.execute("SELECT slug FROM problems WHERE NOT proved ORDER BY position")
    return Run(
        run=folder,
        conditions=known,
        problems=problems,
        unproved=tuple(slug for (slug,) in unproved),
        examples=drawn,
        students=_students(connection, known, problems, {slug: digest(one) for slug, one in drawn.items()}, given),
        moved=_moves(connection),
        finished=finished,
        marks=given,
    )


def conditions(connection: sqlite3.Connection) -> dict[str, Any]:
    """Return what is kept about the run as a whole, by name; empty for a new file."""
    rows = connection.execute("SELECT name, value FROM conditions")
    return {name: json.loads(value) for name, value in rows}


def examples(connection: sqlite3.Connection, slug: str, digest: str) -> dict[str, Stored]:
    """Return the examples drawn for a problem with exactly these files, by check; empty if none were."""
    query = "SELECT name, content FROM examples WHERE slug = ? AND digest = ? ORDER BY name, place"
    found: dict[str, Stored] = {}
    for name, content in connection.execute(query, (slug, digest)):
        found[name] = (*found.get(name, ()), content)
    return found


def digest(examples: Examples) -> str:
    """Return the digest of a problem's stored examples."""
    total = hashlib.sha256()
    for name, stored in sorted(examples.items()):
        for part in (name.encode(), len(stored).to_bytes(8, "big"), *stored):
            total.update(len(part).to_bytes(8, "big"))
            total.update(part)
    return total.hexdigest()


def verdicts(
    connection: sqlite3.Connection, student: str | None = None, slug: str | None = None
) -> dict[tuple[str, str], dict[str, Kept]]:
    """Return the verdicts that stand or wait, by student and problem: all of them, or one student's on a problem."""
    where, given = ("", ()) if student is None else (" AND student = ? AND slug = ?", (student, slug))
    found: dict[tuple[str, str], dict[str, Kept]] = {}
    query = f"SELECT student, slug, standing, content, {KEY} FROM verdicts WHERE standing <> 'past'{where}"  # noqa: S608 - our own names
    for name, problem, standing, content, *key in connection.execute(query, given):
        found.setdefault((name, problem), {})[standing] = Kept(Key(*key), documents.unpack(content))
    return found


def marks(connection: sqlite3.Connection) -> tuple[Mark, ...]:
    """Return the marks in force, in the order in which they were given."""
    query = "SELECT student, slug, name, by_hand, points, reason, who, made FROM marks WHERE withdrawn = '' ORDER BY id"
    return tuple(
        Mark(student, slug, check, bool(by_hand), points, reason, who, when)
        for student, slug, check, by_hand, points, reason, who, when in connection.execute(query)
    )


def _students(
    connection: sqlite3.Connection,
    known: Conditions,
    problems: Mapping[str, str],
    drawn: Mapping[str, str],
    given: Iterable[Mark],
) -> tuple[Graded, ...]:
    kept = verdicts(connection)
    by_place: dict[tuple[str, str], list[Mark]] = {}
    for mark in given:
        by_place.setdefault((mark.student, mark.slug), []).append(mark)
    found = []
    query = "SELECT student, digest, path, places, handed_in, late, note, present FROM students"
    for student, submission, path, places, handed_in, late, note, present in connection.execute(query):
        results = []
        for slug, files in problems.items():
            now = Key(submission, files, drawn[slug], known.environment, known.device, known.dtype, known.tier)
            if standing := kept.get((student, slug)):
                results.append(_result(standing, now, by_place.get((student, slug), ())))
        judged = {result.judged.problem for result in results}
        found.append(
            Graded(
                student=student,
                path=path,
                digest=submission,
                results=tuple(results),
                unjudged=tuple(slug for slug in problems if slug not in judged),
                handed_in=handed_in,
                late=Lateness(**json.loads(late)) if late else None,
                note=note,
                present=bool(present),
                places=_places(path, places),
            )
        )
    return tuple(sorted(found, key=lambda graded: names.natural(graded.student)))


def _places(path: str, places: str) -> tuple[Place, ...]:
    """Return where a student's files lie; a run of the first version knows paths alone."""
    if not places:
        return tuple(Place(Path(line)) for line in path.splitlines())
    return tuple(Place(Path(where), inner, name) for where, inner, name in json.loads(places))


def _result(standing: Standing, now: Key, given: Iterable[Mark]) -> Result:
    stands, waits = standing["stands"], standing.get("waits")
    return Result(
        judged=stands.verdict,
        key=stands.key,
        stale=stands.key.changed(now),
        waiting=waits.verdict if waits is not None else None,
        marks=tuple(given),
    )


def _moves(connection: sqlite3.Connection) -> tuple[Move, ...]:
    query = "SELECT student, slug, before, after, kept FROM moves"
    moves = [
        Move(student, slug, before, after, bool(kept))
        for student, slug, before, after, kept in connection.execute(query)
    ]
    return tuple(sorted(moves, key=lambda move: (names.natural(move.student), move.problem)))
