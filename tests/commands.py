"""Runs the command ``grade`` for tests: in this process, or as a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

from click.testing import CliRunner
from courses import put, solution
from rich.cells import cell_len

from grader.cli import main

ROOT = Path(__file__).parent.parent
SQUARES = solution("double").replace("2 * x", "x**2")


def grade(*arguments, course=None, code=0):
    """Run the command in this process; return what it printed, on stdout and on stderr."""
    before = ["--course", str(course)] if course else []
    done = CliRunner().invoke(main, [*before, *map(str, arguments)])
    assert done.exit_code == code, done.output
    for line in done.stdout.splitlines() if "--json" not in arguments and "--raw" not in arguments else []:
        assert cell_len(line) <= 80
        assert line.isprintable()
    return SimpleNamespace(out=done.stdout, err=done.stderr, words=" ".join(done.stdout.split()))


def grade_json(*arguments, course=None, code=0):
    return json.loads(grade(*arguments, "--json", course=course, code=code).out)


def started(*arguments, cwd, stderr=subprocess.PIPE):
    """Start the command as a process of its own."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"}
    return subprocess.Popen(
        [sys.executable, "-m", "grader", *map(str, arguments)],
        cwd=cwd, env=environment, stdout=subprocess.PIPE, stderr=stderr, text=True,
    )  # fmt: skip


def hand_in(folder, **students):
    for student, text in students.items():
        put(folder / student / "double.py", text)
    return folder
