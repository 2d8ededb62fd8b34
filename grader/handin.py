"""A student's own work, looked over and packed for hand-in; nothing of it is run.

::

    pack        the files of some work -> one zip, and what the student should know before it leaves
    keep        the zip, beside the work, to upload
    deliver     the zip and its receipt, in DIR/STUDENT/ of an inbox, whole or not at all
"""

from __future__ import annotations

import ast
import contextlib
import getpass
import hashlib
import io
import json
import os
import re
import tempfile
import warnings
import zipfile
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grader import assignments, practice, submission, whole
from grader import problem as problems
from grader.bundle import Entry, entries
from grader.errors import CourseError, SubmissionError, UsageError
from grader.submission import names
from grader.submission.names import quoted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from grader.assignments import Assignment
    from grader.course import Course
    from grader.isolation.profile import SourceFile
    from grader.practice import Work
    from grader.submission import Submission

_EPOCH = (1980, 1, 1, 0, 0, 0)  # the first moment that a zip can tell; the same files make the same bytes
_NO_NAME = "hand-in"


@dataclass(frozen=True, slots=True)
class Packed:
    """One hand-in, ready to leave: a zip that `submission.load` reads, and what is worth a second look."""

    name: str  # of the assignment
    content: bytes
    files: tuple[Entry, ...]
    problems: tuple[str, ...]
    warnings: tuple[str, ...]
    home: Path  # the folder that the work lies in

    @property
    def digest(self) -> str:
        """Digest of the zip."""
        return hashlib.sha256(self.content).hexdigest()


@dataclass(frozen=True, slots=True)
class Receipt:
    """What was handed in, by whom and when."""

    student: str
    time: datetime
    digest: str
    files: tuple[Entry, ...]

    def document(self) -> dict[str, Any]:
        """Return it as plain data."""
        files = [{"name": entry.path, "sha256": entry.sha256, "bytes": entry.bytes} for entry in self.files]
        return {"student": self.student, "time": _iso(self.time), "digest": self.digest, "files": files}


# Packing


def pack(course: Course, wanted: Sequence[str], here: Path, assignment: str | None = None) -> Packed:
    """Pack the work that is named, or all that lies here.

    Args:
        course: the course, as a student has it.
        wanted: paths, and names of problems; see `practice.find`.
        here: the working folder.
        assignment: what it is handed in for; None for the one that these problems belong to.

    Raises:
        UsageError: there is nothing to hand in: no work, or all of it is as it was handed out.
        SubmissionError: what would be refused after hand-in is refused now, in the same words.
        CourseError: there is no such assignment.
    """
    works = practice.find(course, wanted, here)
    handed_in = tuple(work.slug for work in works)
    meant = _assignment(course, handed_in, assignment)
    sources = _sources(works, course.slugs)
    content = _zipped(sources)
    name = meant.name if meant and _is_name(meant.name) else _NO_NAME
    read = _read_back(content, f"{name}.zip", course.slugs)
    told: list[str] = []
    untouched: list[str] = []
    for slug in handed_in:
        answer = submission.answer(read, slug)
        assert answer is not None, "a work without its own file"
        touched, remarks = _look(answer.main, problems.load(course.problem(slug)).stub)
        untouched += [] if touched else [answer.main.name]
        told += [*answer.notes, *remarks]
    if len(untouched) == len(works):
        raise UsageError(f"there is nothing to hand in: no function is written yet in {_listed(handed_in)}")
    if untouched:
        told.append(f"as handed out: {_listed(untouched)}")
    told += [*_missing(meant, handed_in), *_ignored(works, wanted, name), *_lateness(meant)]
    return Packed(name, content, entries(sources), handed_in, tuple(told), _home(works[0]))


def _assignment(course: Course, handed_in: Sequence[str], wanted: str | None) -> Assignment | None:
    """Return what the work is for: what is named, else the one assignment that all of it belongs to."""
    if wanted is not None:
        meant = assignments.read(course, wanted)
        if strange := [slug for slug in handed_in if slug not in meant.problems]:
            raise CourseError(f"{_listed(strange)} is no problem of {wanted}; its problems: {_listed(meant.problems)}")
        return meant
    known = [assignments.read(course, name) for name in assignments.names(course)]
    fitting = [one for one in known if set(handed_in) <= set(one.problems)]
    return fitting[0] if len(fitting) == 1 else None


def _sources(works: Iterable[Work], slugs: tuple[str, ...]) -> dict[str, bytes]:
    """Return the files of some work by the names that they are handed in with."""
    found: dict[str, bytes] = {}
    for work in works:
        read = submission.load(work.place, student=practice.STUDENT, slugs=slugs)
        if read.refused:
            raise SubmissionError(read.refused)
        submission.answer(read, work.slug)
        for file in read.files:
            if found.setdefault(file.path, file.content) != file.content:
                raise UsageError(
                    f"two different files are named {quoted(file.path)}; hand in one folder, or rename one of them"
                )
    return found


def _zipped(sources: Mapping[str, bytes]) -> bytes:
    """Return a zip whose bytes follow from its files alone, on every machine: nothing is compressed or dated."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as box:
        for name in sorted(sources):
            info = zipfile.ZipInfo(name, _EPOCH)
            info.create_system = 3
            info.external_attr = 0o100644 << 16
            box.writestr(info, sources[name])
    return buffer.getvalue()


def _read_back(content: bytes, name: str, slugs: tuple[str, ...]) -> Submission:
    """Read the zip as it will be read after hand-in."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, name)
        path.write_bytes(content)
        read = submission.load(path, student=practice.STUDENT, slugs=slugs)
    if read.refused:
        raise SubmissionError(read.refused)
    return read


def _home(work: Work) -> Path:
    return work.files[0].parent


# What a student should know before it leaves


def _look(main: SourceFile, stub: str) -> tuple[bool, list[str]]:
    """Return whether a file differs from what was handed out, and remarks on it; it is parsed, never run."""
    wanted = [name for name, written in _functions(ast.parse(stub)).items() if not written]
    found: dict[str, bool] = {}
    for cell in main.cells:
        try:
            found |= _functions(_parsed(cell))
        except SyntaxError as error:
            if not main.notebook:  # where magics are no fault
                return True, [f"{main.name}, line {error.lineno}: SyntaxError: {error.msg}"]
        except (MemoryError, RecursionError, ValueError):
            return True, []
    missing = [name for name in wanted if found.get(name) is False]
    if missing and missing == wanted:
        return False, []
    return True, [f"{main.name}: not written yet: {_listed(missing)}"] if missing else []


def _parsed(cell: str) -> ast.Module:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of escapes in the student's strings
        return ast.parse(cell)


def _functions(tree: ast.Module) -> dict[str, bool]:
    """Return for each function and method whether it is written; one that only raises NotImplementedError is not."""
    found: dict[str, bool] = {}
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            found[node.name] = not _is_stub(node.body)
        elif isinstance(node, ast.ClassDef):
            methods = (part for part in node.body if isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef)))
            found |= {f"{node.name}.{method.name}": not _is_stub(method.body) for method in methods}
    return found


def _is_stub(body: list[ast.stmt]) -> bool:
    *before, last = body
    only_texts = all(isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant) for one in before)
    return only_texts and isinstance(last, ast.Raise) and "NotImplementedError" in ast.unparse(last)


def _missing(meant: Assignment | None, handed_in: Sequence[str]) -> Iterator[str]:
    if meant and (missing := [slug for slug in meant.problems if slug not in handed_in]):
        yield f"no file for {_listed(missing)}: not attempted, no points"


def _ignored(works: Iterable[Work], wanted: Sequence[str], name: str) -> Iterator[str]:
    """Say what lies in the folders that were named, or where the work is, and is not handed in."""
    taken = {path.absolute() for work in works for path in work.files}
    folders = {Path(os.path.normpath(one)) for one in wanted} if wanted else {_home(work) for work in works}
    left: list[str] = []
    for folder in sorted(path for path in folders if path.is_dir()):
        with contextlib.suppress(OSError):
            left += [
                path.name + "/" * path.is_dir()
                for path in sorted(folder.iterdir())
                if not names.is_litter(path.name) and not _is_ours(path, name) and path.absolute() not in taken
            ]
    if left:
        yield f"not handed in: {_listed(left)}"


def _is_ours(path: Path, name: str) -> bool:
    return re.fullmatch(rf"{re.escape(name)}(-[0-9]+)?\.zip", path.name) is not None


def _lateness(meant: Assignment | None) -> Iterator[str]:
    if meant and meant.due and datetime.now(UTC) > meant.due:
        yield f"{meant.name} was due {meant.due.astimezone():%Y-%m-%d %H:%M}, your computer's time"


def _listed(found: Sequence[str]) -> str:
    return names.some([names.shown(name) for name in found])


# Where it goes


def keep(packed: Packed, folder: Path) -> Path:
    """Write the zip into a folder, under the next free name; one that is there and equal is kept.

    Raises:
        UsageError: the folder cannot be written.
    """
    for number in count(1):
        path = folder / (f"{packed.name}.zip" if number == 1 else f"{packed.name}-{number}.zip")
        try:
            if _placed(path, packed.content):
                return path
        except OSError as error:
            raise UsageError(
                f"{path} cannot be written ({error.strerror}); free some room or work elsewhere"
            ) from error
    raise AssertionError("there is always another number")


def receipt(packed: Packed, student: str, now: datetime) -> Receipt:
    """Return the receipt for a hand-in at a moment."""
    return Receipt(student, now.astimezone(UTC).replace(microsecond=0), packed.digest, packed.files)


def deliver(packed: Packed, inbox: Path, student: str, now: datetime) -> tuple[Path, Receipt]:
    """Put a hand-in and its receipt into an inbox, as ``STUDENT/20261130T221500Z-1a2b3c4d.zip`` and ``.json``.

    Ended in the middle it leaves no part of a file under these names, and no zip without its receipt. Nothing is
    ever written over.

    Returns:
        Where the zip lies, and the receipt.

    Raises:
        UsageError: there is no such inbox, it cannot be written, or no folder can have the student's name.
    """
    if not inbox.is_dir():
        raise UsageError(f"there is no inbox {inbox}; check the path, or ask who runs the course")
    if not _is_name(student):
        raise UsageError(f"no folder can be named {quoted(student)}; give another name with --student")
    given = receipt(packed, student, now)
    folder = inbox / student
    path = folder / f"{given.time:%Y%m%dT%H%M%SZ}-{packed.digest[:8]}.zip"
    written = (json.dumps(given.document(), indent=1, ensure_ascii=False) + "\n").encode()
    try:
        folder.mkdir(exist_ok=True)
        if folder.is_symlink():
            raise UsageError(f"{folder} is a symbolic link; ask who runs the course")
        # The receipt comes first, so that no zip is ever without its own: the zip's name is what delivers.
        whole = _placed(path.with_suffix(".json"), written) and _placed(path, packed.content)
    except OSError as error:
        raise UsageError(f"{folder} cannot be written ({error.strerror}); ask who runs the course") from error
    if not whole:
        raise UsageError(f"{path} is there already and differs; wait a second and hand in again")
    return path, given


def login() -> str:
    """Return the name of who runs this; "" if the system does not know."""
    try:
        import pwd

        return pwd.getpwuid(os.getuid()).pw_name
    except (ImportError, KeyError):
        pass
    try:
        return getpass.getuser()
    except (ImportError, KeyError, OSError):
        return ""


def _placed(path: Path, content: bytes) -> bool:
    """Give a file its name when all of it is on the disk; return whether it is there now, with this content."""
    try:
        with whole.part(path) as part:
            whole.pour(content, part)
            _named(part, path)
    except FileExistsError:
        return path.is_file() and not path.is_symlink() and path.read_bytes() == content
    return True


def _named(part: Path, path: Path) -> None:
    """Move a file to a name that is free.

    Raises:
        FileExistsError: it is taken.
    """
    try:
        os.link(part, path)
    except FileExistsError:
        raise
    except (AttributeError, NotImplementedError, OSError):  # a file system without hard links
        if os.path.lexists(path):
            raise FileExistsError(path) from None
        part.rename(path)


def _is_name(name: str) -> bool:
    """Whether a folder can have this name on any system."""
    try:
        return bool(name) and names.clean(name) == name and "/" not in name
    except SubmissionError:
        return False


def _iso(moment: datetime) -> str:
    return f"{moment:%Y-%m-%dT%H:%M:%SZ}"
