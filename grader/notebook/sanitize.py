"""A student's notebook, made fit for nbgrader: every cell that it knows is there once, as the gradebook has it.

Nothing that a cell says about itself is believed. Which cell a student's is, is asked of its name, then of its text;
what the cell is, and what it is worth, comes from the master copy. All else stays as a plain cell, to be read.
A notebook that is none of ours is left to nbgrader's own steps.

This is what people look at in the formgrader and in feedback. What is judged are the submitted bytes, by themselves.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import nbformat
from nbformat.v4 import new_notebook
from nbgrader.preprocessors import DeduplicateIds, NbGraderPreprocessor

from grader.notebook import cells, master
from grader.notebook.identity import grade_id
from grader.notebook.master import CODE, MARKDOWN, RAW, Master, MasterCell

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

MISSING = "This cell was missing, and was added again for grading."
CLEAN = "grader_sanitized"  # among nbgrader's resources: whoever read the notebook has done it already
_ID = re.compile(r"[a-zA-Z0-9-_]{1,64}\Z")
_SIGN = re.compile(r"[!-/:-@\[-`{-~]")
_ATTACHED = re.compile(r"attachment:([^)\s\"'>]*)")


@dataclass(slots=True)
class _Cell:
    """A cell of the student's notebook; ``master`` is the cell of the gradebook that it stands for."""

    kind: str
    source: str
    claim: Any = None
    attachments: dict[str, Any] = field(default_factory=dict)
    ident: Any = None
    master: MasterCell | None = None
    added: bool = False


def sanitized(
    notebook: Any, copy: Master, *, trouble: str = "", absent: bool = False
) -> tuple[nbformat.NotebookNode, tuple[str, ...]]:
    """Return a valid notebook with every cell that nbgrader grades, and remarks on what had to be put right.

    Args:
        notebook: a notebook as parsed JSON, whatever is in it.
        copy: the master copy.
        trouble: why the notebook is not as it was handed in; said in a cell at its top.
        absent: nothing was handed in, so that cells for a person to mark are unanswered and not just missing.
    """
    theirs = [_read(cell) for cell in _list(notebook)]
    remarks = _matched(theirs, copy)
    whole = _completed(theirs, copy, remarks, told=not absent)
    if trouble:
        whole.insert(0, _Cell(MARKDOWN, f"**{_SIGN.sub(_spelled, trouble)}**"))
    made = new_notebook(metadata={"language_info": {"name": "python"}})
    made.cells = _numbered([_node(cell) for cell in whole], [cell.ident for cell in whole])
    return made, tuple(remarks)


class Sanitize(NbGraderPreprocessor):  # type: ignore[misc]  # nbgrader has no types
    """nbgrader's first step, in place of DeduplicateIds, in ``c.Autograde.sanitize_preprocessors``."""

    def preprocess(self, nb: Any, resources: Any) -> tuple[Any, Any]:
        """Return the notebook as nbgrader can grade it."""
        if resources.get(CLEAN):
            return nb, resources
        about = resources["nbgrader"]
        copy = master.read(about["db_url"], about["assignment"])[about["notebook"]]
        if not copy.ours:
            return self._deduplicated(nb, resources)
        made, remarks = sanitized(nb, copy)
        for remark in remarks:
            self.log.warning("%s, %s: %s", about["student"], about["notebook"], remark)
        return made, resources

    def _deduplicated(self, nb: Any, resources: Any) -> tuple[Any, Any]:
        """Do as nbgrader does, without the empty metadata that would make it refuse the notebook."""
        nb, resources = DeduplicateIds(parent=self.parent).preprocess(nb, resources)
        for cell in nb.cells:
            if not cell.metadata.get("nbgrader", True):
                del cell.metadata["nbgrader"]
        return nb, resources


def _spelled(sign: re.Match[str]) -> str:
    """A sign as Markdown shows it: what a sentence quotes is no markup."""
    return f"\\{sign[0]}"


def _list(notebook: Any) -> list[Any]:
    found = notebook.get("cells") if isinstance(notebook, dict) else None
    return [cell for cell in found if isinstance(cell, dict)] if isinstance(found, list) else []


def _read(cell: dict[str, Any]) -> _Cell:
    source = cell.get("source")
    if isinstance(source, list):
        source = "".join(line for line in source if isinstance(line, str))
    text = _clean(source if isinstance(source, str) else "")
    kind = cell.get("cell_type")
    claim = grade_id(cell)
    return _Cell(
        kind=next((one for one in (CODE, MARKDOWN) if one == kind), RAW),
        source=text,
        claim=claim if isinstance(claim, str) else None,
        attachments=_attachments(cell.get("attachments")),
        ident=cell.get("id"),
    )


def _clean(text: str) -> str:
    """Return a text that can be written as UTF-8: half of a surrogate pair cannot."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _attachments(found: Any) -> dict[str, Any]:
    bundles = found.items() if isinstance(found, dict) else ()
    return {
        _clean(name): {_clean(kind): _clean(data) for kind, data in bundle.items()}
        for name, bundle in bundles
        if isinstance(bundle, dict) and bundle and all(isinstance(data, str) for data in bundle.values())
    }


def _matched(theirs: Sequence[_Cell], copy: Master) -> list[str]:
    """Say of each cell which of the gradebook's it is, and return what is remarkable."""
    remarks = []
    for known in copy.cells:
        named = [cell for cell in theirs if cell.claim == known.grade_id]
        if len(named) > 1:
            remarks.append(f"{known.grade_id} is there {len(named)} times")
        free = [cell for cell in theirs if cell.master is None]
        chosen = _best(known, [cell for cell in named if cell.master is None]) or _alike(known, free)
        if chosen is None:
            continue
        if chosen.kind != known.cell_type:
            remarks.append(f"{known.grade_id} had become a {chosen.kind} cell")
        if known.locked and not known.task and chosen.source != known.source:  # a scheme was taken out by nbgrader
            remarks.append(f"{known.grade_id} was edited, and is as it was again")
        chosen.master = known
    strange = {cell.claim for cell in theirs if cell.claim} - {known.grade_id for known in copy.cells}
    return [*remarks, *(f"a cell of the student's own says that it is {claim!r}" for claim in sorted(strange))]


def _best(known: MasterCell, named: Sequence[_Cell]) -> _Cell | None:
    """Return which of several cells of one name counts: one with an answer in it, the last of those."""
    if not named:
        return None
    ranked = [(_fits(known, cell), place, cell) for place, cell in enumerate(named)]
    return max(ranked, key=lambda one: one[:2])[2]


def _fits(known: MasterCell, cell: _Cell) -> int:
    if known.locked:
        return int(cell.source == known.source)
    return 2 * _defines(known, cell) + (cell.source != known.source)


def _defines(known: MasterCell, cell: _Cell) -> bool:
    name = known.name
    if name is None or name.kind is not cells.Kind.ANSWER:
        return False
    return bool(re.search(rf"^(?:async\s+def|def|class)\s+{re.escape(name.name)}\b", cell.source, re.MULTILINE))


def _alike(known: MasterCell, free: Iterable[_Cell]) -> _Cell | None:
    """Return the cell that stands for one whose name is gone, as another editor may leave it."""
    nameless = [cell for cell in free if cell.claim is None]
    if known.locked:
        return next((cell for cell in nameless if cell.source == known.source), None)
    return next((cell for cell in reversed(nameless) if cell.kind == CODE and _defines(known, cell)), None)


def _completed(theirs: Sequence[_Cell], copy: Master, remarks: list[str], *, told: bool) -> list[_Cell]:
    """Return all cells, with those that nbgrader grades or comments put back where they are missing."""
    whole = list(theirs)
    after = -1  # the place of the last cell of the master copy
    for known in copy.cells:
        there = next((place for place, cell in enumerate(whole) if cell.master is known), None)
        if there is not None:
            after = there
        elif known.grade or known.solution or known.task:
            after += 1
            whole.insert(after, _Cell(known.cell_type, known.source, master=known, added=told))
            remarks.append(f"{known.grade_id} was missing")
    return whole


def _node(cell: _Cell) -> nbformat.NotebookNode:
    kind = cell.master.cell_type if cell.master is not None else cell.kind
    source = cell.master.source if cell.master is not None and cell.master.locked else cell.source
    if cell.added and not (cell.master is not None and cell.master.locked):
        # A cell as it was released counts as no answer, for 0 points; whether there is one elsewhere, a person sees.
        source = f"{'# ' if kind == CODE else ''}{MISSING}\n\n{source}"
    node: dict[str, Any] = {"cell_type": kind, "metadata": {}, "source": source}
    if kind == CODE:
        node |= {"execution_count": None, "outputs": []}
    elif kind == MARKDOWN:
        if cell.master is None or not cell.master.locked:
            node["source"] = _ATTACHED.sub(lambda found: _resolved(found, cell.attachments), source)
        if cell.attachments:
            node["attachments"] = cell.attachments
    if cell.master is not None:
        node["metadata"] = _metadata(cell.master)
    return nbformat.from_dict(node)


def _resolved(found: re.Match[str], attachments: dict[str, Any]) -> str:
    """Keep a picture that is there; one that is not would end nbgrader's feedback."""
    return found[0] if found[1] in attachments else f"missing-{found[0]}"


def _metadata(known: MasterCell) -> dict[str, Any]:
    about: dict[str, Any] = {
        "schema_version": 3,
        "grade_id": known.grade_id,
        "grade": known.grade,
        "solution": known.solution,
        "locked": known.locked,
        "task": known.task,
        "cell_type": known.cell_type,
    }
    if known.points is not None:
        about["points"] = known.points
    if known.checksum:
        about["checksum"] = known.checksum
    return {"deletable": False, **({"editable": False} if known.locked else {}), "nbgrader": about}


def _numbered(nodes: Sequence[nbformat.NotebookNode], idents: Sequence[Any]) -> list[nbformat.NotebookNode]:
    """Give every cell an identity of its own: the one that it has, if it is one and nobody else's."""
    taken: set[str] = set()
    wanted = [one if isinstance(one, str) and _ID.match(one) else "" for one in idents]
    for number, (node, ident) in enumerate(zip(nodes, wanted, strict=True), start=1):
        spare = (f"cell-{number}{'x' * more}" for more in range(len(nodes) + 1))
        name = ident if ident and ident not in taken else next(one for one in spare if one not in {*taken, *wanted})
        taken.add(name)
        node["id"] = name
    return list(nodes)
