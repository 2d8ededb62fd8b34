"""Marks leave nbgrader's gradebook only if we have given them, or a person has."""

from __future__ import annotations

import csv
import io
import json
import shutil
import warnings
from pathlib import Path

import pytest
from commands import grade
from courses import put

from grader.errors import UsageError
from grader.export import Wish
from grader.notebook import cells, export, installed
from grader.notebook.stamp import Seal, Stamp
from grader.results import Conditions, Run

pytest.importorskip("nbgrader")

SEED = 7
FIRST, SECOND = (cells.check("double", name, visible=True) for name in ("one", "two"))
MARKING = cells.marking("double")
POINTS = {FIRST: 1.0, SECOND: 3.0}
SCORES = {"ada": {FIRST: 1.0, SECOND: 3.0}, "bob": {FIRST: 0.5, SECOND: 0.0}}


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    """A nbgrader course with a graded notebook of two students; a third has handed in nothing."""
    nb = tmp_path_factory.mktemp("course") / "nb"
    put(nb / "nbgrader_config.py", "c = get_config()\n")
    put(nb / "grader-runs" / "week1" / "run.sqlite", "")  # read by nobody here
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # nbgrader's own use of its database
        patch.setenv("PATH", installed.environment()["PATH"])  # nbgrader starts alembic for a new gradebook
        _fill(nb)
    for student, scores in SCORES.items():
        _write(nb, student, {cell: _stamp(student, cell, score) for cell, score in scores.items()})
    return nb


def _fill(nb):
    with _book(nb) as book:
        book.add_assignment("week1")
        book.add_notebook("double", "week1")
        for cell, points in POINTS.items():
            book.add_grade_cell(cell, "double", "week1", max_score=points, cell_type="code")
            book.add_source_cell(cell, "double", "week1", cell_type="code", locked=True, source="%grade")
        book.add_grade_cell(MARKING, "double", "week1", max_score=2.0, cell_type="markdown")
        book.add_solution_cell(MARKING, "double", "week1")
        for student in ("ada", "bob", "eve"):
            book.add_student(student, last_name="=1+1" if student == "bob" else None)
        for student, scores in SCORES.items():
            book.add_submission("week1", student)
            for cell, score in {**scores, MARKING: 0.0}.items():
                found = book.find_grade(cell, "double", "week1", student)
                found.auto_score, found.needs_manual_grade = score, False
        book.db.commit()


def _book(nb):
    from nbgrader.api import Gradebook

    return Gradebook(f"sqlite:///{nb / 'gradebook.db'}", "")


def _stamp(student, cell, score, *, notebook="double", seed=SEED):
    about = {"student": student, "assignment": "week1", "notebook": notebook, "cell": cell}
    stamp = Stamp(**about, status="PASSED", score=score, points=POINTS[cell], key="k", grader="1")
    return Seal(seed).pressed(stamp)


def _write(nb, student, stamps):
    made = [
        {
            "cell_type": "code",
            "metadata": {"nbgrader": {"grade_id": cell, "grade": True}} | ({"grader": stamp} if stamp else {}),
            "source": "%grade",
            "outputs": [],
            "execution_count": None,
        }
        for cell, stamp in stamps.items()
    ]
    text = json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": made})
    return put(nb / "autograded" / student / "week1" / "double.ipynb", text)


@pytest.fixture
def nb(graded, tmp_path, monkeypatch):
    under = Conditions(3, "", (), "cpu", "float64", SEED, {}, "")
    monkeypatch.setattr(export.store, "read", lambda folder: Run(str(folder), under, {}, (), {}, ()))
    return Path(shutil.copytree(graded, tmp_path / "nb"))


def change(nb, student="ada", cell=FIRST, **columns):
    with _book(nb) as book:
        found = book.find_grade(cell, "double", "week1", student)
        for name, value in columns.items():
            setattr(found, name, value)
        book.db.commit()


def rows(made):
    return {row["student_id"]: row for row in csv.DictReader(io.StringIO(made.content.decode()))}


def test_marks_that_we_have_given_are_written_with_nbgraders_titles(nb):
    made = export.export("week1", nb)
    found = rows(made)
    assert made.unstamped == ()
    assert tuple(found["ada"]) == export.TITLES
    assert [found[name]["score"] for name in ("ada", "bob", "eve")] == ["4", "0.5", ""]
    assert {row["max_score"] for row in found.values()} == {"6"}
    assert made.notes == ("No score, nothing was handed in: eve.",)
    assert found["bob"]["last_name"] == "'=1+1"  # no spreadsheet runs it


def test_nbgraders_own_export_has_the_same_marks(nb):
    from nbgrader.plugins import CsvExportPlugin

    with _book(nb) as book:
        CsvExportPlugin(to=str(nb / "own.csv")).export(book)
    text = (nb / "own.csv").read_text(encoding="utf-8")
    theirs = {row["student_id"]: row for row in csv.DictReader(io.StringIO(text))}
    ours = rows(export.export("week1", nb))
    assert {name: float(row["score"] or 0) for name, row in ours.items()} == {
        name: float(row["score"]) for name, row in theirs.items()
    }


def test_what_a_person_gave_counts_and_what_nobody_gave_yet_leaves_the_cell_empty(nb):
    change(nb, cell=MARKING, manual_score=1.5)
    change(nb, "bob", MARKING, auto_score=None, needs_manual_grade=True)
    made = export.export("week1", nb)
    assert [rows(made)[name]["score"] for name in ("ada", "bob")] == ["5.5", ""]
    assert f"No score of bob: to be marked by hand, {MARKING}." in made.notes


def test_a_penalty_is_taken_off_as_nbgrader_does(nb):
    with _book(nb) as book:
        book.find_submission_notebook("double", "week1", "ada").late_submission_penalty = 1.0
        book.db.commit()
    row = rows(export.export("week1", nb))["ada"]
    assert (row["raw_score"], row["late_submission_penalty"], row["score"]) == ("4", "1", "3")


def test_a_score_given_by_a_person_over_ours_is_the_persons(nb):
    change(nb, "bob", SECOND, manual_score=3.0)
    assert rows(export.export("week1", nb))["bob"]["score"] == "3.5"


CANVAS = """\
Student,ID,SIS Login ID,week1 (9)
    Points Possible,,,6
"Lovelace, Ada",1,ada,
"Babbage, Bob",2,bob,
"Noether, Eve",3,eve,
"""


def test_a_column_of_canvas_is_filled_and_all_else_is_as_it_was(nb):
    change(nb, "bob", MARKING, auto_score=None, needs_manual_grade=True)
    change(nb, cell=MARKING, manual_score=1.5)
    made = export.export("week1", nb, Wish("canvas", put(nb / "gradebook.csv", CANVAS), "week1"))
    assert made.content.decode() == CANVAS.replace("1,ada,", "1,ada,5.5")
    assert "No score (a part marked by hand is pending): bob." in made.notes
    assert "No score (nothing was handed in): eve." in made.notes
    assert not any("possible" in note for note in made.notes)


def test_a_table_for_moodle(nb):
    made = export.export("week1", nb, Wish("moodle"))
    found = {row["Username"]: row for row in csv.DictReader(io.StringIO(made.content.decode()))}
    assert {name: row["Grade"] for name, row in found.items()} == {"ada": "4", "bob": "0.5", "eve": ""}
    assert found["bob"]["Feedback comments"] == "week1: 0.5 of 6 points"


def test_the_file_that_is_filled_is_never_written_over(nb):
    roster = put(nb / "gradebook.csv", CANVAS)
    about = ("--format", "canvas", "--roster", roster, "--column", "week1", "--folder", nb)
    grade("nbgrader", "export", "week1", "-o", roster, *about, code=2)
    assert roster.read_text(encoding="utf-8") == CANVAS
    with pytest.raises(UsageError, match="csv fills no file"):
        export.export("week1", nb, Wish("csv", roster))


@pytest.mark.parametrize(
    "stamp",
    [
        None,
        {"stamp": "yes"},
        {"stamp": {"score": 1.0, "seal": "0" * 64}},
        _stamp("ada", FIRST, 1.0, seed=8),
        _stamp("bob", FIRST, 1.0),
        _stamp("ada", FIRST, 1.0, notebook="triple"),
        _stamp("ada", SECOND, 3.0),
        {"stamp": {**_stamp("ada", FIRST, 0.0)["stamp"], "score": 1.0}},
    ],
    ids=["none", "text", "forged", "another run's", "another's", "of another notebook", "of another cell", "changed"],
)
def test_a_stamp_that_is_not_ours_for_this_very_cell_is_none(nb, stamp):
    _write(nb, "ada", {FIRST: stamp, SECOND: _stamp("ada", SECOND, 3.0)})
    made = export.export("week1", nb)
    assert [(one.student, one.cell, one.why) for one in made.unstamped] == [("ada", FIRST, "was not graded by us")]
    assert made.content == b""


def test_a_score_that_somebody_wrote_into_the_gradebook_is_named(nb):
    change(nb, "bob", SECOND, auto_score=3.0)
    (one,) = export.export("week1", nb).unstamped
    assert one.student == "bob"
    assert one.why == "has 3 of 3 in the gradebook and was graded 0 of 3"


def test_a_cell_that_is_there_twice_counts_as_unstamped(nb):
    path = _write(nb, "ada", {cell: _stamp("ada", cell, score) for cell, score in SCORES["ada"].items()})
    notebook = json.loads(path.read_text(encoding="utf-8"))
    notebook["cells"] += notebook["cells"][:1]
    path.write_text(json.dumps(notebook), encoding="utf-8")
    assert [one.cell for one in export.export("week1", nb).unstamped] == [FIRST]


def test_points_without_a_graded_notebook_are_named_and_none_are_nothing(nb):
    for student in SCORES:
        shutil.rmtree(nb / "autograded" / student)
    change(nb, "bob", auto_score=0.0)
    made = export.export("week1", nb)
    assert [(one.student, one.cell) for one in made.unstamped] == [("ada", FIRST), ("ada", SECOND)]
    assert made.unstamped[0].why == "has 1 points and no graded notebook"


def test_the_command_writes_the_table_or_names_each_cell_and_writes_nothing(nb):
    out = nb / "marks.csv"
    said = grade("nbgrader", "export", "week1", "-o", out, "--folder", nb)
    assert "ada" in out.read_text(encoding="utf-8")
    assert "nothing was handed in: eve" in said.err
    change(nb, "bob", SECOND, auto_score=3.0)
    out.unlink()
    said = grade("nbgrader", "export", "week1", "-o", out, "--folder", nb, code=1)
    assert f"bob: {SECOND} has 3 of 3 in the gradebook" in said.err
    assert "nbgrader autograde week1 --force" in said.err
    assert not out.exists()


def test_an_assignment_that_is_not_there_is_said(nb):
    with pytest.raises(UsageError, match="no assignment 'week9'; it has week1"):
        export.export("week9", nb)


def test_an_assignment_that_we_have_not_graded_is_said(nb):
    (nb / "grader-runs" / "week1" / "run.sqlite").unlink()
    with pytest.raises(UsageError, match="run: grade nbgrader autograde week1"):
        export.export("week1", nb)


def test_a_graded_notebook_that_cannot_be_read_is_said(nb):
    put(nb / "autograded" / "ada" / "week1" / "double.ipynb", "{")
    with pytest.raises(UsageError, match="cannot be read"):
        export.export("week1", nb)
