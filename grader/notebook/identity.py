"""Which problem a notebook is for, by the ids of its cells and by its name; it is read as JSON and nothing is run.

::

    problems    the bytes of a notebook -> how many cells of each problem are in it
    assigned    a student's files -> the notebook of each problem, the modules beside it, and why others are neither
"""

from __future__ import annotations

import json
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from grader.errors import SubmissionError
from grader.notebook import cells
from grader.submission import names
from grader.submission.names import Fit, quoted
from grader.submission.notebook import CELLS, NOTEBOOK_BYTES, code_cells

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from grader.submission import SubmittedFile


@dataclass(slots=True)
class Assigned:
    """What is in a hand-in: names to write and their bytes, what is odd, and the files that are not taken."""

    files: dict[str, bytes] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    left: list[tuple[str, str]] = field(default_factory=list)  # a path, and why it is not taken


@dataclass(frozen=True, slots=True)
class _Claim:
    """A notebook that may be for a problem; the lower rank is the better."""

    file: SubmittedFile
    by_ids: bool
    exact: bool

    @property
    def rank(self) -> tuple[bool, bool, int]:
        return not self.by_ids, not self.exact, self.file.path.count("/")


def problems(content: bytes) -> Counter[str]:
    """Return how many cells of a notebook have an id of each problem; nothing for what is no notebook.

    Ids can be edited: this says what a file is taken for, never what it is worth.
    """
    if len(content) > NOTEBOOK_BYTES:
        return Counter()
    with suppress(ValueError, RecursionError, MemoryError):
        found = json.loads(content)
        listed = found.get("cells") if isinstance(found, dict) else None
        if isinstance(listed, list):
            named = (cells.parse(grade_id(cell)) for cell in listed[:CELLS])
            return Counter(name.slug for name in named if name)
    return Counter()


def grade_id(cell: Any) -> Any:
    """Return the name that a cell of anybody's notebook gives itself; None if it has none."""
    metadata = cell.get("metadata") if isinstance(cell, dict) else None
    nbgrader = metadata.get("nbgrader") if isinstance(metadata, dict) else None
    return nbgrader.get("grade_id") if isinstance(nbgrader, dict) else None


def assigned(files: Sequence[SubmittedFile], slugs: Sequence[str], given: Collection[str] = ()) -> Assigned:
    """Give each problem its notebook; the cells' ids decide, then names, and what is unclear is given to none.

    Python files that are no answer themselves are modules of the student's own; those beside a notebook stay
    beside it.

    Args:
        files: what was handed in.
        slugs: the problems.
        given: paths of what the student had received, which are nothing of the student's.
    """
    found = Assigned()
    claims: dict[str, list[_Claim]] = {slug: [] for slug in slugs}
    for file in files:
        name = file.path.rpartition("/")[2]
        if names.extension(name) == ".ipynb":
            slug, reason = _meant(file, slugs)
            if slug:
                claims[slug].append(_Claim(file, bool(problems(file.content)), names.fit(name, slug) is Fit.EXACT))
            else:
                found.left.append((file.path, reason))
    for slug in slugs:
        _choose(slug, claims[slug], found)
    homes = {claim.file.path.rpartition("/")[0] for mine in claims.values() for claim in mine}
    for file in files:
        if names.extension(file.path) == ".py" and file.path not in given:
            _keep_module(file, homes, slugs, found)
    return found


def _meant(file: SubmittedFile, slugs: Sequence[str]) -> tuple[str, str]:
    """Return the problem that a notebook is for, or "" and why it is for none."""
    told = problems(file.content)
    mine = [(count, slug) for slug, count in told.items() if slug in slugs]
    name = file.path.rpartition("/")[2]
    named = next((slug for slug in slugs if names.fit(name, slug)), "")
    if mine:
        most = max(count for count, _ in mine)
        best = [slug for count, slug in mine if count == most]
        return (named if named in best else best[0]), ""
    if told:
        return "", f"its cells are those of {quoted(next(iter(told)))}, which is not in this assignment"
    return named, "" if named else "neither its name nor its cells say which problem it is for"


def _choose(slug: str, claims: Iterable[_Claim], found: Assigned) -> None:
    """Take the best notebook for a problem; list the others, and all if none is the best."""
    ordered = sorted(claims, key=lambda claim: (claim.rank, claim.file.path))
    if not ordered:
        return
    best, rest = ordered[0], ordered[1:]
    if any(other.rank == best.rank and other.file.content != best.file.content for other in rest):
        equal = [claim.file.path for claim in ordered if claim.rank == best.rank]
        both = names.some([quoted(path) for path in equal])
        found.left += [
            (claim.file.path, f"for {slug} there are {both}; nobody knows which counts") for claim in ordered
        ]
        return
    found.files[f"{slug}.ipynb"] = best.file.content
    found.left += [(other.file.path, f"for {slug} {quoted(best.file.path)} was taken") for other in rest]
    found.warnings += _oddities(slug, best)


def _oddities(slug: str, claim: _Claim) -> Iterator[str]:
    name = claim.file.path.rpartition("/")[2]
    if not claim.exact:
        how = "the ids of its cells" if claim.by_ids else "its name"
        yield f"{quoted(name)} was taken as {slug}.ipynb, by {how}"
    try:
        code_cells(claim.file.content, f"{slug}.ipynb")
    except SubmissionError as error:
        yield str(error)
        return
    if not claim.by_ids:
        yield f"{slug}.ipynb: its cells have lost their ids"


def _keep_module(file: SubmittedFile, homes: set[str], slugs: Iterable[str], found: Assigned) -> None:
    home, _, name = file.path.rpartition("/")
    if slug := next((slug for slug in slugs if names.fit(name, slug)), ""):
        found.left.append((file.path, f"a Python file; nbgrader grades the notebook {slug}.ipynb"))
        return
    place = name if home in homes else file.path
    if found.files.get(place, file.content) != file.content:
        found.left.append((file.path, f"a second {quoted(place)}, unlike the first"))
        return
    found.files[place] = file.content
