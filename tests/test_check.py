"""``grade check``: a student's own work, on a machine that holds no hidden check and no reference."""

from __future__ import annotations

import contextlib
import json
import zipfile
from types import SimpleNamespace

import pytest
from commands import SQUARES, grade, grade_json
from courses import put, solution, student_course, tiny_course

from grader import course as courses
from grader import diagnose, isolation, practice, problem

NOTEBOOK = {
    "nbformat": 4,
    "nbformat_minor": 5,
    "metadata": {},
    "cells": [
        {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None, "id": "a", "source": text}
        for text in ("%matplotlib inline", "def double(x):\n    return 2 * x")
    ],
}


@pytest.fixture
def desk(tmp_path, monkeypatch):
    """A student's course, and the folder in which the student works."""
    course = student_course(tmp_path, "double", "triple")
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    return SimpleNamespace(course=course, work=work)


def test_right_work_passes(desk):
    put(desk.work / "double.py", solution("double"))
    told = grade("check", course=desk.course)
    assert "✓ The doubles of 1.5, -2 and 5 are 3, -4 and 10. 1/1" in told.words
    assert told.words.endswith("2 of 2 visible points. Further checks are made after hand-in.")


def test_wrong_work_is_told_what_and_where_with_its_own_output(desk):
    put(desk.work / "double.py", SQUARES.replace("    return", "    print('look')\n    return"))
    told = grade("check", "-v", course=desk.course, code=1).words
    assert "✗ failed: The doubles of 1.5, -2 and 5 are 3, -4 and 10. 0/1 [doubles_three_numbers]" in told
    assert "double(x) at [2]: got 25 wanted 10 off by 15, where 3.8e-05 is allowed wrong 3 of 3 numbers" in told
    assert "called with x = [1.5, -2, 5], shape (3,), float64" in told
    assert "Your code printed: | look" in told
    assert "Called: | double([1.5, -2, 5], shape (3,), float64) -> [2.25, 4, 25], shape (3,), float64" in told


def test_a_known_mistake_is_named_from_recorded_answers(desk, tmp_path):
    """A student's machine has no variants; what they answer to the visible checks' own calls is enough for a hint."""
    whole = courses.find(tiny_course(tmp_path / "instructor")).problem("double")
    put(desk.course / "problems" / "double" / "mistakes.json", diagnose.record(problem.load(whole)))
    put(desk.work / "double.py", SQUARES)
    checks = grade_json("check", course=desk.course, code=1)[0]["checks"]
    assert [check["hint"] for check in checks] == ["Is two a factor here, or a power?"] * 2
    assert not (desk.course / "reference").exists()


def test_a_drawn_check_that_fails_is_shrunk(desk):
    # Wrong for three numbers and more: the smallest failing example has three.
    put(desk.work / "double.py", "def double(x):\n    return x + x if len(x) < 3 else x\n")
    course = courses.find(desk.course)
    (found,) = practice.find(course, (), desk.work)
    survey = isolation.survey()
    with contextlib.closing(isolation.launcher(survey.layers)) as launcher:
        practised = practice.simplified(practice.judged(course, found, practice.Conditions(survey), launcher))
    closer = practised.closer["adds_to_itself"]
    assert closer.simplest
    assert closer.drawn["x"].shape == (3,)
    assert closer.miss.excerpt.shape == (3,)


def test_untouched_work_takes_a_line_a_problem(tmp_path, monkeypatch):
    course = student_course(tmp_path, "double", "triple")
    monkeypatch.chdir(course)  # in the course itself the template is meant
    lines = grade("check", code=1).out.splitlines()
    assert [line.strip() for line in lines[:2]] == [
        "- double: not attempted yet, 2 visible points",
        "- triple: not attempted yet, 3 visible points",
    ]


def test_what_is_worth_after_hand_in_is_known_where_the_hidden_checks_are(tmp_path):
    course = tiny_course(tmp_path, "double", "triple")
    put(tmp_path / "work" / "double.py", solution("double"))
    told = grade("check", tmp_path / "work", course=course)
    assert told.words.endswith("2 of 2 visible points. 2 points more are checked after hand-in.")
    assert "Any array is doubled" not in told.out


@pytest.mark.parametrize("form", ["slug", "file", "copy", "notebook", "archive", "module beside"])
def test_work_may_come_in_several_forms(desk, form):
    path = put(desk.work / "double.py", solution("double"))
    if form == "copy":
        path = path.rename(desk.work / "double (1).py")
    elif form == "notebook":
        path.unlink()
        path = put(desk.work / "double.ipynb", json.dumps(NOTEBOOK))
    elif form == "archive":
        with zipfile.ZipFile(desk.work / "mine.zip", "w") as packed:
            packed.write(path, "mine/double.py")
        path.unlink()
        path = desk.work / "mine.zip"
    elif form == "module beside":
        path = put(desk.work / "double.py", "from helper import double\n")
        put(desk.work / "helper.py", solution("double"))
    (verdict,) = grade_json("check", "double" if form == "slug" else path, course=desk.course)
    assert verdict["status"] == "PASSED"


def test_a_link_beside_the_work_is_left_aside(desk):
    put(desk.work / "double.py", solution("double"))
    (desk.work / "elsewhere.py").symlink_to("/nowhere/else.py")
    (desk.work / "helper.py").symlink_to(desk.work / "double.py")
    grade("check", course=desk.course)


def test_checks_are_chosen_by_name(desk):
    put(desk.work / "double.py", SQUARES)
    put(desk.work / "triple.py", solution("triple"))
    (verdict,) = grade_json("check", "-k", "three", course=desk.course, code=1)
    assert [check["name"] for check in verdict["checks"]] == ["doubles_three_numbers"]


def test_checking_stops_at_the_first_failure(desk):
    put(desk.work / "double.py", SQUARES)
    put(desk.work / "triple.py", solution("triple"))
    (verdict,) = grade_json("check", "-x", course=desk.course, code=1)
    assert [check["status"] for check in verdict["checks"]] == ["FAILED"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([], "no file here is named after a problem: looked in"),
        (["quadruple"], "'quadruple' is neither a file nor a problem of this course; its problems: double, triple"),
        (["double"], "there is no double.py or double.ipynb in"),
        (["notes.py"], "notes.py is named after no problem of this course; its problems: double, triple"),
        (["empty"], "empty holds no file named after a problem; looked for double.py, triple.py"),
        (["--watch", "--json"], "--watch prints again and again, and --json one document; choose one of them"),
        (["--device", "gpu"], "no file here"),
    ],
    ids=str,
)
def test_nothing_to_check_is_a_sentence(desk, arguments, sentence):
    put(desk.work / "notes.py", "")
    (desk.work / "empty").mkdir()
    told = grade("check", *arguments, course=desk.course, code=2).err
    assert told.startswith("Error: ")
    assert sentence in told


def test_an_unknown_check_is_named_with_those_that_there_are(desk):
    put(desk.work / "double.py", SQUARES)
    assert grade("check", "-k", "nine", course=desk.course, code=2).err == (
        "Error: no visible check has 'nine' in its name; there are doubles_three_numbers, adds_to_itself\n"
    )


def test_an_unknown_device_is_said(desk):
    put(desk.work / "double.py", SQUARES)
    assert (
        "--device 'gpu' is no device; give cpu, cuda, cuda:N or auto"
        in grade("check", "--device", "gpu", course=desk.course, code=2).err
    )


def test_a_problem_that_is_broken_has_its_own_exit_code(desk):
    visible = desk.course / "problems" / "double" / "visible.py"
    visible.write_text("def", encoding="utf-8")
    put(desk.work / "double.py", SQUARES)
    put(desk.work / "triple.py", solution("triple"))
    told = grade("check", course=desk.course, code=3)
    assert told.err == "Error: problems/double/visible.py, line 1: SyntaxError: invalid syntax (visible.py, line 1)\n"
    assert "✓ Three times two is six. 3/3" in told.words
    assert "3 of 3 visible points." in told.words
