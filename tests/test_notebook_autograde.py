"""``grade nbgrader autograde``: a class judged in parallel, and nbgrader has the marks as if it had done so itself."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from commands import ROOT, grade, grade_json
from taught import NAME, SQUARE, Taught, cell_of, needs_nbgrader

from grader import store
from grader.notebook import autograde, cells, installed
from grader.notebook.autograde import Wish
from grader.notebook.judging import RUNS

ANY = cells.called("double", "doubles_any_array", visible=False)

pytestmark = needs_nbgrader


@pytest.fixture
def taught(tmp_path, monkeypatch):
    """A course with a class of three; nothing of the virtual environment is on the path."""
    own = os.path.dirname(sys.executable)  # noqa: PTH120 - as it is written on the path
    monkeypatch.setenv("PATH", os.pathsep.join(one for one in os.environ["PATH"].split(os.pathsep) if one != own))
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    taught = Taught.shared().copied(tmp_path)
    taught.hand_in("ada", double=taught.answered("double"), triple=taught.answered("triple", marking="So."))
    taught.hand_in("bob", double=taught.answered("double", SQUARE), triple=taught.answered("triple"))
    taught.hand_in("eve", double=taught.answered("double", "import os\ndef double(x):\n    os._exit(0)\n"))
    return taught


def graded(taught, *arguments, code=0):
    return grade("nbgrader", "autograde", NAME, "--folder", taught.root, *arguments, code=code)


def marks(taught):
    return {
        (student, slug): taught.grades(student, slug)
        for student in ("ada", "bob", "eve")
        for slug in ("double", "triple")
    }


def pages(taught):
    return {
        (student, slug): taught.graded(student, slug)["cells"]
        for student in ("ada", "bob", "eve")
        for slug in ("double", "triple")
    }


def test_the_marks_are_those_of_nbgrader_alone_and_what_is_unchanged_is_left(taught):
    assert "nbgrader records 1 of 1 student." in graded(taught, "--student", "ada").err
    alone = store.read(taught.root / RUNS / NAME)
    first = graded(taught)
    assert "nbgrader records 2 of 3 students." in first.err
    everybody = store.read(taught.root / RUNS / NAME)
    assert [one.student for one in everybody.students] == ["ada", "bob", "eve"]
    assert everybody.examples == alone.examples
    mine, shown = marks(taught), pages(taught)
    assert mine["ada", "double"][f"check--{ANY}"] == (2.0, None, False)
    assert mine["ada", "triple"]["marking--1"] == (None, None, True)

    taught.nbgrader("autograde", NAME, "--force")  # nbgrader's own command, on everybody again
    assert (marks(taught), pages(taught)) == (mine, shown)


def test_what_cannot_be_judged_or_recorded_is_told_by_name(taught):
    hidden = taught.course / "problems" / "double" / "hidden.py"
    text = hidden.read_text(encoding="utf-8")
    hidden.write_text(text.replace("reference.double(x))", "1 / 0)"), encoding="utf-8")
    (taught.root / "submitted" / "bob" / NAME / "timestamp.txt").write_text("soon", encoding="utf-8")
    done = grade_json("nbgrader", "autograde", NAME, "--folder", taught.root, code=3)
    assert done["nbgrader"]["not_recorded"] == ["bob"]
    assert [one["score"] for one in done["students"][0]["verdicts"]] == [None, 3.0]
    assert taught.grades("ada", "double")[f"check--{ANY}"] == (None, None, True)
    log = taught.root / RUNS / NAME / "nbgrader.log"
    assert "There was an error processing assignment" in log.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["week9"], "the gradebook has no assignment 'week9'; it has week1; run: nbgrader generate_assignment week9"),
        ([NAME, "--student", "nobody"], "nobody has handed in 'week1'"),
    ],
)
def test_what_is_not_there_is_said(taught, arguments, said):
    assert said in grade("nbgrader", "autograde", *arguments, "--folder", taught.root, code=2).err


def test_a_folder_without_our_lines_is_refused(tmp_path):
    said = grade("nbgrader", "autograde", NAME, "--folder", tmp_path, code=2).err
    assert "nbgrader_config.py does not make nbgrader grade with us" in said


def test_a_course_without_a_gradebook_is_refused(taught):
    (taught.root / "gradebook.db").unlink()
    said = graded(taught, code=2).err
    assert f"there is no gradebook {taught.root / 'gradebook.db'}; run: nbgrader generate_assignment {NAME}" in said
    assert not (taught.root / "gradebook.db").exists()


def test_a_new_gradebook_is_made_where_no_virtual_environment_is_activated(taught):
    (taught.root / "gradebook.db").unlink()
    path = os.pathsep.join(["/usr/bin", "/bin"])
    done = subprocess.run(
        installed.command("generate_assignment", NAME, "--force"),
        cwd=taught.root, env={**os.environ, "PATH": path}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert (taught.root / "gradebook.db").exists()


def test_another_nbgrader_is_refused(taught, monkeypatch):
    monkeypatch.setattr(installed, "version", lambda: "0.8.1")
    assert "nbgrader 0.8.1 is installed, but only 0.9.x is known here" in graded(taught, code=2).err


def test_interrupted_while_nbgrader_records_it_ends_nbgrader_and_goes_on_later(taught):
    wish = Wish(taught.root, NAME)
    desk, terms = autograde.opened(wish)
    from grader import grading

    with grading.prepared(desk.request(terms)) as prepared:
        desk.take(grading.grade(prepared, progress=lambda *_: None))

    def stop(_student):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        autograde.record(desk, wish, stop)
    taught.nbgrader("autograde", NAME)
    assert taught.score("ada", "double") == 4.0
    assert (
        cell_of(taught.graded("bob", "double"), f"double--check--{ANY}")["metadata"]["grader"]["stamp"]["score"] == 0.0
    )
