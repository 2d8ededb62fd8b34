"""An assignment graded from the command line: judged in parallel, then recorded by nbgrader's own autograde.

nbgrader runs as a process of its own, in its course, with the configuration that its other commands have; it finds
every verdict in the run file and judges nothing again.
"""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grader import store
from grader.errors import UsageError
from grader.notebook import config, installed
from grader.notebook.judging import RUNS

if TYPE_CHECKING:
    from collections.abc import Callable

    from grader.notebook.desk import Desk
    from grader.notebook.judging import Terms

LOG = "nbgrader.log"
_STEP = re.compile(r"Autograding .*?([^/\\]+)[/\\][^/\\]+[/\\][^/\\]+\.ipynb$")


@dataclass(frozen=True, slots=True)
class Wish:
    """What somebody wants graded: an assignment of the nbgrader course in a folder.

    ``student`` may be a pattern, as nbgrader has it. ``force`` has nbgrader record everybody anew.
    """

    folder: Path
    name: str
    student: str = "*"
    force: bool = False
    jobs: int | None = None


@dataclass(frozen=True, slots=True)
class Recorded:
    """What nbgrader's autograde came to: students whose marks it does not have, and its log.

    ``trouble`` is set where it complained of something else, as of an instructor's own notebook.
    """

    left: tuple[str, ...]
    log: Path
    trouble: bool


def opened(wish: Wish) -> tuple[Desk, Terms]:
    """Return the assignment as nbgrader's own configuration has it, and how it is judged.

    Raises:
        UsageError: nbgrader, our lines in its configuration, the assignment or hand-ins are missing.
    """
    installed.require()
    from grader.notebook.adapter import SandboxJudge
    from grader.notebook.desk import Desk

    application, where = _course(wish)
    terms = SandboxJudge(parent=application).terms
    return Desk(where), replace(terms, jobs=wish.jobs or terms.jobs)


def due(desk: Desk, wish: Wish) -> list[str]:
    """Return the students whom nbgrader has to record: those whose graded notebooks hold something else, or nothing."""
    return [one.student for one in desk.folders if wish.force or not desk.current(one.student)]


def unscored(desk: Desk) -> list[tuple[str, str]]:
    """Return the students and problems that could not be judged, through our own fault."""
    pairs = ((folder.student, slug) for folder in desk.folders for slug in desk.slugs)
    found = ((pair, desk.judged.verdict(*pair)) for pair in pairs)
    return [pair for pair, verdict in found if verdict is None or verdict[0].score is None]


def record(desk: Desk, wish: Wish, hear: Callable[[str], None]) -> Recorded:
    """Let nbgrader autograde, and look at what it has.

    Args:
        desk: the assignment, judged.
        wish: what was asked for.
        hear: hears the name of each student whose notebook is being recorded, once a notebook.
    """
    asked = [f"--student={wish.student}"] if wish.student != "*" else []
    asked += ["--force"] if wish.force else []
    log = Path(desk.where.root) / RUNS / wish.name / LOG
    with (
        log.open("w", encoding="utf-8", errors="replace") as told,
        subprocess.Popen(
            installed.command("autograde", wish.name, *asked),
            cwd=wish.folder,
            env=installed.environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
        ) as process,
    ):
        assert process.stdout is not None
        try:
            for line in process.stdout:
                told.write(line)
                if step := _STEP.search(line.rstrip()):
                    hear(step[1])
        except BaseException:
            process.terminate()
            raise
    desk.take(store.read(log.parent))  # what was BROKEN has been judged once more
    left = tuple(one.student for one in desk.folders if not desk.current(one.student))
    return Recorded(left, log, trouble=bool(process.returncode) and not left)


def _course(wish: Wish) -> tuple[Any, Any]:
    """Return nbgrader's application and course folder, configured as its commands are when they run there."""
    from nbgrader.apps.baseapp import NbGrader
    from nbgrader.coursedir import CourseDirectory
    from traitlets.config import Application

    folder = wish.folder.resolve()
    application = NbGrader()
    application.load_cwd_config = False
    paths = [str(folder), *application.config_file_paths]
    Application.load_config_file(application, Path(config.NAME).stem, path=paths)
    if application.config.Autograde.get("exporter_class") != config.EXPORTER:
        raise UsageError(
            f"{folder / config.NAME} does not make nbgrader grade with us; `grade nbgrader source` writes the lines "
            "that do, or say where the nbgrader course is with --folder"
        )
    root = {} if "root" in application.config.CourseDirectory else {"root": str(folder)}
    where = CourseDirectory(parent=application, assignment_id=wish.name, student_id=wish.student, **root)
    return application, where
