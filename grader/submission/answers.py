"""A submission -> the student's answer to one problem: its main text and the modules beside it."""

from __future__ import annotations

import keyword
import re
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from grader.errors import SubmissionError
from grader.isolation.profile import SourceFile
from grader.submission import names
from grader.submission.names import Fit, quoted, shown
from grader.submission.notebook import code_cells
from grader.submission.text import source_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from grader.submission.ledger import SubmittedFile
    from grader.submission.loading import Submission

# A child finds these first: no hand-in stands in for them.
_LIBRARIES = frozenset({"numpy", "torch", "torchvision", "scipy", "sympy"})
_TAKEN = sys.stdlib_module_names | _LIBRARIES
_IMPORTS = re.compile(r"^[ \t]*(?:import|from)\b(.*)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Answer:
    """What a student handed in for one problem: text that nobody has parsed yet."""

    main: SourceFile
    helpers: tuple[tuple[str, str], ...] = ()  # (module name, text) of the .py files beside it
    notes: tuple[str, ...] = ()


def answer(submission: Submission, slug: str) -> Answer | None:
    """Return the answer to one problem, or None if no file of the submission is for it.

    The file is ``<slug>.py`` or ``<slug>.ipynb``; failing that, one whose name a download or a copy has
    changed (``xor (1).py``, ``Xor.PY``), with a note. The one nearest to the top counts.

    Raises:
        SubmissionError: the submission is refused, two files have an equal claim, or the file is one that
            we refuse to read. The message is a whole sentence.
    """
    if submission.refused:
        raise SubmissionError(submission.refused)
    claims = sorted(_claims(submission, slug), key=lambda claim: claim[0])
    if not claims:
        return None
    best = [file for rank, file in claims if rank == claims[0][0]]
    if len(best) > 1:
        both = f"{quoted(best[0].path)} and {quoted(best[1].path)}"
        raise SubmissionError(
            f"The hand-in holds both {both}; hand in one of them, with the name {_name(best[0], slug)}."
        )
    try:
        main = _main(best[0], slug)
    except SubmissionError as error:
        raise SubmissionError(f"The answer cannot be read: {error}.") from None
    helpers, left_out = _helpers(submission, best[0])
    shadowing = _shadowing(main, [name for name, _ in helpers])
    return Answer(main, helpers, (*_notes([file for _, file in claims], slug), *left_out, *shadowing))


def _claims(submission: Submission, slug: str) -> Iterator[tuple[tuple[bool, int], SubmittedFile]]:
    """Yield each file that may be meant for a problem and its rank: exact names first, then the shallow."""
    others = set(submission.slugs) - {slug}
    for file in submission.files:
        name = file.path.rpartition("/")[2]
        fit = names.fit(name, slug)
        if fit and names.stem(name) not in others:
            yield (fit is not Fit.EXACT, file.path.count("/")), file


def _name(file: SubmittedFile, slug: str) -> str:
    return slug + names.extension(file.path)


def _main(file: SubmittedFile, slug: str) -> SourceFile:
    name = _name(file, slug)
    if name.endswith(".ipynb"):
        return SourceFile(name, code_cells(file.content, name), notebook=True)
    return SourceFile(name, (source_text(file.content, name),))


def _notes(claims: Sequence[SubmittedFile], slug: str) -> Iterator[str]:
    first, *rest = claims
    name = _name(first, slug)
    if first.path.rpartition("/")[2] != name:
        yield f"{quoted(first.path)} was read as {name}"
    for file in rest:
        yield f"{quoted(file.path)} was not read, because {quoted(first.path)} was"


def _helpers(submission: Submission, main: SubmittedFile) -> tuple[tuple[tuple[str, str], ...], tuple[str, ...]]:
    """Return the modules beside the main file, and a note on each that cannot be read as text."""
    modules: dict[str, str] = {}
    notes = []
    for file in submission.files:
        folder, _, name = file.path.rpartition("/")
        if folder == main.path.rpartition("/")[0] and file is not main and _is_helper(name, submission.slugs):
            try:
                modules[names.stem(name)] = source_text(file.content, shown(name))
            except SubmissionError as error:
                notes.append(f"{error}; it was left out")
    return tuple(modules.items()), tuple(notes)


def _is_helper(name: str, slugs: tuple[str, ...]) -> bool:
    module = names.stem(name)
    importable = name == f"{module}.py" and module.isidentifier() and not keyword.iskeyword(module)
    importable = importable and not module.startswith("__")
    return importable and not any(names.fit(name, slug) for slug in slugs)


def _shadowing(main: SourceFile, helpers: Sequence[str]) -> Iterator[str]:
    """Yield a note on each module whose name the answer imports and a library has: the import gets the library."""
    taken = sorted(_TAKEN.intersection(helpers))
    if not taken:
        return
    imported = {word for cell in main.cells for line in _IMPORTS.findall(cell) for word in re.findall(r"\w+", line)}
    for name in taken:
        if name in imported:
            whose = "the library" if name in _LIBRARIES else "Python's own module"
            yield f'"import {name}" gets {whose}, not {quoted(name + ".py")}; rename that file'
