"""What nbgrader alone makes of the situations: an instructor's notebooks with asserts and hidden tests, `autograde`.

Each situation gets a course folder of its own with two students: the situation's, and one who is graded after them
with right answers, to see whether the batch goes on. It takes minutes; what was seen is kept in ``stock.json``.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from nbgrader_inputs.outcomes import LAST, NAME, Outcome, error, seen
from nbgrader_inputs.situations import ANY, RIGHT, THREE, TWICE, Paper, code

if TYPE_CHECKING:
    from nbgrader_inputs.situations import Situation

KEPT = Path(__file__).with_name("stock.json")
CELL_SECONDS = 5  # nbgrader's default is 30
BYTES = 6 * 2**30  # of address space, so that an endless loop spares the machine
CONFIG = f"""\
c = get_config()
c.CourseDirectory.course_id = "inputs"
c.ExecutePreprocessor.timeout = {CELL_SECONDS}
"""
HIDDEN = "### BEGIN HIDDEN TESTS\n{}\n### END HIDDEN TESTS"
GIVEN, WANTED = "[0.25, 7.0, -1.0, 2.5]", "[0.5, 14.0, -2.0, 5.0]"
TESTS = {
    THREE: (1, "import numpy as np\n\nassert np.allclose(double(np.array([1.5, -2.0, 5.0])), [3.0, -4.0, 10.0])"),
    TWICE: (1, "assert np.allclose(double(np.array([0.5, 4.0, -3.0])), [1.0, 8.0, -6.0])"),
    ANY: (2, HIDDEN.format(f"assert np.allclose(double(np.array({GIVEN})), {WANTED})")),
}
# The last test, as other instructors write it
LAST_TEST = {
    "usual": TESTS[ANY][1],
    "mistaken": HIDDEN.format(f"assert np.allclose(double(np.array({GIVEN})), [0.75, 21.0, -3.0, 7.5])"),
    "expression": HIDDEN.format(f"2 - float(np.max(np.abs(double(np.array({GIVEN})) - np.array({WANTED}))))"),
    "scalar": HIDDEN.format(f"2 * np.mean(np.isclose(double(np.array({GIVEN})), {WANTED}))"),
    "count": HIDDEN.format(f"int(np.sum(np.isclose(double(np.array({GIVEN})), {WANTED})))"),
    "printed": "### BEGIN HIDDEN TESTS\n### AUTOTEST double(np.arange(3000.0))\n### END HIDDEN TESTS",
}


def source(slug: str, last: str = "usual", *, more: bool = False) -> str:
    """Return an instructor's notebook: one answer cell, its tests, the last of them in one of several ways."""
    factor = {"double": 2, "triple": 3}[slug]
    tests = TESTS | {ANY: (2, LAST_TEST[last])}
    if slug == "triple":
        tests = {"triple--check--triples_two": (3, "assert triple(2.0) == 6.0")}
    if more:
        tests["double--check--one_more"] = (1, "assert np.allclose(double(np.array([9.0])), [18.0])")
    solution = f"### BEGIN SOLUTION\n    return {factor} * x\n    ### END SOLUTION"
    answer = f"import numpy as np\n\n\ndef {slug}(x):\n    {solution}\n"
    cells = [code(answer, grade_id=f"{slug}--answer--{slug}", grade=False, solution=True, locked=False)]
    for grade_id, (points, text) in tests.items():
        cells.append(code(text, grade_id=grade_id, grade=True, solution=False, locked=True, points=points))
    for number, cell in enumerate(cells):
        cell["id"] = f"cell-{number}"
    spec = {"name": "python3", "language": "python", "display_name": "Python 3"}
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {"kernelspec": spec}, "cells": cells})


class Stock:
    """Course folders below one folder, and nbgrader as it comes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._made: dict[str, Path] = {}

    def outcome(self, situation: Situation) -> Outcome:
        """Grade one situation."""
        root = self.folder / situation.student
        shutil.copytree(self._assignment(situation.stock), root)
        self.hand_in(root, situation.student, situation.make)
        self.hand_in(root, LAST, lambda paper: paper.answered().files())
        log = self._nbgrader(root, "autograde", NAME)
        if situation.second:
            shutil.rmtree(root / "submitted" / situation.student)
            self.hand_in(root, situation.student, situation.second, "2026-11-12 10:00:00.000000 UTC")
            log = self._nbgrader(root, "autograde", NAME)
        if situation.change:
            self._put_sources(root, "usual", more=situation.change == "added")
            log = self._nbgrader(root, "generate_assignment", NAME, "--force")
            log += self._nbgrader(root, "autograde", NAME)
        return replace(seen(root, situation.student), told=error(log))

    def hand_in(self, root, student, make, time="2026-11-11 10:00:00.000000 UTC") -> None:
        place = root / "submitted" / student / NAME
        place.mkdir(parents=True)
        released = root / "release" / NAME
        triple = Paper((released / "triple.ipynb").read_text(encoding="utf-8"))
        triple.cell("triple--answer--triple")["source"] = RIGHT.replace("double", "triple").replace("2", "3")
        files = make(Paper((released / "double.ipynb").read_text(encoding="utf-8")))
        for name, content in (files | triple.files("triple.ipynb")).items():
            (place / name).write_bytes(content)
        (place / "timestamp.txt").write_text(time, encoding="utf-8")

    def _assignment(self, last: str) -> Path:
        """Return a course folder whose assignment is generated."""
        if last not in self._made:
            root = self._made[last] = self.folder / f"course-{last}"
            self._put_sources(root, last)
            (root / "nbgrader_config.py").write_text(CONFIG, encoding="utf-8")
            if last == "printed":
                import nbgrader

                shutil.copy(Path(nbgrader.__file__).parent / "docs/source/user_guide/autotests.yml", root)
            self._nbgrader(root, "generate_assignment", NAME)
        return self._made[last]

    def _put_sources(self, root: Path, last: str, *, more: bool = False) -> None:
        place = root / "source" / NAME
        place.mkdir(parents=True, exist_ok=True)
        (place / "double.ipynb").write_text(source("double", last, more=more), encoding="utf-8")
        (place / "triple.ipynb").write_text(source("triple"), encoding="utf-8")

    def _nbgrader(self, root: Path, *arguments: str) -> str:
        """Run nbgrader as one would type it; return what it logs."""
        scripts = Path(sys.executable).parent
        environment = os.environ | {
            "PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}",
            "IPYTHONDIR": str(self.folder / "home"),
            "JUPYTER_CONFIG_DIR": str(self.folder / "home"),
        }

        def spare() -> None:
            resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))

        done = subprocess.run(
            [sys.executable, "-m", "nbgrader", *arguments],
            cwd=root, env=environment, capture_output=True, text=True, errors="replace", check=False, timeout=600,
            preexec_fn=spare,
        )  # fmt: skip
        return done.stdout + done.stderr
