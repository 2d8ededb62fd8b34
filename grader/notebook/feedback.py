"""What students do not read in nbgrader's feedback: the mark scheme, which whoever marks reads in the same notebook."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nbgrader.preprocessors import NbGraderPreprocessor
from traitlets import List

from grader.notebook import cells
from grader.notebook.cells import Kind

if TYPE_CHECKING:
    from collections.abc import Iterator

BEGIN, END = "BEGIN MARK SCHEME", "END MARK SCHEME"


class OmitMarkScheme(NbGraderPreprocessor):  # type: ignore[misc]  # nbgrader has no types
    """Takes mark schemes out of a notebook; stands before the rest of ``c.GenerateFeedback.preprocessors``.

    nbgrader's own ``ClearMarkScheme`` stops at a notebook in which a student has written its words somewhere else.
    """

    display_data_priority: Any = List(help="Not used; the exporter sets it for every step.").tag(config=True)

    def preprocess_cell(self, cell: Any, resources: Any, _index: int) -> tuple[Any, Any]:
        """Take the scheme out of one cell."""
        name = cells.parse(cell.metadata.get("nbgrader", {}).get("grade_id"))
        if name is not None and name.kind is Kind.SCHEME:
            cell.source = "\n".join(_without_scheme(cell.source)).rstrip()
        return cell, resources


def _without_scheme(text: str) -> Iterator[str]:
    """Yield the lines outside of schemes; one that does not end goes on to the end."""
    inside = False
    for line in text.split("\n"):
        inside = inside or BEGIN in line
        if not inside:
            yield line
        inside = inside and END not in line
