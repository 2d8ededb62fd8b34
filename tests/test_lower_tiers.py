"""What the commands say and do on machines that isolate less, or that lack what Linux has."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from courses import put, solution, student_course, tiny_course

from grader import isolation

ROOT = Path(__file__).resolve().parent.parent
REFUSING = Path(__file__).resolve().parent / "refusing.py"

# Run before the command: takes away what a machine without Linux's interfaces does not have.
ABSENT = """
import os, runpy, sys
for name in ("fork", "forkpty", "pidfd_open", "sched_setaffinity", "sched_getaffinity", "wait4"):
    if hasattr(os, name):
        delattr(os, name)
sys.modules["resource"] = None
from pathlib import Path
real_open, real_exists = open, os.path.exists
import builtins, io
def no_proc(path, *args, **kwargs):
    if isinstance(path, (str, bytes, os.PathLike)) and os.fsdecode(path).startswith("/proc"):
        raise FileNotFoundError(2, "No such file or directory", path)
    return real_open(path, *args, **kwargs)
builtins.open = io.open = no_proc
sys.argv[0] = "grade"
runpy.run_module("grader", run_name="__main__", alter_sys=False)
"""


def commanded(*command):
    return subprocess.run(
        [sys.executable, *map(str, command)],
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
        cwd=ROOT,
    )


@pytest.fixture
def class_of_one(tmp_path):
    """A course, and a class whose one student is right."""
    course = tiny_course(tmp_path)
    put(tmp_path / "class" / "ada" / "double.py", solution("double"))
    return course, tmp_path / "class", tmp_path / "run"


def graded(class_of_one, refused, *options):
    course, students, run = class_of_one
    grade = ("-m", "grader", "--course", course, "run", students, "-o", run, "--json", *options)
    return commanded(REFUSING, refused, sys.executable, *grade)


needs_tier_2 = pytest.mark.skipif(
    isolation.survey().tier < 2, reason="this machine isolates at tier 1 or less: not run"
)


@needs_tier_2
def test_without_user_namespaces_a_run_is_at_tier_two_and_says_so(class_of_one):
    """The run goes on, right answers pass, and the record says what is missing."""
    done = graded(class_of_one, "namespaces")
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert document["tier"] == 2
    assert any("namespace" in sentence for sentence in document["isolation"]["missing"])
    assert "its size and its times; filling the disk:" in document["isolation"]["missing"][-1]
    assert document["students"][0]["score"] == 4
    assert document["students"][0]["verdicts"][0]["tier"] == 2


@needs_tier_2
def test_without_landlock_too_a_run_is_refused_unless_told(class_of_one):
    """Tier 1 stops a graded run with a sentence; --min-tier 1 lets it go on, and the record says tier 1."""
    refused = graded(class_of_one, "namespaces,landlock")
    assert refused.returncode == 2
    assert refused.stdout == ""
    assert "tier 1" in refused.stderr
    assert "--min-tier 1" in refused.stderr
    assert not class_of_one[2].exists()
    done = graded(class_of_one, "namespaces,landlock", "--min-tier", "1")
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert document["tier"] == 1
    assert document["students"][0]["score"] == 4


@pytest.mark.parametrize(
    ("text", "code", "words"),
    [
        (solution("double"), 0, "2 of 2"),
        ("def double(x):\n    return x * x\n", 1, "want"),
        ("def double(x):\n    while True:\n        pass\n", 1, "time"),
        ("def double(x):\n    return 1 / 0\n", 1, "ZeroDivisionError"),
        ("import os\ndef double(x):\n    os._exit(0)\n", 1, "exited"),
    ],
    ids=["right", "wrong", "loop", "exception", "exit"],
)
def test_check_works_without_fork_pidfd_resource_and_proc(tmp_path, text, code, words):
    """Where Linux's interfaces are missing a student still learns what is wrong, and a hang is stopped."""
    course = student_course(tmp_path)
    path = put(tmp_path / "mine" / "double.py", text)
    done = commanded("-c", ABSENT, "--course", course, "check", path)
    assert done.returncode == code, done.stdout + done.stderr
    assert words in done.stdout


def test_doctor_says_tier_one_where_there_is_nothing_better():
    """The doctor's document has the tier, the probes and how to get more."""
    done = commanded("-c", ABSENT, "--course", ROOT, "doctor", "--json")
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert document["tier"] == 1
    assert document["missing"]
    assert set(document) >= {"tier", "probes", "missing", "devices", "versions"}
