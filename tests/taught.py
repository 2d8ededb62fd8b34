"""A nbgrader course for tests, with real nbgrader: its commands run in this process, since importing takes long."""

from __future__ import annotations

import atexit
import contextlib
import functools
import importlib.util
import io
import json
import logging
import os
import shutil
import tempfile
import warnings
from pathlib import Path

import pytest
from courses import tiny_course

from grader import course as courses

NAME = "week1"
ANSWERS = {
    "double": "import numpy as np\n\n\ndef double(x):\n    return 2 * x\n",
    "triple": "def triple(x):\n    return 3 * x\n",
}
SQUARE = "def double(x):\n    return x**2\n"
needs_nbgrader = pytest.mark.skipif(importlib.util.find_spec("nbgrader") is None, reason="nbgrader is not installed")


class Taught:
    """The folder of a nbgrader course that grades with us, and the course of problems behind it."""

    def __init__(self, root: Path, course: Path) -> None:
        self.root = root
        self.course = course

    @staticmethod
    def made(folder: Path, *slugs: str, course: Path | None = None) -> Taught:
        """Make a course whose assignment ``week1`` is generated."""
        from grader.notebook import source

        taught = Taught(folder / "taught", course or tiny_course(folder, *slugs))
        source.write(courses.find(taught.course), NAME, slugs, taught.root)
        with (taught.root / "nbgrader_config.py").open("a", encoding="utf-8") as config:
            config.write("c.SandboxJudge.jobs = 1\n")  # a second judge takes longer to come up than it saves here
        taught.nbgrader("generate_assignment", NAME)
        return taught

    @staticmethod
    @functools.cache
    def shared() -> Taught:
        """Return a course of two problems that is made once for all tests; to be copied, not to be changed."""
        folder = tempfile.TemporaryDirectory()
        atexit.register(folder.cleanup)
        return Taught.made(Path(folder.name), "double", "triple")

    def copied(self, folder: Path) -> Taught:
        """Return another course like this one, with problems of its own."""
        shutil.copytree(self.root, folder / "taught")
        shutil.copytree(self.course, folder / "course")
        config = folder / "taught" / "nbgrader_config.py"
        config.write_text(config.read_text(encoding="utf-8").replace(str(self.course), str(folder / "course")))
        return Taught(folder / "taught", folder / "course")

    def nbgrader(self, *arguments: object, code: int = 0) -> str:
        """Run a command of nbgrader in this process; return its log."""
        with warnings.catch_warnings(), contextlib.chdir(self.root), _found():
            warnings.simplefilter("ignore")  # nbgrader's own
            return _run([str(one) for one in arguments], code)

    def graded_in_formgrader(self, student: str) -> dict:
        """Grade one student as the formgrader does; return what it is told."""
        with warnings.catch_warnings(), _found():
            warnings.simplefilter("ignore")
            from nbgrader.apps import NbGraderAPI
            from nbgrader.coursedir import CourseDirectory
            from traitlets.config import PyFileConfigLoader

            config = PyFileConfigLoader("nbgrader_config.py", path=str(self.root)).load_config()
            return NbGraderAPI(CourseDirectory(root=str(self.root), config=config), config=config).autograde(
                NAME, student
            )

    def released(self, slug: str) -> dict:
        """Return the notebook that students receive."""
        return json.loads((self.root / "release" / NAME / f"{slug}.ipynb").read_text(encoding="utf-8"))

    def answered(self, slug: str, text: str | None = None, marking: str = "") -> dict:
        """Return it with an answer in its answer cell: the right one if none is given."""
        notebook = self.released(slug)
        cell_of(notebook, f"{slug}--answer--{slug}")["source"] = ANSWERS[slug] if text is None else text
        if marking:
            cell_of(notebook, f"{slug}--marking--1")["source"] = marking
        return notebook

    def hand_in(self, student: str, **notebooks: object) -> Path:
        """Put notebooks where nbgrader finds what was collected; return the folder."""
        folder = self.root / "submitted" / student / NAME
        folder.mkdir(parents=True, exist_ok=True)
        for slug, content in notebooks.items():
            data = content if isinstance(content, bytes) else json.dumps(content).encode()
            (folder / f"{slug}.ipynb").write_bytes(data)
        return folder

    def grades(self, student: str, slug: str) -> dict[str, tuple]:
        """Return (auto score, manual score, needs a person) of a notebook's cells, by the last part of their names."""
        with self.book() as book:
            found = book.find_submission_notebook(slug, NAME, student).grades
            return {
                one.name.removeprefix(f"{slug}--"): (one.auto_score, one.manual_score, one.needs_manual_grade)
                for one in found
            }

    def score(self, student: str, slug: str) -> float:
        """Return what a notebook has in the gradebook."""
        with self.book() as book:
            return book.find_submission_notebook(slug, NAME, student).score

    @contextlib.contextmanager
    def book(self):
        from nbgrader.api import Gradebook

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with Gradebook(f"sqlite:///{self.root / 'gradebook.db'}") as book:
                yield book

    def graded(self, student: str, slug: str) -> dict:
        """Return the autograded notebook."""
        path = self.root / "autograded" / student / NAME / f"{slug}.ipynb"
        return json.loads(path.read_text(encoding="utf-8"))

    def report(self, student: str, slug: str, name: str) -> str:
        """Return what a check's cell shows."""
        cell = cell_of(self.graded(student, slug), f"{slug}--check--{name}")
        return text_of(cell["outputs"][0])


def text_of(output: dict) -> str:
    """Return the text of an output."""
    return "".join(output["data"]["text/plain"]) if "data" in output else "\n".join(output["traceback"])


def cells_of(notebook: dict, grade_id: str) -> list[dict]:
    """Return all cells of that name."""
    return [cell for cell in notebook["cells"] if cell["metadata"].get("nbgrader", {}).get("grade_id") == grade_id]


def cell_of(notebook: dict, grade_id: str) -> dict:
    """Return the first cell of that name."""
    return cells_of(notebook, grade_id)[0]


@contextlib.contextmanager
def _found():
    """Let nbgrader find what lies beside the interpreter, as in a virtual environment that is activated."""
    from grader.notebook import installed

    before = os.environ["PATH"]
    os.environ["PATH"] = installed.environment()["PATH"]
    try:
        yield
    finally:
        os.environ["PATH"] = before


def _run(arguments: list[str], code: int) -> str:
    from jupyter_core.application import NoStart
    from nbgrader.apps.nbgraderapp import NbGraderApp

    told = io.StringIO()
    application = NbGraderApp.instance()
    try:
        application.initialize(arguments)
        application.init_logging(logging.StreamHandler, [told], color=False, subapps=True)
        application.start()
    except NoStart:  # how it says that a command of its own has run
        done = 0
    except SystemExit as end:
        done = end.code or 0
    finally:
        said = told.getvalue()
        application.reset()
    assert done == code, said
    return said
