"""A run that is taken up again: only what has changed is judged, and no kill costs a verdict or makes one twice.

The last test kills real graders at random moments. Eight kills here; GRADER_RUN_KILLS=100 asks for a hundred, and
GRADER_RUN_KILLS_SEED for other moments.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import sqlite3
import subprocess
from datetime import UTC, datetime
from types import SimpleNamespace

import pytest
from commands import SQUARES, grade, grade_json, hand_in, started
from courses import put, solution, tiny_course

from grader import canonical, classroom, judge, store, versions
from grader.verdict import Status

KILLS = int(os.environ.get("GRADER_RUN_KILLS", "8"))
MOMENTS = int(os.environ.get("GRADER_RUN_KILLS_SEED", "0"))
HALF = solution("double").replace("2 * x", "2 * np.abs(x)")  # two checks of three


@pytest.fixture(scope="module")
def once(tmp_path_factory):
    """A class of three, graded once: right, partly right, wrong."""
    folder = tmp_path_factory.mktemp("graded")
    course = tiny_course(folder, "double", "triple")
    students = hand_in(folder / "class", ada=solution("double"), bob=HALF, cy=SQUARES)
    put(students / "ada" / "triple.py", solution("triple"))
    grade("run", students, "-o", folder / "run", "--jobs", 1, "--seed", 7, course=course)
    return folder


@pytest.fixture
def graded(once, tmp_path):
    """Course, class and run for one test alone."""
    shutil.copytree(once, tmp_path, dirs_exist_ok=True)
    arguments = ("run", tmp_path / "class", "-o", tmp_path / "run", "--jobs", 1)
    return SimpleNamespace(
        course=tmp_path / "course", students=tmp_path / "class", run=tmp_path / "run", arguments=arguments
    )


def again(graded, *options, code=0):
    return grade(*graded.arguments, *options, course=graded.course, code=code)


def scores(graded):
    return {one.student: one.score for one in store.read(graded.run).students}


def change_problem(graded, slug="double"):
    statement = graded.course / "problems" / slug / "statement.md"
    statement.write_text(statement.read_text() + "\nIn other words.\n", encoding="utf-8")


def test_nothing_changed_so_nothing_is_judged(graded, monkeypatch):
    before = canonical.canonical(store.read(graded.run))
    monkeypatch.setattr(classroom, "judge_all", lambda *_: pytest.fail("judged something"))
    told = again(graded)
    assert "6 of 6 verdicts stand; 0 to judge." in told.err
    assert canonical.canonical(store.read(graded.run)) == before


def test_only_a_changed_submission_is_judged_again_on_the_same_examples(graded, monkeypatch):
    examples = store.read(graded.run).examples
    # A seed alone would not do: what is drawn from it depends on the modules that are loaded.
    monkeypatch.setattr(judge, "settled", lambda *_: pytest.fail("drew examples anew"))
    put(graded.students / "cy" / "double.py", solution("double"))
    told = again(graded)
    assert "4 of 6 verdicts stand; 2 to judge." in told.err
    assert "Moved: cy, double, from 0 to 4." in told.words
    assert scores(graded) == {"ada": 7, "bob": 2, "cy": 4}
    assert store.read(graded.run).examples == examples


def test_a_changed_problem_gets_new_examples_from_the_same_seed_and_says_so(graded, tmp_path):
    hidden = graded.course / "problems" / "double" / "hidden.py"
    hidden.write_text(hidden.read_text().replace("2.0, 9.0", "3.0, 8.0"), encoding="utf-8")
    before = store.read(graded.run).examples
    told = again(graded)
    assert "double has changed since it was judged: new examples are drawn, from the same seed." in told.err
    assert "3 of 6 verdicts stand; 3 to judge." in told.err
    after = store.read(graded.run).examples
    assert after["triple"] == before["triple"]
    assert after["double"]["doubles_any_array"] != before["double"]["doubles_any_array"]
    grade("run", graded.students, "-o", tmp_path / "other", "--seed", 7, course=graded.course)
    assert store.read(tmp_path / "other").examples == after


def test_what_was_not_judged_again_is_shown_as_stale(graded):
    change_problem(graded)
    told = again(graded, "--problem", "triple")
    assert "Stale, since the problem changed after judging: ada (double), bob (double), cy (double)." in told.words
    document = grade_json(*graded.arguments, "--problem", "triple", course=graded.course)
    assert document["stale"][0] == {"student": "ada", "problem": "double", "changed": ["the problem"]}
    assert (
        "Stale: the problem changed since this was judged."
        in grade("explain", graded.run, "ada", "double", course=graded.course).words
    )
    assert "stale" not in again(graded).out.lower()


def test_another_environment_is_judged_again_and_said(graded, monkeypatch):
    changed = versions.environment() | {"numpy": "0.1"}
    monkeypatch.setattr(versions, "environment", lambda: changed)
    told = again(graded)
    assert "is now 0.1: what is graded now is judged again." in told.err
    assert "verdicts stand" not in told.err


def test_a_lower_score_waits_and_comes_into_force_without_judging(graded, monkeypatch):
    put(graded.students / "ada" / "double.py", HALF)
    told = again(graded)
    assert "Kept: ada, double: 4 stands, since the later score of 2 is lower." in told.words
    document = grade_json(*graded.arguments, course=graded.course)
    assert document["moved"] == [{"student": "ada", "problem": "double", "before": 4, "after": 2, "kept": True}]
    waiting = document["students"][0]["verdicts"][0]["waiting"]
    assert (waiting["score"], waiting["points"]) == (2, 4)
    monkeypatch.setattr(classroom, "judge_all", lambda *_: pytest.fail("judged something"))
    assert "6 of 6 verdicts stand" in again(graded).err
    told = again(graded, "--allow-lower")
    assert "Moved: ada, double, from 4 to 2." in told.words
    assert scores(graded)["ada"] == 5  # 2 and 3


def test_what_was_changed_back_needs_no_judging_and_nothing_waits(graded):
    put(graded.students / "ada" / "double.py", HALF)
    again(graded)
    put(graded.students / "ada" / "double.py", solution("double"))
    # Of her two problems the other one was judged with the files that are gone again.
    assert "5 of 6 verdicts stand; 1 to judge." in again(graded).err
    (ada, *_) = store.read(graded.run).students
    assert [(result.stale, result.waiting) for result in ada.results] == [((), None)] * 2


def test_what_is_broken_is_judged_again_and_costs_no_score(graded):
    visible = graded.course / "problems" / "double" / "visible.py"
    sound = visible.read_text()
    visible.write_text(sound + "    raise RuntimeError('the author slept')\n", encoding="utf-8")
    told = again(graded)
    assert "Kept: ada, double: 4 stands, since judging it again failed through no fault of the student." in told.words
    assert scores(graded) == {"ada": 7, "bob": 2, "cy": 0}
    assert "5 of 6 verdicts stand; 1 to judge." in again(graded, code=0).err
    visible.write_text(sound, encoding="utf-8")
    told = again(graded)
    assert "Kept" not in told.words
    assert [result.waiting for one in store.read(graded.run).students for result in one.results] == [None] * 6


def test_who_is_gone_stays_and_is_listed_and_who_is_new_is_judged(graded):
    shutil.rmtree(graded.students / "bob")
    put(graded.students / "dee" / "double.py", solution("double"))
    told = again(graded)
    assert "Not found by the latest grading, so kept as judged before: bob." in told.words
    assert scores(graded) == {"ada": 7, "bob": 2, "cy": 0, "dee": 4}
    assert grade_json(*graded.arguments, course=graded.course)["absent"] == ["bob"]


def test_a_problem_added_later_leaves_totals_open_until_everybody_is_judged_on_it(tmp_path):
    course = tiny_course(tmp_path, "double", "triple")
    students = hand_in(tmp_path / "class", ada=solution("double"), bob=SQUARES)
    arguments = ("run", students, "-o", tmp_path / "run")
    grade(*arguments, "--problem", "double", course=course)
    told = grade(*arguments, "--problem", "triple", "--student", "ada", course=course)
    assert "Not judged yet: bob (triple)." in told.words
    assert [one.score for one in store.read(tmp_path / "run").students] == [4, None]
    grade(*arguments, course=course)
    assert [one.score for one in store.read(tmp_path / "run").students] == [4, 0]


def test_marks_by_hand_and_lateness_stay_through_a_regrade(graded):
    due = '[assignments.week1]\nproblems = ["double", "triple"]\ndue = 2020-01-01T00:00:00Z\n'
    put(graded.course / "course.toml", due + "[assignments.week1.late]\nper_day = 0.1\ncap = 0.5\n")
    handed_in = datetime(2020, 1, 2, 12, tzinfo=UTC).timestamp()
    put(graded.students.parent / "times.csv", "student,time\nada,2020-01-02T12:00:00Z\n")
    grade("mark", graded.run, "ada", "triple", 2, "--reason", "clear")
    change_problem(graded)
    told = again(graded, "--assignment", "week1", "--times", graded.students.parent / "times.csv")
    assert handed_in
    assert "Late: ada, 2 days late: 20 % off (1.8 of 9 points)." in told.words
    assert "Mark: ada, 2 points in triple marked by hand by " in told.words
    assert scores(graded)["ada"] == pytest.approx(7.2)
    document = grade_json(*graded.arguments, course=graded.course)
    assert (document["late"][0]["student"], document["late"][0]["days"]) == ("ada", 2)
    assert [mark["reason"] for mark in document["marks"]] == ["clear"]


def test_two_classes_graded_alike_have_one_canonical_text(graded, tmp_path):
    grade("run", graded.students, "-o", tmp_path / "other", "--seed", 7, "--jobs", 2, course=graded.course)
    texts = [canonical.canonical(store.read(folder)) for folder in (graded.run, tmp_path / "other")]
    assert texts[0] == texts[1]
    assert str(tmp_path) not in texts[0]


# Kills


def committed(folder):
    """Return every verdict in the file, with all that came with it, by its place in it."""
    try:
        connection = sqlite3.connect(f"file:{folder / store.NAME}?mode=rw", uri=True, timeout=30)
    except sqlite3.OperationalError:
        return {}
    try:
        return {row[0]: row for row in connection.execute("SELECT * FROM verdicts")}
    finally:
        connection.close()


def kill_until_done(arguments, folder, moments, tmp_path):
    """Start the command and kill it, again and again, until one comes to its end; return how many kills it took."""
    kills, longest = 0, 1.0
    while True:
        before = committed(folder)
        process = started(*arguments, cwd=tmp_path)
        try:
            process.communicate(timeout=moments.uniform(0, longest))
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.communicate()
            kills += 1
        after = committed(folder)
        same = {place: row for place, row in after.items() if place in before}
        assert {place: row[4:] for place, row in before.items()} == {place: row[4:] for place, row in same.items()}
        if process.returncode != -signal.SIGKILL:
            assert process.returncode == 0
            return kills
        # On a busy machine nothing may come of a start that is killed so early.
        longest *= 1.3 if len(after) == len(before) else 1.0


def test_graders_killed_at_random_moments_lose_nothing_and_judge_nothing_twice(tmp_path):
    course = tiny_course(tmp_path, "double", "triple")
    answers = (solution("double"), SQUARES, HALF, "def double(x): return 1 / 0", "def double(x): return 'two'")
    students = hand_in(tmp_path / "class", **{f"s{number:02}": answers[number % 5] for number in range(30)})
    run = ("--course", course, "run", students, "--jobs", 1 + MOMENTS % 2, "-o")
    # Both begin with the same stored examples: those of a run in which one student has been graded.
    grade("run", students, "--student", "s00", "-o", tmp_path / "prepared", course=course)
    moments, kills, rounds = random.Random(MOMENTS), 0, 0
    while kills < KILLS:
        rounds += 1
        for number in range(30):
            put(students / f"s{number:02}" / "double.py", answers[number % 5])
        for name in ("calm", "wild"):
            shutil.rmtree(tmp_path / name, ignore_errors=True)
            shutil.copytree(tmp_path / "prepared", tmp_path / name)
        grade(*run[2:], tmp_path / "calm", course=course)
        kills += kill_until_done((*run, tmp_path / "wild"), tmp_path / "wild", moments, tmp_path)
        demand_equal(tmp_path, total=60)
        for number in range(30):  # everybody hands in what somebody else did: scores rise, fall and stay
            put(students / f"s{number:02}" / "double.py", answers[(number + 1) % 5])
        grade(*run[2:], tmp_path / "calm", course=course)
        kills += kill_until_done((*run, tmp_path / "wild"), tmp_path / "wild", moments, tmp_path)
        demand_equal(tmp_path, total=120)


def demand_equal(tmp_path, total):
    calm, wild = store.read(tmp_path / "calm"), store.read(tmp_path / "wild")
    assert canonical.canonical(wild) == canonical.canonical(calm)
    assert wild.moved == calm.moved
    assert {result.judged.status for one in wild.students for result in one.results} > {Status.PASSED}
    rows = committed(tmp_path / "wild").values()
    assert len(rows) == total
    # Nothing twice: student, problem and submission.
    assert len({(row[1], row[2], row[4]) for row in rows}) == total
