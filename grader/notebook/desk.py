"""One assignment on nbgrader's desk: its master copies, who handed in, what was judged, and what nbgrader has of it.

nbgrader's own objects say where everything lies; nothing here decides that.
"""

from __future__ import annotations

import json
import re
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC
from fnmatch import fnmatch
from functools import cached_property
from glob import glob
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grader.errors import UsageError
from grader.notebook import handed, judging, master
from grader.notebook.judging import Folder, Judged
from grader.notebook.stamp import stamped

if TYPE_CHECKING:
    from datetime import datetime

    from grader.grading import Request
    from grader.notebook.handed import Handed
    from grader.notebook.judging import Terms
    from grader.notebook.master import Master
    from grader.results import Run

LATER = "This was graded before, and not again since what it was graded by has changed. It has no score until then."


@dataclass
class Desk:
    """An assignment of a nbgrader course, as far as its ``CourseDirectory`` asks for it (students, notebooks).

    Raises:
        UsageError: the gradebook knows no such assignment.
    """

    where: Any  # nbgrader's CourseDirectory
    masters: dict[str, Master] = field(init=False)
    folders: tuple[Folder, ...] = field(init=False)

    def __post_init__(self) -> None:
        self.masters = master.read(self.where.db_url, self.assignment)
        self.folders = tuple(sorted(self._folders(), key=lambda folder: folder.student))
        self._judged: Judged | None = None

    @property
    def assignment(self) -> str:
        """The name of the assignment."""
        return str(self.where.assignment_id)

    @property
    def slugs(self) -> tuple[str, ...]:
        """The notebooks that are ours and asked for."""
        return tuple(name for name, one in self.masters.items() if one.ours and fnmatch(name, self.where.notebook_id))

    @cached_property
    def handed(self) -> dict[str, Handed]:
        """What each student handed in, by the path of the folder."""
        return {str(folder.path): folder.handed(self.slugs) for folder in self.folders}

    @property
    def judged(self) -> Judged:
        """What was judged; `take` comes before."""
        assert self._judged is not None, "asked for after judging"
        return self._judged

    def request(self, terms: Terms) -> Request:
        """Return what is to be judged, in the run file that belongs to the assignment.

        Raises:
            UsageError: none of its notebooks is ours, or nobody handed in.
        """
        if not self.slugs:
            raise UsageError(
                f"no notebook of {self.assignment!r} is one of our problems; `grade nbgrader source` writes such"
            )
        if not self.folders:
            raise UsageError(f"nobody has handed in {self.assignment!r}: there is nothing in {self._searched}")
        everybody = self.where.student_id == "*" and not self.where.student_id_exclude
        return judging.request(
            terms, Path(self.where.root), self.assignment, self.slugs, self.folders, everybody=everybody
        )

    def take(self, run: Run) -> None:
        """Go on with what was judged."""
        self._judged = Judged(self.assignment, run)

    def graded(self, student: str) -> Path:
        """Return the folder of a student's graded notebooks."""
        return Path(self.where.format_path(self.where.autograded_directory, student, self.assignment))

    def current(self, student: str) -> bool:
        """Say whether nbgrader's graded notebooks of a student hold what was judged now."""
        return all(self._stamped(student, slug) for slug in self.slugs)

    def forget(self, student: str) -> None:
        """Take back what nbgrader gave a student for the notebooks that are to be graded."""
        master.forget(self.where.db_url, self.assignment, student, self.slugs, LATER)

    def _stamped(self, student: str, slug: str) -> bool:
        wanted = self.judged.stamps(student, self.masters[slug])
        about = {"student": student, "assignment": self.assignment, "notebook": slug}
        found = []
        with suppress(OSError, ValueError, RecursionError):
            content = json.loads((self.graded(student) / f"{slug}{handed.SUFFIX}").read_text(encoding="utf-8"))
            stamps = (stamped(cell, self.judged.seal, **about) for cell in content["cells"])
            found = [stamp for stamp in stamps if stamp is not None]
        return {stamp.cell: stamp for stamp in found} == wanted

    def _folders(self) -> list[Folder]:
        """Return the folders that nbgrader would grade, in its own words."""
        step = self.where.submitted_directory
        pattern = self.where.format_path(step, "(?P<student>.*)", "(?P<assignment>.*)", escape=True)
        excluded = set(self.where.student_id_exclude.split(",")) - {""}
        found = []
        for name in glob(self._searched):  # noqa: PTH207 - the very pattern that nbgrader searches with
            path, match = Path(name), re.match(pattern, name)
            if match and path.is_dir() and match["student"] not in excluded:
                found.append(Folder(match["student"], path, self._moment(name)))
        return found

    @property
    def _searched(self) -> str:
        step, student = self.where.submitted_directory, self.where.student_id
        return str(self.where.format_path(step, student, self.assignment))

    def _moment(self, folder: str) -> datetime | None:
        """Return when somebody handed in; nbgrader keeps UTC without saying so."""
        with suppress(Exception):  # whatever stands in the file, it costs nothing but the time
            told = self.where.get_existing_timestamp(folder)
            return told.replace(tzinfo=UTC) if told is not None else None
        return None
