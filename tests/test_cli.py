"""The command ``grade``: exit codes, one JSON document, clear sentences, and nothing wider than 80 columns."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys

import click
import pytest
from commands import ROOT, grade, grade_json, started
from courses import put, solution, student_course, tiny_course

from grader import machine
from grader.cli import SUMMARIES, main
from grader.errors import UsageError

# The command itself


def test_help_imports_nothing_but_click():
    code = (
        "import sys; from grader.cli import main; main(['--help'], standalone_mode=False);"
        "print(sorted(n for n in sys.modules if n.partition('.')[0] in {'grader', 'numpy', 'rich', 'hypothesis'}))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "['grader', 'grader.cli', 'grader.errors']"
    assert all(name in done.stdout for name in SUMMARIES)


def test_summaries_are_those_of_the_commands():
    context = click.Context(main)
    assert {name: main.get_command(context, name).short_help for name in SUMMARIES} == SUMMARIES


@pytest.mark.parametrize("command", [[], *([name] for name in SUMMARIES)], ids=str)
def test_help_fits(command):
    assert grade(*command, "--help").out.startswith("Usage: ")


def test_the_package_runs_as_a_module():
    done = started("--version", cwd=ROOT)
    assert done.communicate(timeout=60)[0].startswith("grade, version ")


def test_an_unknown_command_is_a_usage_error():
    assert "No such command 'grad'" in grade("grad", code=2).err


def test_a_missing_course_is_said(tmp_path):
    assert grade("problems", course=tmp_path / "nowhere", code=2).err == (
        f"Error: no course at {tmp_path / 'nowhere'}: a course is a folder with problems/ in it; "
        "give it with --course DIR\n"
    )


def test_the_course_may_be_named_after_the_command(tmp_path):
    assert "Twice as much" in grade("problems", "--course", tiny_course(tmp_path)).out


def test_a_fault_of_ours_has_its_own_exit_code(tmp_path, monkeypatch):
    monkeypatch.setattr("grader.problem.load", lambda _files: 1 / 0)
    told = grade("problems", course=tiny_course(tmp_path), code=3).err
    assert "ZeroDivisionError" in told
    assert told.endswith(
        "Error: this is a fault of the grader, not of what was graded; please report the lines above.\n"
    )


def test_an_interrupt_is_one_line(tmp_path, monkeypatch):
    def interrupted(_files):
        raise KeyboardInterrupt

    monkeypatch.setattr("grader.problem.load", interrupted)
    assert grade("problems", course=tiny_course(tmp_path), code=130).err == "\nInterrupted.\n"


def test_errors_cannot_steer_the_terminal(tmp_path):
    told = grade("run", tmp_path / "\x1b[2J", "-o", tmp_path / "run", course=tiny_course(tmp_path), code=2).err
    assert told.isprintable() or "\x1b" not in told
    assert "there is nothing at" in told


def test_sigterm_is_handled_as_before_once_a_command_has_ended(tmp_path):
    before = signal.getsignal(signal.SIGTERM)
    grade("problems", course=tiny_course(tmp_path))
    assert signal.getsignal(signal.SIGTERM) is before


# problems and show


def test_the_catalogue_counts(tmp_path):
    course = tiny_course(tmp_path, "double", "triple")
    double, triple = grade_json("problems", course=course)
    assert double == {
        "slug": "double", "title": "Twice as much", "source": "a test", "points": 4, "manual_points": 0.0,
        "visible": 2, "hidden": 1, "right": 1, "wrong": 3,
    }  # fmt: skip
    assert (triple["points"], triple["manual_points"]) == (3, 2.0)
    assert "triple Three times as much 3+2 1 0 0 1" in grade("problems", course=course).words


def test_a_students_catalogue_does_not_count_what_is_not_there(tmp_path):
    assert "double Twice as much 2 2 - - -" in grade("problems", course=student_course(tmp_path)).words


def test_a_problem_that_cannot_be_read_leaves_the_others_listed(tmp_path):
    course = tiny_course(tmp_path, "double", "triple")
    put(course / "problems" / "double" / "visible.py", "import nothing_of_that_name\n")
    told = grade("problems", course=course, code=3)
    assert told.err.startswith("Error: problems/double/visible.py, line 1: ModuleNotFoundError")
    assert "Three times as much" in told.out


def test_a_course_without_problems_is_said(tmp_path):
    (tmp_path / "problems").mkdir()
    assert "holds no problem" in grade("problems", course=tmp_path, code=2).err


def test_a_statement_is_shown_with_its_formulas(tmp_path):
    assert "it returns 2x for any array x of shape (n,)." in grade("show", "double", course=tiny_course(tmp_path)).words


def test_a_statement_is_shown_as_it_was_written(tmp_path):
    course = tiny_course(tmp_path)
    written = (course / "problems" / "double" / "statement.md").read_text(encoding="utf-8")
    assert grade("show", "double", "--raw", course=course).out == written


def test_an_unknown_problem_is_said(tmp_path):
    assert "no problem 'dubble' in" in grade("show", "dubble", course=tiny_course(tmp_path), code=2).err


# verify and doctor


def test_a_sound_problem_is_proved_and_the_proof_is_kept(tmp_path):
    course = tiny_course(tmp_path, "triple")
    told = grade("verify", "--seed", 3, course=course)
    assert told.words.startswith("triple: proved. 1 check, 0 right, 1 wrong (1 caught, 1 diagnosed)")
    assert told.err == "Proving triple, seed 3, on cpu ...\n"
    students = put(tmp_path / "class" / "ada" / "triple.py", solution("triple")).parent.parent
    run = ("run", students, "-o", tmp_path / "run")
    assert "Used without a proof" not in grade(*run, course=course).out
    put(course / "problems" / "triple" / "hidden.py", "# another promise\n")
    assert "Used without a proof: triple. To prove them: grade verify triple" in grade(*run, course=course).words


def test_an_unsound_problem_is_not_proved(tmp_path):
    course = tiny_course(tmp_path, "triple")
    put(course / "problems" / "triple" / "variants.py", "")
    (found,) = grade_json("verify", course=course, code=1)
    assert (found["slug"], found["ok"], found["wrong"]) == ("triple", False, 0)
    assert found["complaints"] == ["(d) no wrong variant names triples_two: nothing proves that it can fail"]
    assert found["margins"]["triples_two"]["wrong"] is None


def test_a_problem_without_reference_leaves_the_others_proved(tmp_path):
    course = tiny_course(tmp_path, "double", "triple")
    (course / "reference" / "double.py").unlink()
    double, triple = grade_json("verify", course=course, code=3)
    assert double["complaints"] == ["reference/double.py is missing; a proof needs the worked solution"]
    assert (double["ok"], triple["ok"]) == (False, True)


def test_a_proof_that_cannot_be_kept_is_a_warning(tmp_path):
    course = tiny_course(tmp_path, "triple")
    put(course / ".grade", "a file where a folder should be")
    told = grade("verify", course=course)
    assert "The proof of triple is not kept:" in told.err
    assert "triple: proved." in told.out


def test_an_unknown_problem_cannot_be_proved(tmp_path):
    assert "no problem 'dubble'" in grade("verify", "dubble", course=tiny_course(tmp_path), code=2).err


def test_a_doctor_never_imports_torch(tmp_path):
    code = (
        "import sys; from grader.cli import main\n"
        "try: main(['doctor', '--json'])\n"
        "finally: print('torch' in sys.modules, file=sys.stderr)"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    put(tmp_path / "torch.py", "open('imported', 'w').close()\n")
    command = [sys.executable, "-P", "-c", code]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
    document = json.loads(done.stdout)
    assert {"tier", "probes", "missing", "devices", "versions"} <= set(document)
    assert document["devices"][0]["device"] == "cpu"
    assert done.stderr == "False\n"
    assert not (tmp_path / "imported").exists()  # what lies in the working folder is nobody's torch


def test_a_doctor_names_what_is_missing_and_the_command(monkeypatch):
    monkeypatch.setattr(machine, "cuda", lambda: ())
    monkeypatch.setattr(machine, "find_spec", lambda name: None if name == "torchvision" else object())
    told = grade("doctor").words
    assert "problems in torch need torch and torchvision: " in told
    assert (
        "-m pip install torch torchvision (for PyTorch's CPU build see https://pytorch.org/get-started/locally/)"
        in told
    )
    assert "nbgrader" not in told


@pytest.mark.parametrize(
    ("wanted", "here", "settled"),
    [
        ("cpu", (), "cpu"),
        ("auto", (), "cpu"),
        ("auto", ("cuda:0", "cuda:1"), "cuda:0"),
        ("cuda", ("cuda:0",), "cuda:0"),
        ("cuda:1", ("cuda:0", "cuda:1"), "cuda:1"),
    ],
)
def test_a_device_is_settled_by_what_is_here(monkeypatch, wanted, here, settled):
    monkeypatch.setattr(machine, "cuda", lambda: tuple({"device": name} for name in here))
    assert machine.settle_device(wanted) == settled


@pytest.mark.parametrize(
    ("wanted", "sentence"),
    [
        ("cuda:2", r"--device cuda:2: PyTorch finds cuda:0; grade doctor says more, and --device cpu works everywhere"),
        ("mps", r"--device 'mps' is no device; give cpu, cuda, cuda:N or auto"),
    ],
)
def test_a_device_that_is_not_here_is_said(monkeypatch, wanted, sentence):
    monkeypatch.setattr(machine, "cuda", lambda: ({"device": "cuda:0"},))
    with pytest.raises(UsageError, match=sentence):
        machine.settle_device(wanted)
