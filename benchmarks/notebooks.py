"""One problem's visible checks as other graders want them: nbgrader's test cells, otter's test file, a pytest file.

The bodies of the checks are taken over word for word; ``close``, ``equal`` and ``student`` are defined for them with
numpy and torch, as an instructor without this project would write them. The notebook is the one that
`grade nbgrader source` writes; where its cells name a check, this one's hold it.
"""

from __future__ import annotations

import ast
import json
import textwrap
from dataclasses import dataclass

from grader.notebook import paper
from grader.notebook.cells import Kind, check, parse

PREAMBLE = '''
import numpy as np
import torch

TENSORS = {tensors}


class Answers:
    """Calls the student's functions by name, with tensors where they take tensors."""

    def __init__(self, functions):
        self._functions = functions

    def __getattr__(self, name):
        def call(*args):
            as_tensors = name in TENSORS
            return self._functions[name](
                *(torch.from_numpy(a.copy()) if as_tensors and isinstance(a, np.ndarray) else a for a in args)
            )

        return call


def close(got, want, growth=1, scale=None):
    if isinstance(want, dict):
        assert got.keys() == want.keys()
        got, want = [got[key] for key in want], list(want.values())
    if isinstance(want, (list, tuple)):
        assert len(got) == len(want)
        for one, other in zip(got, want):
            close(one, other, growth, scale)
        return
    got = got.detach().numpy() if isinstance(got, torch.Tensor) else np.asarray(got, dtype=float)
    assert got.shape == np.shape(want)
    size = np.max(np.abs(want)) if scale is None else scale
    np.testing.assert_allclose(got, want, rtol=2e-6 * growth, atol=2e-6 * growth * size)


def equal(got, want):
    assert got == want
'''


@dataclass(frozen=True)
class Tests:
    """The visible checks of a problem as text: what they share, and each one's points and body."""

    slug: str
    shared: str
    checks: tuple[tuple[str, float, str], ...]
    paper: str  # the source notebook of `grade nbgrader source`

    @classmethod
    def of(cls, files, problem):
        """Return the visible checks of a problem; all of them must take the student and nothing else."""
        lines, bodies, shared = files.visible.split("\n"), {}, []
        for node in ast.parse(files.visible).body:
            text = "\n".join(lines[node.lineno - 1 : node.end_lineno])
            if isinstance(node, ast.FunctionDef) and node.decorator_list:
                body = lines[node.body[1].lineno - 1 : node.end_lineno]  # without its sentence
                bodies[node.name] = textwrap.dedent("\n".join(body))
            elif not (isinstance(node, ast.ImportFrom) and node.module == "grader") and "settings(" not in text:
                shared.append(text)
        tensors = sorted(name for name, takes in problem.takes_tensors.items() if takes)
        points = {check.name: check.points for check in problem.checks}
        checks = tuple((name, points[name], body) for name, body in bodies.items())
        setup = "\n\n".join([PREAMBLE.format(tensors=tensors), *shared])
        return cls(files.slug, setup, checks, paper.notebook(problem, files.statement, files.marking))

    def source(self):
        """Return the notebook that nbgrader makes an assignment of, with the visible checks in it and no other."""
        bodies = {check(self.slug, name, visible=True): body for name, _, body in self.checks}
        cells = []
        for cell in json.loads(self.paper)["cells"]:
            found = parse(cell["metadata"].get("nbgrader", {}).get("grade_id"))
            if found and found.kind is Kind.TRY:
                cells.append({**cell, "source": f"{self.shared}\n\nstudent = Answers(globals())"})
            elif found is None or found.kind is not Kind.CHECK:
                cells.append(cell)
            elif found.grade_id in bodies:
                cells.append({**cell, "source": bodies[found.grade_id]})
        return notebook(cells)

    def otter(self):
        """Return the test file of otter."""
        tests = (
            f"@test_case(name={name!r}, points={points})\n"
            f"def test_{name}(env):\n    student = Answers(env)\n{textwrap.indent(body, '    ')}"
            for name, points, body in self.checks
        )
        head = f"from otter.test_files import test_case\n{self.shared}\nOK_FORMAT = False\nname = {self.slug!r}\n"
        return "\n\n\n".join([head, *tests]) + "\n"

    def pytest(self):
        """Return the test file of pytest, beside the student's module."""
        head = f"import {self.slug}\n{self.shared}\n\nstudent = Answers(vars({self.slug}))\n"
        tests = (f"def test_{name}():\n{textwrap.indent(body, '    ')}" for name, _, body in self.checks)
        return "\n\n\n".join([head, *tests]) + "\n"


def notebook(cells):
    """Return cells as the text of a notebook."""
    spec = {"name": "python3", "language": "python", "display_name": "Python 3"}
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {"kernelspec": spec}, "cells": cells})


def answered(source, text):
    """Return a released notebook with a student's answer, all of it in the first of its answer cells."""
    found = json.loads(source)
    for cell in found["cells"]:
        name = parse(cell["metadata"].get("nbgrader", {}).get("grade_id"))
        if name and name.kind in {Kind.ANSWER, Kind.HELPERS}:
            cell["source"], text = text, ""
    return json.dumps(found)


def alone(text):
    """Return an answer as a notebook of one cell."""
    cell = {"cell_type": "code", "id": "answer", "source": text, "metadata": {}, "outputs": [], "execution_count": None}
    return notebook([cell])
