"""Ten submissions made by hand, graded by the real command: statuses, points and hints exactly as they should be.

ada and bo are right, each in another make; cleo, dan, eve, finn and gus are wrong; hal hangs; ivy crashes; mallory
looks for expected values in frames, heap, files, environment and the memory of others.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from grader import course as courses
from grader import isolation
from grader import submission as submissions
from grader.judge import RunSettings, judge, settled
from grader.problem import load

ROOT = Path(__file__).resolve().parent.parent
CLASS = Path(__file__).resolve().parent / "class_of_ten"
CANARY = "CANARY-5b1f0c6e9a"

pytestmark = pytest.mark.torch


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """The document that `grade run --json` prints for the class."""
    out = tmp_path_factory.mktemp("run")
    command = [sys.executable, "-m", "grader", "--course", ROOT, "run", CLASS, "-o", out, "--json", "--jobs", "2"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def checks_of(run, student, problem):
    graded = next(one for one in run["students"] if one["student"] == student)
    verdict = next(one for one in graded["verdicts"] if one["problem"] == problem)
    return verdict, {check["name"]: check for check in verdict["checks"]}


def not_passed(checks):
    return {name: check["status"] for name, check in checks.items() if check["status"] != "PASSED"}


@pytest.mark.parametrize("student", ["ada", "bo"])
@pytest.mark.parametrize("problem", ["xor", "batch_reduction"])
def test_right_answers_get_everything(run, student, problem):
    """Another make of a right answer gets every point and no hint."""
    verdict, checks = checks_of(run, student, problem)
    assert not_passed(checks) == {}
    assert verdict["score"] == verdict["points"] > 0
    assert {check["hint"] for check in checks.values()} == {""}


# student, problem: the checks that do not pass, and the words by which the hint is known
WRONG = {
    ("cleo", "batch_reduction"): (
        {
            "variances_at_sight": "FAILED",
            "deviations_at_sight": "FAILED",
            "variances_for_any_batch": "FAILED",
            "deviations_for_any_batch": "FAILED",
        },
        "multiplied by a constant",
    ),
    ("dan", "xor"): (
        {
            "loss_and_gradients_after_the_disturbance": "FAILED",
            "a_network_in_general_position": "FAILED",
            "gradients_at_any_weights": "FAILED",
            "a_unit_that_is_off_passes_nothing_back": "FAILED",
        },
        "through its unit and then through one more number",
    ),
    ("eve", "xor"): (
        {
            "and_and_xor_have_certificates": "FAILED",
            "given_certificates_are_judged": "FAILED",
            "all_sixteen_functions_have_certificates": "FAILED",
            "weights_are_judged_in_any_dimension": "FAILED",
        },
        "exactly zero",
    ),
    ("finn", "batch_reduction"): (
        {"accumulation_at_sight": "FAILED", "accumulation_over_any_cuts": "FAILED"},
        "each with the same weight",
    ),
}


@pytest.mark.parametrize(("student", "problem"), WRONG)
def test_wrong_answers_fail_where_they_are_wrong(run, student, problem):
    """A mistake fails the checks that it touches, loses their points alone, and is named."""
    statuses, words = WRONG[student, problem]
    verdict, checks = checks_of(run, student, problem)
    assert not_passed(checks) == statuses
    assert verdict["score"] == pytest.approx(verdict["points"] - sum(checks[n]["points"] for n in not_passed(checks)))
    hints = {check["hint"] for name, check in checks.items() if name in not_passed(checks)}
    assert any(words in hint for hint in hints), hints


def test_two_mistakes_get_two_answers(run):
    """gus is told of the shape in one check, and of the root by which the rates were matched in another."""
    _, checks = checks_of(run, "gus", "batch_reduction")
    assert "shape" in checks["one_step_at_sight"]["message"]
    assert checks["one_step_at_sight"]["hint"] == ""
    assert "root of the batch size" in checks["matching_rates_at_sight"]["hint"]


def test_a_hang_costs_its_own_checks(run):
    """hal's endless loop is stopped in the checks that call it, and every other check is judged."""
    verdict, checks = checks_of(run, "hal", "batch_reduction")
    assert not_passed(checks) == {"matching_rates_at_sight": "TIMED_OUT", "matching_makes_both_steps_one": "TIMED_OUT"}
    assert verdict["status"] == "TIMED_OUT"


def test_a_crash_names_the_line(run):
    """ivy reads past the end of an array; the message names her file and line, in hidden checks as well."""
    line = next(
        number
        for number, text in enumerate((CLASS / "ivy" / "xor.py").read_text(encoding="utf-8").splitlines(), start=1)
        if "h[:, 2]" in text
    )
    _, checks = checks_of(run, "ivy", "xor")
    crashed = [check for check in checks.values() if check["status"] == "CRASHED"]
    assert len(crashed) >= 4
    for check in crashed:
        assert f"xor.py:{line}" in check["message"]
        assert "IndexError" in check["message"]


def test_the_cheat_gets_nothing(run):
    """mallory passes no check, and nothing of it is called the grader's fault."""
    verdict, checks = checks_of(run, "mallory", "xor")
    assert verdict["score"] == 0, {n: c["message"] for n, c in checks.items() if c["status"] == "PASSED"}
    assert {check["status"] for check in checks.values()} <= {"FAILED", "CRASHED", "UNUSABLE", "NOT_ATTEMPTED"}


def test_messages_hold_no_hidden_value(run):
    """No message about a hidden check holds a decimal number, an exception's text or a student's output."""
    for student in run["students"]:
        for verdict in student["verdicts"]:
            for check in verdict["checks"]:
                if not check["visible"]:
                    finding = check["message"].removeprefix(check["promise"])
                    assert not re.search(r"\d\.\d|array\(|\[", finding), finding


class Recording:
    """A launcher whose children's every byte is kept."""

    def __init__(self, launcher):
        self._launcher = launcher
        self.layers = launcher.layers
        self.bytes = bytearray()

    def start(self, profile):
        return RecordedChild(self._launcher.start(profile), self.bytes)

    def close(self):
        self._launcher.close()


class RecordedChild:
    def __init__(self, child, kept):
        self._child = child
        self._kept = kept

    def reply(self):
        return self._keep(self._child.reply())

    def output(self):
        return self._keep(self._child.output())

    def _keep(self, data):
        self._kept += data
        return data

    def __getattr__(self, name):
        return getattr(self._child, name)


def canary_course(folder):
    """A course whose hidden file, reference and variants hold the canary in a comment, a name and a value."""
    for part in ("problems", "reference"):
        shutil.copytree(ROOT / part, folder / part)
    for path in [*folder.glob("problems/*/hidden.py"), *folder.glob("problems/*/variants.py")]:
        path.write_text(path.read_text(encoding="utf-8") + f'\n\nSECRET = "{CANARY}"  # {CANARY}\n', encoding="utf-8")
    return courses.find(folder)


@pytest.mark.parametrize("student", ["mallory", "ada"])
def test_canary_never_comes_back(student, tmp_path, monkeypatch):
    """A canary in the hidden file, the environment, the arguments and the memory of the grader stays there."""
    survey = isolation.survey()
    if survey.tier < 2:
        pytest.skip(f"tier {survey.tier}: files and memory of the user can be read here; not run")
    monkeypatch.setenv("GRADER_SECRET", CANARY)
    monkeypatch.setattr(sys, "argv", [*sys.argv, CANARY])
    in_memory = [f"{CANARY}-{number}" for number in range(1000)]
    course = canary_course(tmp_path / "course")
    launcher = Recording(isolation.launcher(survey.layers))
    try:
        files = course.problem("xor")
        settings = RunSettings(seed=3, examples=settled(load(files), 3), layers=survey.layers, tier=survey.tier)
        verdict = judge(files, submissions.load(CLASS / student, slugs=course.slugs), settings, launcher)
    finally:
        launcher.close()
    assert len(launcher.bytes) > 1000
    assert CANARY.encode() not in launcher.bytes
    assert CANARY not in repr(verdict)
    assert len(in_memory) == 1000
    assert os.environ["GRADER_SECRET"] == CANARY
