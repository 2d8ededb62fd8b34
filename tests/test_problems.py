"""What every problem folder promises, whatever it teaches."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader import course as courses
from grader import template
from grader.problem import load

ROOT = Path(__file__).resolve().parent.parent
COURSE = courses.find(ROOT)


def test_stubs_are_in_step_with_the_references():
    """`make stubs` would change nothing, and no stub is left of a problem that is gone."""
    stubs = template.stubs(COURSE)
    assert {path.stem for path in stubs} == set(COURSE.slugs)
    for path, text in stubs.items():
        assert path.read_text(encoding="utf-8") == text, f"{path} is out of step: make stubs"
    assert {path.stem for path in (ROOT / "student_template").glob("*.py")} == set(COURSE.slugs)


@pytest.mark.parametrize("slug", COURSE.slugs)
def test_a_problem_is_whole(slug):
    """It has visible and hidden checks, at least six known mistakes and three right answers, and says its source."""
    problem = load(COURSE.problem(slug))
    assert {check.visible for check in problem.checks} == {True, False}
    assert len(problem.wrong) >= 6
    assert len(problem.right) >= 3
    assert problem.settings.source.startswith("Where the chapters meet, problem ")
    assert {check.name for check in problem.checks} == {variant.caught_by for variant in problem.wrong}


@pytest.mark.parametrize("slug", COURSE.slugs)
def test_students_receive_no_solution(slug):
    """The stub keeps signatures and docstrings, raises in every function, and holds no marker of a solution."""
    stub = load(COURSE.problem(slug)).stub
    assert "raise NotImplementedError" in stub
    assert "SOLUTION" not in stub
