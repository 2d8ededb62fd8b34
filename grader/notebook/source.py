"""An assignment in a nbgrader course: its source notebooks, what students need beside them, and the configuration.

::

    nbgrader_config.py             our block in it, if the file is new or has one; else the lines are printed
    source/NAME/<slug>.ipynb       a source notebook a problem
    source/NAME/problems/<slug>/   what the visible checks need on a student's machine, as in a release
    grader-runs/NAME/source.json   what we have written, so that what somebody has edited is told apart

What was edited since is kept and named, never written over. A notebook that was only opened, run and saved counts as
it was.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grader import assignments, release, whole
from grader import problem as problems
from grader.course import listed, nearest
from grader.errors import CourseError, UsageError
from grader.notebook import config, installed, paper

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from grader.course import Course

RUNS = "grader-runs"
LEDGER = "source.json"
FORMAT = 1
_NAME = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9_. -]*[A-Za-z0-9_-])?")


@dataclass(frozen=True, slots=True)
class Written:
    """What became of an assignment's files, by path below the nbgrader course.

    ``kept`` were edited and differ from what we would write; ``extra`` are notebooks of problems that were not named
    and are still there. ``points`` are those of checks and those given by hand. ``lines`` are what the configuration
    lacks; "" if it has them.
    """

    folder: Path
    name: str
    written: tuple[str, ...]
    same: tuple[str, ...]
    kept: tuple[str, ...]
    extra: tuple[str, ...]
    points: float
    manual_points: float
    lines: str


def write(
    course: Course,
    name: str,
    slugs: Sequence[str],
    folder: Path,
    *,
    say: Callable[[str], None] = lambda _slug: None,
) -> Written:
    """Write an assignment into a nbgrader course.

    Args:
        course: the whole course, with references.
        name: the assignment, as nbgrader will know it.
        slugs: its problems; none for those of the assignment of that name in ``course.toml``.
        folder: nbgrader's course.
        say: is told each problem before its known mistakes are asked, which takes seconds.

    Raises:
        UsageError: the name is none for nbgrader, its version is not known here, or a file cannot be written.
        CourseError: there is no such problem or no reference of one.
        AuthoringError: a problem breaks a rule of the author's words.
    """
    if not _NAME.fullmatch(name):
        raise UsageError(f"nbgrader takes no assignment {name!r}: letters, digits, '_', '-', '.' and spaces are fine")
    if installed.version():
        installed.require()
    slugs = tuple(dict.fromkeys(slugs)) or _assigned(course, name)
    files: dict[str, bytes] = {}
    points = manual_points = 0.0
    for slug in slugs:
        texts = course.problem(slug)
        release.demand_whole(course, slug)
        problem = problems.load(texts)
        say(slug)
        for path, content in release.folder(course, problem).items():
            files[path] = content.encode() if isinstance(content, str) else content
        statement = release.pointed(course, problem, f"problems/{slug}")
        files[f"{slug}.ipynb"] = paper.notebook(problem, statement, texts.marking).encode()
        points, manual_points = points + problem.points, manual_points + problem.manual_points
    try:
        home = Path("source") / name
        done = _Writing(folder, home, Path(RUNS) / name / LEDGER).write(files)
        lines = _configured(folder / config.NAME, course.root)
    except OSError as error:
        raise UsageError(f"{folder} cannot be written ({error.strerror}); give another with --folder") from error
    extra = tuple(f"{home / path.name}" for path in sorted((folder / home).glob("*.ipynb")) if path.stem not in slugs)
    return Written(folder, name, *done, extra, points, manual_points, lines)


def _assigned(course: Course, name: str) -> tuple[str, ...]:
    known = assignments.names(course)
    if name not in known:
        where = course.root / "course.toml"
        raise CourseError(
            f"no assignment {name!r} in {where}{nearest(name, known)}; known: {listed(known)}; or name its problems"
        )
    return assignments.read(course, name).problems


class _Writing:
    """Files of one assignment, written where nobody has edited them."""

    def __init__(self, folder: Path, home: Path, ledger: Path) -> None:
        self._folder = folder
        self._home = home
        self._ledger = folder / ledger

    def write(self, files: Mapping[str, bytes]) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
        """Write files; return the paths of those written, those that are so already, and those kept as edited."""
        ours = self._read()
        written, same, kept = [], [], []
        for path in sorted(files):
            place = self._folder / self._home / path
            held, wanted = _held(place), _digest(path, files[path])
            if held == wanted:
                same.append(path)
            elif held in {"", ours.get(path)}:
                _put(place, files[path])
                written.append(path)
            else:
                kept.append(path)
                continue
            ours[path] = wanted
        for path in sorted(ours.keys() - files.keys()):  # of a problem that is no longer in it
            place = self._folder / self._home / path
            if path.startswith("problems/") and _held(place) == ours.pop(path):
                place.unlink()
        self._keep(ours)
        return tuple(map(self._shown, written)), tuple(map(self._shown, same)), tuple(map(self._shown, kept))

    def _shown(self, path: str) -> str:
        return f"{self._home / path}"

    def _read(self) -> dict[str, str]:
        """Return the digests of what we have written, by path; none where that is not known any more."""
        try:
            content = json.loads(self._ledger.read_text(encoding="utf-8"))
            return {str(path): str(digest) for path, digest in content["files"].items()}
        except (OSError, AttributeError, LookupError, TypeError, ValueError):
            return {}

    def _keep(self, ours: Mapping[str, str]) -> None:
        content = {"format": FORMAT, "files": dict(sorted(ours.items()))}
        _put(self._ledger, (json.dumps(content, indent=1, ensure_ascii=False) + "\n").encode())


def _configured(path: Path, course: Path) -> str:
    """Bring our block in the configuration up to date; return the lines where there is none and the file is taken."""
    before = path.read_text(encoding="utf-8") if path.is_file() else ""
    after = config.updated(before, course)
    if after is None:
        return config.block(course)
    if after != before:
        _put(path, after.encode())
    return ""


def _held(path: Path) -> str:
    """Return the digest of what lies somewhere; "" for nothing."""
    if not path.exists() and not path.is_symlink():
        return ""
    return _digest(path.name, path.read_bytes()) if path.is_file() and not path.is_symlink() else "no file"


def _digest(path: str, content: bytes) -> str:
    """Return what tells a file from another: of a notebook, the cells; not their outputs, ids and counts."""
    if path.endswith(".ipynb"):
        # What is no notebook any more is told by its bytes.
        with contextlib.suppress(LookupError, RecursionError, TypeError, ValueError):
            content = json.dumps([_told(cell) for cell in json.loads(content)["cells"]]).encode()
    return hashlib.sha256(content).hexdigest()


def _told(cell: dict[str, Any]) -> list[Any]:
    source = cell["source"]
    text = source if isinstance(source, str) else "".join(source)
    grading = cell["metadata"].get("nbgrader")
    return [cell["cell_type"], text, sorted(grading.items()) if grading else None, cell.get("attachments")]


def _put(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with whole.part(path) as part:
        part.write_bytes(content)
        part.replace(path)
