"""What students hand in and what happens in a class, through nbgrader's own autograde, with our adapter and without."""

from __future__ import annotations

import csv
import io
import re

import pytest
from nbgrader_inputs import table
from nbgrader_inputs.outcomes import LAST, error, seen
from nbgrader_inputs.situations import ANY, SITUATIONS, Paper
from nbgrader_inputs.stock import Stock, source

from grader.notebook import export

pytest.importorskip("nbgrader")

EACH = pytest.mark.parametrize("situation", SITUATIONS, ids=lambda one: f"{one.number}-{one.name}")
MEMORY = {"10c", "11b"}  # which limit is met first is the machine's business


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("inputs")


@pytest.fixture(scope="module")
def found(folder):
    """What every student has after the class was graded, in one nbgrader course."""
    from nbgrader_inputs import ours

    return ours.graded(folder)


@EACH
def test_every_student_has_the_points_of_the_answer(found, situation):
    outcome = found[situation.number]
    assert outcome.marks == {"double": (situation.points, 4.0, 0), "triple": (3.0, 3.0, 0)}, outcome
    assert outcome.graded


def test_who_comes_after_everybody_is_graded_as_well(found, folder):
    assert found
    last = seen(folder / "nbgrader", LAST)
    assert last.marks == {"double": (4.0, 4.0, 0), "triple": (3.0, 3.0, 0)}


@EACH
def test_the_page_says_what_is_seen(found, situation):
    page = rows(table.told(table.PAGE.read_text(encoding="utf-8")))
    wanted = rows(table.lines({number: table.pair(outcome) for number, outcome in found.items()}))
    assert page.keys() == wanted.keys()
    if situation.number in MEMORY:
        assert "memory" in found[situation.number].told
    else:
        assert page[situation.number] == wanted[situation.number]


def rows(lines):
    """Return rows of the table by their numbers, without places in a file, which every edit of a notebook moves."""
    return {line.split(" | ")[0].strip("| "): re.sub(r"(byte|line|cell) [0-9:]+", r"\1 #", line) for line in lines}


def test_all_of_the_eighteen_are_there_and_each_was_seen_without_us():
    assert {one.number.rstrip("abcd") for one in SITUATIONS} == {f"{number}" for number in range(1, 19)}
    assert list(table.stock()["seen"]) == [one.number for one in SITUATIONS]


@EACH
def test_a_situation_is_the_same_each_time_and_another_than_a_right_answer(situation):
    released = source("double")
    once, again = (situation.make(Paper(released)) for _ in range(2))
    assert once == again
    later = situation.second and situation.second(Paper(released))
    plain = Paper(released).answered().files()
    assert (once, later) != (plain, None) or situation.change or situation.stock != "usual"


@pytest.mark.parametrize("number", ["1"])
def test_nbgrader_alone_does_what_the_page_says(number, tmp_path):
    (situation,) = (one for one in SITUATIONS if one.number == number)
    outcome = Stock(tmp_path).outcome(situation)
    assert table.stock()["seen"][number] == {"marks": outcome.sentence, "told": outcome.told}


def test_an_error_is_found_in_a_log_whoever_tells_it():
    raised = (
        "[AutogradeApp | ERROR] Traceback (most recent call last):\n    raise ValueError(x)\n    a.b.OwnError: no: it\n"
    )
    assert error(raised) == "OwnError: no: it"
    assert error("[AutogradeApp | ERROR] There was an error\n[AutogradeApp | ERROR] Old version \n") == "Old version"
    assert error("[AutogradeApp | WARNING] ValueError: x\n") == ""


def test_the_hidden_test_is_told_by_no_name(found, folder):
    assert found
    text = (folder / "nbgrader" / "release" / "week1" / "double.ipynb").read_text(encoding="utf-8")
    assert ANY in text
    assert "doubles_any_array" not in text


def test_all_of_these_marks_are_ours_and_can_be_exported(found, folder):
    made = export.export("week1", folder / "nbgrader")
    assert (made.unstamped, made.notes) == ((), ())
    marks = {row["student_id"]: float(row["score"]) for row in csv.DictReader(io.StringIO(made.content.decode()))}
    assert marks == {LAST: 7.0} | {one.student: one.points + 3 for one in SITUATIONS}
    assert len(marks) == len(found) + 1
