"""``grade mark``: points by hand and overrides, in range, with a reason, kept and shown."""

from __future__ import annotations

import getpass
from types import SimpleNamespace

import pytest
from commands import SQUARES, grade, grade_json, hand_in
from courses import solution, tiny_course

from grader import marks, store


@pytest.fixture(scope="module")
def once(tmp_path_factory):
    folder = tmp_path_factory.mktemp("marked")
    course = tiny_course(folder, "double", "triple")
    students = hand_in(folder / "class", ada=solution("double"), bob=SQUARES)
    grade("run", students, "-o", folder / "run", "--jobs", 1, course=course)
    return SimpleNamespace(course=course, students=students, run=folder / "run")


@pytest.fixture
def run(once, tmp_path):
    """A run of two, for this test alone."""
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / store.NAME).write_bytes((once.run / store.NAME).read_bytes())
    return tmp_path / "run"


def student(run, name):
    return store.read(run).student(name)


def test_a_slug_alone_means_the_part_that_is_marked_by_hand(run, monkeypatch):
    monkeypatch.setattr(getpass, "getuser", lambda: "grace")
    told = grade("mark", run, "ada", "triple", 1.5, "--reason", "half explained").words
    assert told.startswith("ada: 1.5 points in triple marked by hand by grace, 20")
    assert told.endswith(": half explained. Total: 5.5/9, was 4/7.")
    (mark,) = store.read(run).marks
    assert (mark.by_hand, mark.check, mark.points, mark.reason, mark.who) == (True, "", 1.5, "half explained", "grace")


def test_without_such_a_part_a_slug_means_what_was_judged(run):
    grade("mark", run, "bob", "double", 3, "--reason", "the hidden check was wrong")
    bob = student(run, "bob")
    assert (bob.score, bob.points, bob.results[0].judged.score) == (3, 7, 0)


def test_a_judged_score_beside_a_part_by_hand_is_overridden_on_demand(run):
    told = grade("mark", run, "ada", "triple", 3, "--reason", "r", code=2).err
    assert "is worth 2, and 3 is more; to override what was judged, worth 3, add --override" in told
    grade("mark", run, "ada", "triple", 3, "--override", "--reason", "r")
    grade("mark", run, "ada", "triple", 2, "--reason", "r")
    ada = student(run, "ada")
    assert (ada.score, ada.points) == (9, 9)


def test_one_check_is_overridden_and_shown_as_such(run, once):
    grade("mark", run, "bob", "double::doubles_any_array", 2, "--reason", "nearly")
    assert student(run, "bob").score == 2
    told = grade("explain", run, "bob", "double", course=once.course).words
    assert "Judged 0/4; overridden by hand." in told
    assert "2 points in double::doubles_any_array overridden by" in told
    assert ": nearly" in told
    table = grade("run", once.students, "-o", run, course=once.course).words
    assert "2/4 marked" in table
    assert "Mark: bob, 2 points in double::doubles_any_array overridden by" in table


def test_a_mark_takes_the_place_of_the_one_before_and_can_be_withdrawn(run):
    grade("mark", run, "ada", "triple", 1, "--reason", "first")
    told = grade("mark", run, "ada", "triple", 2, "--reason", "second").words
    assert "In place of: 1 point in triple marked by hand by" in told
    assert [mark.reason for mark in store.read(run).marks] == ["second"]
    told = grade("mark", run, "ada", "triple", "--remove").words
    assert "withdrawn. Total: 4/7, was 6/9." in told
    assert store.read(run).marks == ()
    told = grade("mark", run, "ada", "triple", "--remove", code=2).err
    assert told == "Error: ada has no such mark in triple; marks there: none\n"


def test_removing_means_the_mark_that_is_there(run):
    grade("mark", run, "ada", "triple", 3, "--override", "--reason", "r")
    grade("mark", run, "ada", "triple", "--remove")
    grade("mark", run, "ada", "triple", 3, "--override", "--reason", "r")
    grade("mark", run, "ada", "triple", 2, "--reason", "r")
    grade("mark", run, "ada", "triple", "--remove", "--override")
    assert [mark.by_hand for mark in store.read(run).marks] == [True]


def test_an_override_heals_what_could_not_be_judged(once, tmp_path):
    course = tiny_course(tmp_path)
    visible = course / "problems" / "double" / "visible.py"
    visible.write_text(visible.read_text() + "    raise RuntimeError('the author slept')\n", encoding="utf-8")
    arguments = ("run", once.students, "-o", tmp_path / "run")
    grade(*arguments, course=course, code=3)
    assert student(tmp_path / "run", "ada").score is None
    grade("mark", tmp_path / "run", "ada", "double::adds_to_itself", 1, "--reason", "read it")
    assert student(tmp_path / "run", "ada").score == 4
    told = grade(*arguments, course=course)  # exit code 0: everybody has a score
    assert "Not judged" not in told.words


def test_a_bonus_is_given_on_demand(run):
    grade("mark", run, "ada", "double", 5, "--extra", "--reason", "found an error in the text")
    assert student(run, "ada").score == 5


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["Ada", "double", 1], "the run has no student 'Ada'; did you mean ada?"),
        (["ada", "quadruple", 1], "the run did not judge 'quadruple'; it judged double, triple"),
        (["ada", "double::adds_itself", 1], "double has no check 'adds_itself'; did you mean adds_to_itself"),
        (["ada", "double::", 1], "double has no check ''; it has 3, such as doubles_three_numbers"),
        (["ada", "double", 4.5], "what is judged of double is worth 4, and 4.5 is more; to give more all the same add"),
        (["ada", "double::adds_to_itself", 2], "double::adds_to_itself is worth 1, and 2 is more"),
        (["--", "ada", "double", -1], "points are 0 or more; got -1"),
        (["ada", "double", "nan"], "points are 0 or more; got nan"),
        (["ada", "double", "lots"], "'lots' is not a valid float"),
        (["ada", "double"], "give either POINTS or --remove"),
        (["ada", "double", 1, "--remove"], "give either POINTS or --remove"),
        (["ada", "double", 1, "--reason", " "], "a mark needs a reason, for whoever asks about it later"),
    ],
    ids=str,
)
def test_what_cannot_be_marked_is_a_sentence_and_changes_nothing(run, arguments, sentence):
    before = store.read(run)
    told = grade("mark", "--reason", "r", run, *arguments, code=2).err
    assert sentence in told
    assert store.read(run) == before


def test_a_mark_needs_a_run(tmp_path):
    told = grade("mark", tmp_path / "none", "ada", "double", 1, "--reason", "r", code=2).err
    assert "is no run (there is no such file); give the folder that grade run -o wrote" in told
    assert not (tmp_path / "none").exists()
    with store.writing(tmp_path / "empty"):
        pass
    told = grade("mark", tmp_path / "empty", "ada", "double", 1, "--reason", "r", code=2).err
    assert "holds nothing to mark yet; grade first" in told


def test_somebody_without_a_name_marks_too(monkeypatch):
    def nobody():
        raise KeyError("getpwuid(): uid not found: 1234")

    monkeypatch.setattr(getpass, "getuser", nobody)
    assert marks.who() == "somebody whom the system has no name for"


def test_a_mark_as_json_is_the_student_as_it_stands(run):
    document = grade_json("mark", run, "ada", "triple", 2, "--reason", "r")
    assert (document["student"], document["score"], document["points"]) == ("ada", 6, 9)
    assert document["verdicts"][1]["by_hand"] == 2
