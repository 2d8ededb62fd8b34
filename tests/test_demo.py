"""The demo's class: known answers, the same every time, and nobody's folder is written over."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner
from courses import put, solution, student_course, tiny_course

from grader import course as courses
from grader import demo
from grader.cli import main
from grader.errors import CourseError, UsageError


@pytest.fixture
def course(tmp_path):
    return courses.find(tiny_course(tmp_path, "double", "triple"))


def by_student(handed_in, slug):
    return {one.student: one for one in handed_in if one.slug == slug}


def test_everybody_hands_in_something_known(course):
    found = by_student(demo.hand_ins(course), "double")
    assert tuple(found) == demo.STUDENTS
    assert {one.candidate for one in found.values()} == {
        "reference", "stub", "nothing", "by_adding", "squares", "forgets_signs", "skips_the_first"
    }  # fmt: skip
    assert found[demo.STUDENTS[0]].text == solution("double")
    assert found[demo.STUDENTS[-2]].text is None
    assert "raise NotImplementedError" in found[demo.STUDENTS[-1]].text


def test_a_problem_without_right_variants_has_its_reference_in_their_place(course):
    found = by_student(demo.hand_ins(course), "triple")
    assert {one.candidate for one in found.values()} == {"reference", "stub", "cubes"}


def test_a_demo_is_the_same_every_time(course):
    assert demo.hand_ins(course) == demo.hand_ins(course)


def test_a_demo_needs_worked_solutions(tmp_path):
    with pytest.raises(CourseError, match=r"a demo is made of worked solutions, and there is none in .*reference"):
        demo.hand_ins(courses.find(student_course(tmp_path)))


def test_the_class_lies_there_with_its_key(course, tmp_path):
    handed_in = demo.hand_ins(course)
    students = demo.write(tmp_path / "demo", handed_in)
    names = {path.name for path in students.iterdir()}
    assert names == set(demo.STUDENTS)
    assert not (students / demo.STUDENTS[-2] / "double.py").exists()
    key = (tmp_path / "demo" / demo.MARK).read_text(encoding="utf-8")
    assert all(f"{one.kind:8} {one.candidate}" in key for one in handed_in)


def test_an_earlier_demo_is_written_over(course, tmp_path):
    handed_in = demo.hand_ins(course)
    students = demo.write(tmp_path / "demo", handed_in)
    put(students / demo.STUDENTS[0] / "double.py", "changed")
    put(students / demo.STUDENTS[-2] / "double.py", "no longer missing")
    demo.write(tmp_path / "demo", handed_in)
    assert (students / demo.STUDENTS[0] / "double.py").read_text(encoding="utf-8") == solution("double")
    assert not (students / demo.STUDENTS[-2] / "double.py").exists()


def test_nothing_else_is_written_over(course, tmp_path):
    put(tmp_path / "mine" / "thesis.tex", "years of work")
    with pytest.raises(UsageError, match=r"mine is not empty and no earlier demo; name a new folder"):
        demo.write(tmp_path / "mine", demo.hand_ins(course))
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["thesis.tex"]
    with pytest.raises(UsageError, match=r"thesis\.tex is a file; name a new folder for the demo with -o"):
        demo.write(tmp_path / "mine" / "thesis.tex", demo.hand_ins(course))


def test_an_empty_folder_will_do(course, tmp_path):
    (tmp_path / "empty").mkdir()
    assert demo.write(tmp_path / "empty", demo.hand_ins(course)).is_dir()


def test_a_demo_is_graded_as_its_key_says(course, tmp_path):
    done = CliRunner().invoke(main, ["--course", str(course.root), "demo", "-o", str(tmp_path / "demo"), "--json"])
    assert done.exit_code == 0, done.output
    document = json.loads(done.stdout)
    assert (tmp_path / "demo" / "run" / "run.sqlite").is_file()
    expected = {"right": "PASSED", "wrong": "FAILED", "stub": "NOT_ATTEMPTED", "missing": "NOT_ATTEMPTED"}
    got = {(s["student"], v["problem"]): v["status"] for s in document["students"] for v in s["verdicts"]}
    assert got == {(one.student, one.slug): expected[one.kind] for one in demo.hand_ins(course)}
