"""How a submission gets into a child: files, helpers, notebooks, and the conditions that they meet there."""

from __future__ import annotations

from pathlib import Path

import pytest
from children import PORTABLE, call, fault, notebook, source, workers

from grader.errors import AuthoringError, IsolationError, StudentFault
from grader.isolation.profile import Profile
from grader.isolation.spawn import SpawnLauncher
from grader.isolation.worker import Worker
from grader.verdict import Status


@pytest.fixture
def started():
    """Start workers of one's own."""
    with workers() as start:
        yield start


@pytest.fixture
def launcher():
    launcher = SpawnLauncher(PORTABLE)
    yield launcher
    launcher.close()


class TestImport:
    @pytest.mark.parametrize(
        ("text", "status", "summary"),
        [
            ("x = 1\nx = y\n", Status.CRASHED, "importing xor.py raised NameError at xor.py:2"),
            ("x = 1\ndef f(:\n", Status.CRASHED, "xor.py:2 is not valid Python (SyntaxError)"),
            ("if 1:\nx = 1\n", Status.CRASHED, "xor.py:2 is not valid Python (IndentationError)"),
            ("x = '\0'", Status.CRASHED, None),
            ("(" * 20_000, Status.CRASHED, None),
            ("exit()", Status.CRASHED, "importing xor.py called exit() at xor.py:1; a return is wanted"),
            (
                "def f():\n    raise NotImplementedError\nf()",
                Status.NOT_ATTEMPTED,
                "importing xor.py reached what is not written yet at xor.py:2 (NotImplementedError)",
            ),
            (
                "import os\nos._exit(0)",
                Status.CRASHED,
                "the process exited with code 0 while xor.py was being imported",
            ),
            ("import nothing_like_it", Status.CRASHED, "importing xor.py raised ModuleNotFoundError at xor.py:1"),
            (
                "import grader",
                Status.CRASHED,
                "importing xor.py asks for grader at xor.py:1, and this problem is solved without it",
            ),
            ("raise KeyboardInterrupt", Status.CRASHED, "importing xor.py raised KeyboardInterrupt at xor.py:1"),
            ("import helper", Status.CRASHED, "helper.py:3 is not valid Python (SyntaxError)"),
        ],
        ids=lambda value: repr(value)[:30],
    )
    def test_a_failed_import_is_told(self, launcher, text, status, summary):
        answers = source(text, helpers=[("helper", "\n\nx = = 1")])
        with Worker(launcher, answers, Profile()) as worker, pytest.raises(StudentFault) as caught:
            worker.begin(5)
        assert caught.value.status is status
        assert summary in {None, caught.value.summary}

    def test_a_failed_import_is_not_tried_again(self, launcher, monkeypatch):
        with Worker(launcher, source("1 / 0"), Profile()) as worker:
            with pytest.raises(StudentFault) as first:
                worker.begin(5)
            monkeypatch.setattr(SpawnLauncher, "start", None)
            with pytest.raises(StudentFault) as second:
                worker.begin(5)
        assert second.value is first.value

    def test_an_endless_import_is_timed_out(self, launcher):
        profile = Profile(import_seconds=0.2)
        with Worker(launcher, source("while True: pass"), profile) as worker, pytest.raises(StudentFault) as caught:
            worker.begin(5)
        assert caught.value.status is Status.TIMED_OUT
        assert caught.value.summary.startswith("importing xor.py ")

    def test_importing_has_a_budget_of_its_own(self, started):
        slow = (
            "import time\nend = time.process_time() + 0.5\nwhile time.process_time() < end: pass\ndef f(): return 1\n"
        )
        assert call(started(source(slow), seconds=0.3), "f") == 1

    def test_the_module_can_be_found_under_its_slug(self, started):
        text = """
            import dataclasses, pickle, sys
            @dataclasses.dataclass
            class Pair:
                left: int
            def f():
                pair = pickle.loads(pickle.dumps(Pair(3)))
                return pair.left, Pair.__module__, __name__, __file__, sys.modules["xor"].f is f
        """
        assert call(started(source(text)), "f") == (3, "xor", "xor", "xor.py", True)

    def test_a_slug_does_not_stand_in_for_the_standard_library(self, started):
        text = "import json\ndef f(): return json.dumps([1])"
        assert call(started(source(text, slug="json")), "f") == "[1]"

    def test_text_is_compiled_without_a_future_of_ours(self, started):
        text = "def g(x: int): ...\ndef f(): return g.__annotations__['x'] is int"
        assert call(started(source(text)), "f") is True

    def test_helpers_are_imported_and_seen_in_tracebacks(self, started):
        helpers = [
            ("values", "def g(x):\n    return 1 / x"),
            ("parts.inner", "y = 5"),
            ("colorsys", "raise RuntimeError('this is not the standard library')"),
        ]
        text = """
            import colorsys, values
            from parts import inner
            def f(x): return values.g(x) + inner.y + colorsys.ONE_SIXTH * 6
        """
        worker = started(source(text, helpers=helpers))
        assert call(worker, "f", 2) == 6.5
        assert fault(worker, "f", 0).summary == "`f` raised ZeroDivisionError at values.py:2"

    def test_hidden_packages_are_missing_whatever_imports_them(self, started):
        text = """
            import importlib
            try:
                import sympy
            except ImportError as error:
                found = str(error)
            def f(): return found
            def g(): importlib.import_module("sympy.core")
        """
        worker = started(source(text), Profile(hidden_packages=("grader", "sympy")))
        assert call(worker, "f") == "sympy is not available: this problem is solved without it"
        assert "asks for sympy" in fault(worker, "g").summary

    @pytest.mark.parametrize("name", ["wire", "values", "serve", "cells", "nodes", "loading", "spawned", "lockdown"])
    def test_nothing_of_the_childs_own_can_be_imported_by_name(self, started, name):
        worker = started(source(f"def f():\n    import {name}"))
        assert "ModuleNotFoundError" in fault(worker, "f").summary


class TestNotebook:
    def test_cells_run_in_order_in_one_namespace(self, started):
        worker = started(notebook("%matplotlib inline\nx = 2", "", "%%bash\nls", "def f(y):\n    return x * y"))
        assert call(worker, "f", 4) == 8
        assert worker.notes == (
            "xor.ipynb, cell 1: left out: %matplotlib inline",
            "xor.ipynb, cell 3: left out, since it is a cell for %%bash",
        )

    def test_a_cell_that_fails_is_noted_and_the_rest_runs(self, started):
        worker = started(notebook("x = 1", "\n1 / 0", "def f(:", "exit()", "def f(): return x"))
        assert call(worker, "f") == 1
        assert worker.notes == (
            "xor.ipynb, cell 2 raised ZeroDivisionError at xor.ipynb cell 2:2; the cells after it were run",
            "xor.ipynb cell 3:1 is not valid Python (SyntaxError); the cells after it were run",
            "xor.ipynb, cell 4 called exit() at xor.ipynb cell 4:1; a return is wanted; the cells after it were run",
        )

    def test_an_exception_shows_cell_and_line(self, started):
        worker = started(notebook("x = 1", "def f():\n    return 1 / 0"))
        found = fault(worker, "f")
        assert found.summary == "`f` raised ZeroDivisionError at xor.ipynb cell 2:2"
        assert '  File "xor.ipynb, cell 2", line 2, in f\n    return 1 / 0' in found.traceback

    def test_cells_that_take_the_child_with_them_are_left_out(self, started):
        worker = started(
            notebook("x = 1", "while True: pass", "import os; os._exit(0)", "def f(): return x"),
            Profile(import_seconds=0.3),
        )
        assert call(worker, "f") == 1
        assert len(worker.notes) == 2
        assert worker.notes[0].startswith("xor.ipynb, cell 2 was left out: xor.ipynb, cell 2 ")
        assert worker.notes[1] == (
            "xor.ipynb, cell 3 was left out: the process exited with code 0 while xor.ipynb, cell 3 was being imported"
        )

    def test_too_many_of_them_are_a_fault(self, launcher):
        with (
            Worker(launcher, notebook(*["import os; os._exit(0)"] * 5), Profile()) as worker,
            pytest.raises(StudentFault) as caught,
        ):
            worker.begin(5)
        assert caught.value.status is Status.CRASHED

    def test_a_notebook_may_take_only_so_long_in_all(self, started):
        burn = "import time\nend = time.process_time() + 0.35\nwhile time.process_time() < end: pass"
        worker = started(notebook("def f(): return 1", *[burn] * 8), Profile(import_seconds=0.5))
        assert call(worker, "f") == 1
        assert worker.notes[-1].endswith("were not run: the time for importing was used up")


class TestConditions:
    def test_the_environment_holds_nothing_of_ours(self, started, monkeypatch):
        monkeypatch.setenv("A_SECRET", "canary")
        look = """
            import os, sys
            def f():
                return dict(os.environ), os.getcwd(), os.listdir(), sys.argv, [hash(text) for text in ("a", "b")]
        """
        variables, folder, files, arguments, hashes = call(started(source(look)), "f")
        again = call(started(source(look)), "f")
        assert "canary" not in str(variables)
        assert (variables["OMP_NUM_THREADS"], variables["TZ"], variables["LANG"]) == ("1", "UTC", "C.UTF-8")
        assert (files, arguments) == ([], [""])
        assert Path(folder) != Path.cwd()
        assert hashes == again[-1]

    def test_probes_that_cannot_be_loaded_are_the_authors_error(self, launcher):
        with (
            Worker(launcher, source("x = 1", probes="1 / 0"), Profile()) as worker,
            pytest.raises(AuthoringError, match="ZeroDivisionError"),
        ):
            worker.begin(5)

    def test_a_call_needs_a_check(self, launcher):
        with Worker(launcher, source("x = 1"), Profile()) as worker, pytest.raises(IsolationError):
            call(worker, "f")

    def test_probes_are_there_before_the_student(self, started):
        worker = started(source("import random\nrandom.random = lambda: 0", probes="from random import random as draw"))
        assert call(worker, ("probe", "draw")) != 0


class Mortal:
    """A launcher whose first children are killed before they are asked anything."""

    def __init__(self, launcher, deaths):
        self.launcher, self.deaths = launcher, deaths

    def start(self, profile):
        child = self.launcher.start(profile)
        if self.deaths:
            self.deaths -= 1
            child.kill()
        return child


def test_a_child_that_is_killed_before_any_student_code_is_replaced_once(launcher):
    """Nobody is blamed for that; a second death is for a person to look at."""
    with Worker(Mortal(launcher, 1), source("def f(x):\n    return x"), Profile()) as worker:
        worker.begin(20)
        assert call(worker, "f", 2.0) == 2.0
    doomed = Worker(Mortal(launcher, 2), source("def f(x):\n    return x"), Profile())
    with doomed, pytest.raises(IsolationError, match="could not be prepared"):
        doomed.begin(20)
