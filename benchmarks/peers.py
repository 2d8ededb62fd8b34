"""Parts (a) and (b): `grade run` against `nbgrader autograde`, otter-grader without containers, and plain pytest.

All grade answers to one torch problem on its visible checks, every answer distinct. nbgrader and `grade run` get the
same notebooks, those of `grade nbgrader source` with the checks in their cells; otter gets the answer's cell alone,
pytest a module. Each is timed as a whole command, started as its users start it: nbgrader once for its notebooks,
otter and pytest once a submission. With our adapter nbgrader grades the very notebooks of `grade nbgrader source`.
The peers live in a virtual environment of their own, which is made when it is not there.
"""

from __future__ import annotations

import csv
import json
import os
import shutil
import subprocess
import sys
import zipfile

from classes import hand_ins
from measuring import GRADE, ROOT, NotMeasuredError, Row, Used, alternated, compared, environment, finished
from notebooks import Tests, alone, answered

from grader import course
from grader import problem as problems
from grader.notebook import installed as beside_us
from grader.notebook import source
from grader.notebook.judging import RUNS

SLUG = "batch_reduction"
ASSIGNMENT = "week1"
INSTALLED = ("torch==2.14.1", "numpy", "nbgrader>=0.9,<0.10", "otter-grader", "ipykernel", "pytest")
INSTALL_SECONDS = 1800
AIM = "at least 100"
ADAPTER = "nbgrader autograde : with our adapter, a notebook"
PEERS = {"nbgrader": ("a", "nbgrader autograde"), "otter": ("b", "otter run"), "pytest": ("b", "pytest")}
CONFIG = "c = get_config()\nc.CourseDirectory.course_id = 'bench'\nc.ExecutePreprocessor.timeout = 600\n"


class Class:
    """The same answers as each grader wants them, below one folder."""

    def __init__(self, folder, few, many, venv):
        files = course.find(ROOT).problem(SLUG)
        self.tests = Tests.of(files, problems.load(files))
        self.folder, self.few, self.many, self.venv = folder, few, many, venv
        self.answers = list(hand_ins(ROOT, many, bits=True, slugs=[SLUG]))
        self.course = folder / "course"
        home = folder / "home"
        home.mkdir(parents=True)
        path = f"{venv / 'bin'}{os.pathsep}{os.environ['PATH']}"
        self.bare = {"HOME": str(home), "IPYTHONDIR": str(home), "JUPYTER_CONFIG_DIR": str(home)}
        self.env = environment(PATH=path, **self.bare)
        del self.env["PYTHONPATH"]

    def ours(self):
        """Return two contenders: `grade run` on the visible checks, and on all checks of the problem."""
        for one in ("problems", "reference"):
            (self.course / one).mkdir(parents=True)
        (self.course / "problems" / SLUG).mkdir()
        for name in ("statement.md", "visible.py"):
            shutil.copy(ROOT / "problems" / SLUG / name, self.course / "problems" / SLUG)
        shutil.copy(ROOT / "reference" / f"{SLUG}.py", self.course / "reference")
        released = self.tests.source()
        for one in self.answers:
            _put(self.folder / "many" / one.student / f"{SLUG}.ipynb", answered(released, one.text))
        return {name: lambda at=at: self._grade(at) for name, at in (("visible", self.course), ("all", ROOT))}

    def _grade(self, at):
        shutil.rmtree(self.folder / "run", ignore_errors=True)
        return finished(self._command(at)).each(self.many)

    def _command(self, at):
        command = [*GRADE, "--course", at, "run", self.folder / "many", "-o", self.folder / "run"]
        return [*command, "--problem", SLUG, "--min-tier", "1", "--seed", "1"]

    def nbgrader(self):
        """Return the contender `nbgrader autograde`."""
        root = self.folder / "nbgrader"
        _put(root / "nbgrader_config.py", CONFIG)
        _put(root / "source" / ASSIGNMENT / f"{SLUG}.ipynb", self.tests.source())
        finished([self.venv / "bin" / "nbgrader", "generate_assignment", ASSIGNMENT], cwd=root, env=self.env)
        released = (root / "release" / ASSIGNMENT / f"{SLUG}.ipynb").read_text(encoding="utf-8")
        for one in self.answers[: self.few]:
            _put(root / "submitted" / one.student / ASSIGNMENT / f"{SLUG}.ipynb", answered(released, one.text))
        command = [self.venv / "bin" / "nbgrader", "autograde", ASSIGNMENT, "--force"]
        return lambda: finished(command, cwd=root, env=self.env).each(self.few)

    def adapter(self):
        """Return the contender `grade nbgrader autograde`: nbgrader with our adapter, in our own environment.

        Raises:
            NotMeasuredError: nbgrader is not installed there.
        """
        if not beside_us.version():
            raise NotMeasuredError(f"nbgrader is not installed beside {sys.executable}")
        root, env = self.folder / "adapter", environment(**self.bare)
        source.write(course.find(self.course), ASSIGNMENT, [SLUG], root)
        finished(
            beside_us.command("generate_assignment", ASSIGNMENT),
            cwd=root,
            env=env | {"PATH": beside_us.environment()["PATH"]},
        )
        released = (root / "release" / ASSIGNMENT / f"{SLUG}.ipynb").read_text(encoding="utf-8")
        for one in self.answers:
            _put(root / "submitted" / one.student / ASSIGNMENT / f"{SLUG}.ipynb", answered(released, one.text))

        def graded():
            for path in (root / RUNS / ASSIGNMENT).glob("run.*"):
                path.unlink()
            command = [*GRADE, "nbgrader", "autograde", ASSIGNMENT, "--folder", root, "--force"]
            return finished(command, env=env).each(self.many)

        return graded

    def otter(self):
        """Return the contender `otter run`, one process a submission."""
        root = self.folder / "otter"
        root.mkdir()
        with zipfile.ZipFile(root / "autograder.zip", "w") as archive:
            archive.writestr("tests/visible.py", self.tests.otter())
            archive.writestr("otter_config.json", json.dumps({"pdf": False}))
        for one in self.answers[: self.few]:
            _put(root / one.student / f"{SLUG}.ipynb", alone(one.text))
        command = [self.venv / "bin" / "otter", "run", "-a", root / "autograder.zip", "--no-logo"]
        return self._one_by_one(root, lambda place: [*command, "-o", place, place / f"{SLUG}.ipynb"])

    def pytest(self):
        """Return the contender pytest, one process a submission."""
        root = self.folder / "pytest"
        for one in self.answers[: self.few]:
            _put(root / one.student / f"{SLUG}.py", one.text)
            _put(root / one.student / "test_visible.py", self.tests.pytest())
        command = [self.venv / "bin" / "python", "-m", "pytest", "-q", "-p", "no:cacheprovider"]
        return self._one_by_one(root, lambda place: [*command, "--rootdir", place, place])

    def _one_by_one(self, root, command):
        def graded():
            runs = [
                finished(command(root / one.student), cwd=root, env=self.env, codes=(0, 1, 2))
                for one in self.answers[: self.few]
            ]
            return Used(sum(run.wall for run in runs), sum(run.cpu for run in runs)).each(self.few)

        return graded

    def agreement(self):
        """Return for how many of the few nbgrader and `grade run` gave equal points."""
        root = self.folder / "nbgrader"
        finished([self.venv / "bin" / "nbgrader", "export", "--to", "grades.csv"], cwd=root, env=self.env)
        with (root / "grades.csv").open(newline="") as stream:
            theirs = {row["student_id"]: float(row["score"] or 0) for row in csv.DictReader(stream)}
        shutil.rmtree(self.folder / "run", ignore_errors=True)
        command = list(map(str, [*self._command(self.course), "--json"]))
        said = subprocess.run(command, env=environment(), capture_output=True, check=True).stdout
        ours = {one["student"]: one["score"] for one in json.loads(said)["students"]}
        return sum(abs(ours[student] - score) < 1e-9 for student, score in theirs.items()), len(theirs)  # noqa: PLR2004


def rows(folder, few, many, rounds, venv):
    """Yield what each peer takes a submission against `grade run`.

    Args:
        folder: where everything is put; must not exist.
        few: submissions for each peer.
        many: submissions for `grade run`, those of the peers among them.
        rounds: how often each contender's turn comes.
        venv: where the peers are installed, or will be.
    """
    everybody = Class(folder, few, many, venv)
    contenders, missing = everybody.ours(), {}
    trouble = installed(venv)
    for name in ("adapter", *PEERS):
        try:
            if trouble and name != "adapter":
                missing[name] = trouble
                continue
            graded = getattr(everybody, name)()
            graded()  # a warm-up, and whether it runs at all
            contenders[name] = graded
        except NotMeasuredError as reason:
            missing[name] = str(reason)
    taken = alternated(contenders, rounds)
    for name, (part, called) in PEERS.items():
        what, aim = f"{called} : grade run, a notebook", AIM if part == "a" else ""
        if name in missing:
            yield Row(part, what, aim=aim, note=f"not measured: {missing[name]}")
            continue
        note = f"{few} : {many} submissions"
        if name == "nbgrader":
            note += "; equal points for {} of {}".format(*everybody.agreement())
        yield compared(part, what, taken[name].wall, taken["visible"].wall, aim=aim, note=note)
        yield compared(part, f"{what}, CPU time", taken[name].cpu, taken["visible"].cpu)
        if name == "nbgrader":
            yield compared(part, f"{what}, hidden checks too", taken[name].wall, taken["all"].wall)
            if "adapter" in missing:
                yield Row(part, ADAPTER, note=f"not measured: {missing['adapter']}")
            else:
                yield compared(part, ADAPTER, taken[name].wall, taken["adapter"].wall)


def installed(venv):
    """Make the peers' virtual environment if it is not there; return why it cannot be had, or nothing."""
    mark = venv / "installed"
    if mark.exists():
        return ""
    print(f"Installing the peers in {venv}; this takes minutes.", file=sys.stderr)
    try:
        subprocess.run([sys.executable, "-m", "venv", str(venv)], check=True, capture_output=True)
        pip = [str(venv / "bin" / "python"), "-m", "pip", "install", "--quiet", *INSTALLED]
        subprocess.run(pip, check=True, capture_output=True, text=True, timeout=INSTALL_SECONDS)
    except subprocess.CalledProcessError as error:
        last = (error.stderr or "").strip().splitlines()[-1:] or [str(error)]
        return f"they cannot be installed: {last[0][:160]}"
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"they cannot be installed: {error}"
    mark.touch()
    return ""


def _put(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
