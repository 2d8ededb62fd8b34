"""One student's folder as nbgrader collected it -> the notebook of each problem, and what our own intake is given.

nbgrader knows a notebook by its name alone. Here a copy's name (``xor (1).ipynb``) stands for it too, and failing that
the only notebook whose cells are named for the problem, whatever the file is called.
"""

from __future__ import annotations

import stat
from dataclasses import dataclass
from typing import TYPE_CHECKING

from grader.notebook import identity
from grader.submission import Place, names
from grader.submission.names import Fit
from grader.submission.notebook import NOTEBOOK_BYTES

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

SUFFIX = ".ipynb"
FILES = 2000  # that are looked at in one student's folder


@dataclass(frozen=True, slots=True)
class Handed:
    """What a student handed in: where to read it, and the notebook of each problem that there is one for."""

    places: tuple[Place, ...]
    notebooks: Mapping[str, Path]
    notes: tuple[str, ...] = ()


def look(folder: Path, slugs: Iterable[str]) -> Handed:
    """Find the notebooks in a student's folder; nothing in them is run.

    Args:
        folder: ``submitted/STUDENT/ASSIGNMENT``.
        slugs: names of the problems that are graded.
    """
    wanted = tuple(slugs)
    files = _files(folder)
    found = {slug: file for slug in wanted if (file := _named(files, folder, slug)) is not None}
    strangers = [file for file in files if not any(names.fit(file.name, slug) for slug in wanted)]
    claims: dict[str, list[Path]] = {}
    for file in strangers if len(found) < len(wanted) else ():
        if (slug := _told(file)) in wanted and slug not in found:
            claims.setdefault(slug, []).append(file)
    renamed = {slug: several[0] for slug, several in claims.items() if len(several) == 1}
    aside = [path for path in _beside(folder) if any(names.fit(path.name, slug) for slug in {**found, **renamed})]
    notes = [f"{path.name} was read as {slug}{SUFFIX}, by the names of its cells" for slug, path in renamed.items()]
    notes += [f"{path.name} was not read: nbgrader grades notebooks" for path in aside]
    if not notes:
        return Handed((Place(folder),), found)
    # Its files one by one, since one of them needs another name or is not to be read.
    own = [Place(path) for path in [*found.values(), *(path for path in _beside(folder) if path not in aside)]]
    aliased = [Place(path, name=f"{slug}{SUFFIX}") for slug, path in renamed.items()]
    return Handed((*aliased, *own), {**found, **renamed}, tuple(notes))


def regular(path: Path) -> bool:
    """Say whether a file may be read: an ordinary one, no link, of a size that a notebook can have."""
    try:
        status = path.lstat()
    except (OSError, ValueError):
        return False
    return stat.S_ISREG(status.st_mode) and status.st_size <= NOTEBOOK_BYTES


def _files(folder: Path) -> list[Path]:
    found: list[Path] = []
    for path in sorted(folder.rglob(f"*{SUFFIX}")):
        if not any(names.is_litter(part) for part in path.relative_to(folder).parts):
            found.append(path)
        if len(found) == FILES:
            break
    return found


def _named(files: list[Path], folder: Path, slug: str) -> Path | None:
    """Return the notebook of that name, as an answer is chosen: exact names first, then the shallow."""
    fits = [(names.fit(file.name, slug), file) for file in files]
    ranked = [(one is not Fit.EXACT, len(file.relative_to(folder).parts), file) for one, file in fits if one]
    return min(ranked)[2] if ranked else None


def _told(file: Path) -> str:
    """Return the problem that most cells of a notebook are named for; "" if none is."""
    if not regular(file):
        return ""
    try:
        counts = identity.problems(file.read_bytes())
    except OSError:
        return ""
    return counts.most_common(1)[0][0] if counts else ""


def _beside(folder: Path) -> list[Path]:
    """Return the Python files in a student's folder itself."""
    return [path for path in sorted(folder.glob("*.py")) if not names.is_litter(path.name)]
