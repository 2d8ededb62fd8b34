"""A class in which every known answer to every problem is a student, graded by the real command."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from grader import course as courses
from grader.diagnose import hint_of
from grader.problem import load

ROOT = Path(__file__).resolve().parent.parent
PROBLEMS = {slug: load(courses.find(ROOT).problem(slug)) for slug in courses.find(ROOT).slugs}
VARIANTS = {f"{slug}--{variant.name}": (slug, variant) for slug in PROBLEMS for variant in PROBLEMS[slug].variants}

pytestmark = pytest.mark.torch


@pytest.fixture(scope="module")
def verdicts(tmp_path_factory):
    """The verdict on every variant, by the name of the student who handed it in."""
    folder = tmp_path_factory.mktemp("variants")
    for student, (slug, variant) in VARIANTS.items():
        (folder / "class" / student).mkdir(parents=True)
        (folder / "class" / student / f"{slug}.py").write_text(variant.text, encoding="utf-8")
    command = [
        sys.executable,
        "-m",
        "grader",
        "--course",
        ROOT,
        "run",
        folder / "class",
        "-o",
        folder / "run",
        "--json",
    ]
    command += ["--seed", "3"]  # a few answers are permutations, which other examples may not tell apart
    done = subprocess.run(command, capture_output=True, text=True, timeout=1500, check=False, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    students = json.loads(done.stdout)["students"]
    return {
        one["student"]: next(v for v in one["verdicts"] if v["problem"] == VARIANTS[one["student"]][0])
        for one in students
    }


@pytest.mark.parametrize("student", [name for name, (_, variant) in VARIANTS.items() if variant.right])
def test_a_right_answer_of_another_make_gets_full_points(verdicts, student):
    """Every check passes, and nobody is told of a mistake."""
    verdict = verdicts[student]
    missed = {check["name"]: check["detail"] for check in verdict["checks"] if check["status"] != "PASSED"}
    assert missed == {}
    assert verdict["score"] == verdict["points"]
    assert {check["hint"] for check in verdict["checks"]} == {""}


@pytest.mark.parametrize("student", [name for name, (_, variant) in VARIANTS.items() if not variant.right])
def test_a_known_mistake_loses_points_and_is_named(verdicts, student):
    """The check that it names fails, with its own hint or that of the mistake it is declared alike."""
    slug, variant = VARIANTS[student]
    verdict = verdicts[student]
    assert verdict["score"] < verdict["points"]
    named = next(check for check in verdict["checks"] if check["name"] == variant.caught_by)
    assert named["status"] == "FAILED"
    assert named["hint"] == hint_of(variant, PROBLEMS[slug])
    assert {check["hint"] for check in verdict["checks"]} <= {"", named["hint"]}


def test_every_student_was_graded(verdicts):
    """The class has a row for each variant of each problem."""
    assert set(verdicts) == set(VARIANTS)
