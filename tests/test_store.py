"""The run file: every verdict kept, none twice, one grader at a time, and a sentence for whatever goes wrong."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

from grader import canonical, documents, lock, record, schema, store, volumes
from grader.assignments import Lateness
from grader.errors import UsageError
from grader.results import Conditions, Key, Mark, Move
from grader.store import Problem, Seen
from grader.submission import Place
from grader.verdict import CheckResult, Status, Verdict

KEY = Key("files", "problem", "examples", "{}", "cpu", "float64", 2)
UNDER = Conditions(
    tier=2, words="files cannot be read", missing=(), device="cpu", dtype="float64", seed=271828182845,
    versions={"numpy": "2"}, environment="{}",
)  # fmt: skip
EXAMPLES = {"a_check": (b"example one", b"example two"), "other": (b"",)}


def a_verdict(score=1.0, slug="double", detail="", share=None):
    status = Status.BROKEN if score is None else Status.PASSED if score == 2.0 else Status.FAILED
    check = CheckResult(
        name="a_check", visible=True, promise="It holds.", status=status, score=score, points=2.0, message="It holds.",
        detail=detail, share=share,
    )  # fmt: skip
    return Verdict.of(slug, (check,), manual_points=3.0, tier=2, device="cpu", dtype="float64", notes=("a note",))


def begin(kept, *students, slugs=("double",), everybody=True, afresh=True):
    problems = [Problem(slug, "problem", examples=EXAMPLES) for slug in slugs]
    seen = [Seen(name, "files", (Place(Path("class") / name),)) for name in students]
    kept.begin(UNDER, problems, seen, everybody=everybody, afresh=afresh)


@pytest.fixture
def kept(tmp_path):
    with store.writing(tmp_path / "run") as opened:
        begin(opened, "ada", "bob")
        yield opened


def results(kept):
    return {(one.student, result.judged.problem): result for one in kept.run().students for result in one.results}


# What is kept


def test_what_is_kept_is_read_back_without_loss(tmp_path):
    lateness = Lateness(90_000, 2, 0.2)
    verdict = a_verdict(1.0, detail="got \ud800 and é\n", share=float("inf"))
    with store.writing(tmp_path / "run") as kept:
        places = (Place(Path("class/ada")), Place(Path("all.zip"), "ada/xor.py", "xor.py"))
        seen = Seen("ada", "files", places, "2026-11-30T10:00:00+00:00", lateness, "a second one")
        under = replace(UNDER, ignored=(("class/x", "no source"),), assignment="week1", missing=("Landlock",))
        kept.begin(under, [Problem("double", "problem", proved=True, examples=EXAMPLES)], [seen], everybody=True)
        kept.keep("ada", "double", KEY, verdict)
        kept.finish()
    run = store.read(tmp_path / "run")
    assert (run.conditions, run.problems, run.unproved) == (under, {"double": "problem"}, ())
    assert run.examples == {"double": EXAMPLES}
    (ada,) = run.students
    assert (ada.path, ada.places) == ("class/ada\nall.zip/ada/xor.py", places)
    assert (ada.handed_in, ada.late, ada.note) == (seen.handed_in, lateness, seen.note)
    assert ada.results[0].judged == verdict
    assert run.finished
    assert store.read(tmp_path / "run" / store.NAME) == run


def test_at_rest_a_run_is_one_file_and_a_lock_that_nobody_holds(tmp_path):
    with store.writing(tmp_path / "run") as kept:
        begin(kept, "ada")
    assert {path.name for path in (tmp_path / "run").iterdir()} == {store.NAME, lock.NAME}
    copy = tmp_path / "copied.sqlite"
    copy.write_bytes((tmp_path / "run" / store.NAME).read_bytes())
    assert [student.student for student in store.read(copy).students] == ["ada"]


def test_the_seed_and_the_examples_are_not_told(kept):
    run = kept.run()
    told = json.dumps(documents.run_document(run)) + canonical.canonical(run)
    assert "271828182845" not in told
    assert EXAMPLES["a_check"][0].decode() not in told


def test_a_verdict_that_is_cut_short_is_not_there_and_harms_nothing(kept, monkeypatch):
    kept.keep("ada", "double", KEY, a_verdict(1.0))

    def interrupted(_verdict):
        raise KeyboardInterrupt

    monkeypatch.setattr(documents, "pack", interrupted)
    with pytest.raises(KeyboardInterrupt):
        kept.keep("ada", "double", KEY, a_verdict(2.0))
    monkeypatch.undo()
    assert results(kept)["ada", "double"].score == 1.0
    kept.keep("ada", "double", KEY, a_verdict(2.0))
    assert results(kept)["ada", "double"].score == 2.0


def test_students_are_in_the_order_people_count_and_whoever_is_gone_stays(kept):
    begin(kept, "bob", "s10", "s9")
    assert [(one.student, one.present) for one in kept.run().students] == [
        ("ada", False), ("bob", True), ("s9", True), ("s10", True)
    ]  # fmt: skip
    begin(kept, "ada", everybody=False)
    assert all(one.present for one in kept.run().students)


# Which score stands


@pytest.mark.parametrize(
    ("before", "after", "allow", "stands", "moves"),
    [
        (1.0, 2.0, False, 2.0, (Move("ada", "double", 1.0, 2.0, kept=False),)),
        (1.0, 1.0, False, 1.0, ()),
        (2.0, 1.0, False, 2.0, (Move("ada", "double", 2.0, 1.0, kept=True),)),
        (2.0, 1.0, True, 1.0, (Move("ada", "double", 2.0, 1.0, kept=False),)),
        (2.0, None, False, 2.0, ()),
        (2.0, None, True, 2.0, ()),
        (None, 0.5, False, 0.5, (Move("ada", "double", None, 0.5, kept=False),)),
        (None, None, False, None, ()),
    ],
)
def test_no_score_falls_unless_it_may(kept, before, after, allow, stands, moves):  # noqa: PLR0917 - a table's columns
    kept.keep("ada", "double", KEY, a_verdict(before))
    later = replace(KEY, problem="another")
    kept.keep("ada", "double", later, a_verdict(after), allow_lower=allow)
    result = results(kept)["ada", "double"]
    assert result.verdict.score == stands
    waits = before is not None and stands == before and after != before
    assert (result.waiting.score if waits else result.waiting) == (after if waits else None)
    assert kept.run().moved == moves
    assert result.key == (KEY if waits else later)


def test_a_lower_score_that_waits_comes_into_force_or_is_let_go(kept):
    for name in ("ada", "bob"):
        kept.keep(name, "double", KEY, a_verdict(2.0))
        kept.keep(name, "double", replace(KEY, submission="worse"), a_verdict(1.0))
    kept.lower("ada", "double")
    kept.drop("bob", "double")
    assert {name: (one.score, one.waiting) for (name, _), one in results(kept).items()} == {
        "ada": (1.0, None), "bob": (2.0, None)
    }  # fmt: skip
    assert kept.run().moved == (Move("ada", "double", 2.0, 1.0, kept=False),)


def test_moves_count_from_before_an_interrupted_regrade_and_are_told_until_the_next(kept):
    kept.keep("ada", "double", KEY, a_verdict(0.5))
    kept.finish()
    begin(kept, "ada")
    kept.keep("ada", "double", replace(KEY, problem="2"), a_verdict(1.0))
    begin(kept, "ada")  # it was killed, and goes on
    kept.keep("ada", "double", replace(KEY, problem="3"), a_verdict(2.0))
    assert kept.run().moved == (Move("ada", "double", 0.5, 2.0, kept=False),)
    kept.finish()
    begin(kept, "ada", afresh=False)  # it was killed just then, and had told nobody
    assert kept.run().moved == (Move("ada", "double", 0.5, 2.0, kept=False),)
    begin(kept, "ada")
    assert kept.run().moved == ()


def test_every_earlier_verdict_stays_as_history(kept):
    for score in (0.5, 1.0, 1.5, None, 1.0):
        kept.keep("ada", "double", KEY, a_verdict(score))
    query = "SELECT standing, content FROM verdicts ORDER BY id"
    rows = [(standing, documents.unpack(content).score) for standing, content in kept.connection.execute(query)]
    assert rows == [("past", 0.5), ("past", 1.0), ("stands", 1.5), ("past", None), ("waits", 1.0)]


def test_a_verdict_whose_key_is_not_the_latest_is_stale(kept):
    digest = record.digest(EXAMPLES)
    fresh = replace(KEY, examples=digest)
    kept.keep("ada", "double", fresh, a_verdict(1.0))
    kept.keep("bob", "double", replace(fresh, submission="earlier", tier=3), a_verdict(1.0))
    assert [one.stale for one in results(kept).values()] == [(), ("the submission", "the isolation")]
    kept.begin(replace(UNDER, device="cuda:0"), [Problem("double", "changed")], [], everybody=False)
    assert results(kept)["ada", "double"].stale == ("the problem", "the device")


def test_a_mark_counts_stays_through_regrades_and_leaves_a_history(kept):
    kept.keep("ada", "double", KEY, a_verdict(None))
    override = Mark("ada", "double", "", by_hand=False, points=1.5, reason="r", who="w", when="2026-11-30T10:00:00")
    kept.mark(override)
    kept.mark(replace(override, by_hand=True, points=3.0))
    kept.mark(replace(override, points=2.0))
    kept.keep("ada", "double", replace(KEY, problem="new"), a_verdict(0.5))
    (ada, _bob) = kept.run().students
    assert (ada.score, ada.points, ada.results[0].judged.score) == (5.0, 5.0, 0.5)
    kept.unmark(override, "a mistake")
    assert kept.run().student("ada").score == 3.5
    rows = kept.connection.execute("SELECT points, withdrawn FROM marks ORDER BY id").fetchall()
    assert [(points, bool(withdrawn)) for points, withdrawn in rows] == [(1.5, True), (3.0, False), (2.0, True)]


def test_lateness_is_taken_from_what_stands(tmp_path):
    with store.writing(tmp_path / "run") as kept:
        problem = Problem("double", "problem", examples=EXAMPLES)
        kept.begin(UNDER, [problem], [Seen("ada", "files", late=Lateness(90_000, 2, 0.5))], everybody=True)
        kept.keep("ada", "double", KEY, a_verdict(2.0))
        # Graded once more without an assignment: what was known of its lateness stays.
        kept.begin(UNDER, [problem], [Seen("ada", "files")], everybody=True)
        (ada,) = kept.run().students
    assert (ada.earned, ada.taken, ada.score) == (2.0, 1.0, 1.0)


def test_a_total_is_open_while_a_problem_of_the_run_is_not_judged(kept):
    begin(kept, "ada", slugs=("double", "triple"))
    kept.keep("ada", "double", KEY, a_verdict(2.0))
    ada = kept.run().student("ada")
    assert (ada.unjudged, ada.score) == (("triple",), None)
    with pytest.raises(UsageError, match="triple has not been judged yet for ada"):
        ada.result("triple")


# Files of other versions, and other files


VERSION_1 = """
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
INSERT INTO conditions VALUES
    ('tier', '2'), ('words', '"files cannot be read"'), ('missing', '[]'), ('device', '"cpu"'),
    ('dtype', '"float64"'), ('seed', '271828182845'), ('versions', '{"numpy": "2"}'), ('environment', '"{}"'),
    ('assignment', '""'), ('ignored', '[]'), ('finished', 'true');
INSERT INTO problems VALUES ('double', 1, 'problem', 0);
INSERT INTO examples VALUES
    ('double', 'problem', 'a_check', 0, x'6578616d706c65206f6e65'),
    ('double', 'problem', 'a_check', 1, x'6578616d706c652074776f'),
    ('double', 'problem', 'other', 0, x'');
INSERT INTO students VALUES ('ada', 'files', 'class/ada');
PRAGMA application_id = 1735549284;
PRAGMA user_version = 1;
"""


def of_version_1(folder):
    """Write a run as the first version wrote it, with one verdict."""
    folder.mkdir()
    connection = sqlite3.connect(folder / store.NAME)
    connection.executescript(VERSION_1)
    row = ("ada", "double", "files", "problem", "examples", "{}", "cpu", "float64", 2, documents.pack(a_verdict()), "t")
    connection.execute(f"INSERT INTO verdicts VALUES ({','.join('?' * len(row))})", row)
    connection.commit()
    connection.close()
    return folder / store.NAME


def test_a_run_of_an_older_version_is_read_as_it_is_and_brought_up_by_who_writes(tmp_path):
    path = of_version_1(tmp_path / "run")
    before = path.read_bytes()
    read = store.read(tmp_path / "run")
    assert path.read_bytes() == before
    with store.writing(tmp_path / "run") as kept:
        assert kept.run() == read
        assert schema.version(kept.connection) == schema.VERSION
        kept.keep("ada", "double", replace(KEY, submission="worse"), a_verdict(0.5))
        begin(kept, "ada", "bob")
    run = store.read(tmp_path / "run")
    ada = run.student("ada")
    assert (ada.results[0].judged, ada.results[0].waiting.score) == (a_verdict(), 0.5)
    assert (read.students[0].places, ada.present, run.examples) == (
        (Place(Path("class/ada")),),
        True,
        {"double": EXAMPLES},
    )


def test_a_migrated_file_has_the_very_tables_of_a_new_one(tmp_path):
    tables = []
    of_version_1(tmp_path / "old")
    for name in ("old", "new"):
        with store.writing(tmp_path / name) as kept:
            query = "SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY name"
            tables.append(kept.connection.execute(query).fetchall())
    assert tables[0] == tables[1]


def newer(path):
    with store.writing(path.parent) as kept:
        kept.connection.execute(f"PRAGMA user_version = {schema.VERSION + 1}")


def foreign(path):
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE recipes (name TEXT)")
    connection.close()


@pytest.mark.parametrize(
    ("write", "sentence"),
    [
        (newer, f"is of version {schema.VERSION + 1}, and this grader knows versions up to {schema.VERSION}"),
        (foreign, "is a database, but no run; it is left as it is"),
        (lambda path: path.write_text("Dear diary, " * 100), "it is no SQLite file, so it is no run"),
    ],
    ids=["newer", "foreign", "text"],
)
def test_a_file_that_is_no_run_of_ours_is_refused_and_left_as_it_is(tmp_path, write, sentence):
    path = tmp_path / "run" / store.NAME
    path.parent.mkdir()
    write(path)
    before = path.read_bytes()
    with pytest.raises(UsageError, match=sentence):
        store.read(path.parent)
    with pytest.raises(UsageError, match=sentence), store.writing(path.parent):
        pytest.fail("it was opened")
    assert path.read_bytes() == before


def test_an_empty_file_or_a_run_that_never_began_is_taken_up(tmp_path):
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / store.NAME).touch()
    with store.writing(tmp_path / "run"):
        pass
    with pytest.raises(UsageError, match="holds nothing yet: the run was stopped before it began"):
        store.read(tmp_path / "run")
    with store.writing(tmp_path / "run") as kept:
        begin(kept, "ada")


# Which journal


MOUNTS = """\
24 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw
30 24 0:27 / /home rw shared:5 - nfs4 server:/home rw
31 30 0:28 / /home/ada/with\\040blank rw - xfs /dev/sdb rw
32 24 0:29 / /data rw - xfs /dev/sdc rw
33 32 0:30 / /data rw master:3 propagate_from:2 - fuse.sshfs host: rw
a line that is none
"""


@pytest.mark.parametrize(
    ("folder", "journal"),
    [
        ("/srv/run", "WAL"),
        ("/home/ada/run", "DELETE"),
        ("/home/ada/with blank/run", "WAL"),
        ("/homes/ada/run", "WAL"),
        ("/data/run", "DELETE"),
    ],
)
def test_a_write_ahead_log_is_used_on_local_file_systems_alone(tmp_path, folder, journal):
    mounts = tmp_path / "mountinfo"
    mounts.write_text(MOUNTS, encoding="utf-8")
    assert volumes.journal(Path(folder), mounts) == journal
    assert volumes.journal(Path(folder), tmp_path / "absent") == "DELETE"


def test_the_journal_in_use_is_the_one_that_was_chosen(tmp_path, monkeypatch):
    for chosen in ("WAL", "DELETE"):
        monkeypatch.setattr(volumes, "journal", lambda _folder, chosen=chosen: chosen)
        with store.writing(tmp_path / "run") as kept:
            assert kept.connection.execute("PRAGMA journal_mode").fetchone()[0] == chosen.lower()
