"""Where nbgrader keeps what is handed in and graded, as the instructor's own ``nbgrader_config.py`` says."""

from __future__ import annotations

import traceback
from dataclasses import dataclass
from pathlib import Path

from grader.errors import UsageError
from grader.notebook import config, installed
from grader.submission.names import quoted


@dataclass(frozen=True, slots=True)
class Folders:
    """The folders and the gradebook of one nbgrader course."""

    root: Path
    structure: str  # as nbgrader writes it: {nbgrader_step}/{student_id}/{assignment_id}
    source_step: str
    submitted_step: str
    autograded_step: str
    database: str  # its URL

    def source(self, name: str) -> Path:
        """Return where an assignment's source notebooks lie."""
        return self._path(self.source_step, ".", name)

    def submitted(self, name: str, student: str) -> Path:
        """Return where a student's hand-in lies."""
        return self._path(self.submitted_step, student, name)

    def autograded(self, name: str, student: str) -> Path:
        """Return where the graded notebooks of a student lie."""
        return self._path(self.autograded_step, student, name)

    def slugs(self, name: str) -> tuple[str, ...]:
        """Return the notebooks of an assignment, without their ending.

        Raises:
            UsageError: there is none.
        """
        found = tuple(sorted(path.stem for path in self.source(name).glob("*.ipynb")))
        if not found:
            raise UsageError(
                f"there is no notebook in {self.source(name)}; write them with: grade nbgrader source {name} SLUG..."
            )
        return found

    def given(self, name: str) -> frozenset[str]:
        """Return the paths of what students receive beside the notebooks, which nbgrader puts there when it grades."""
        top = self.source(name)
        return frozenset(path.relative_to(top).as_posix() for path in top.rglob("*") if path.suffix != ".ipynb")

    def _path(self, step: str, student: str, name: str) -> Path:
        told = self.structure.format(nbgrader_step=step, student_id=student, assignment_id=name)
        return self.root / told


def read(folder: Path) -> Folders:
    """Read where a nbgrader course keeps its files, from all configuration that nbgrader's commands read there.

    Raises:
        UsageError: nbgrader is not installed, or the configuration does not run.
    """
    installed.require()
    from nbgrader.apps.baseapp import NbGrader
    from nbgrader.coursedir import CourseDirectory
    from traitlets.config import Application

    root = folder.absolute()
    file = root / config.NAME
    if not file.is_file():
        raise UsageError(
            f"there is no {config.NAME} in {root}, so it is no course of nbgrader; name one with --folder, or start "
            "with: grade nbgrader source"
        )
    application = NbGrader()
    application.load_cwd_config = False
    application.raise_config_file_errors = True
    try:
        paths = [str(root), *application.config_file_paths]
        Application.load_config_file(application, Path(config.NAME).stem, path=paths)
    except Exception as error:
        last = traceback.format_exception_only(error)[-1].strip()
        raise UsageError(f"{file} does not run: {quoted(last)}; mend it") from error
    own_root = {} if "root" in application.config.CourseDirectory else {"root": str(root)}
    course = CourseDirectory(parent=application, **own_root)
    return Folders(
        root=Path(course.root),
        structure=course.directory_structure,
        source_step=course.source_directory,
        submitted_step=course.submitted_directory,
        autograded_step=course.autograded_directory,
        database=course.db_url,
    )
