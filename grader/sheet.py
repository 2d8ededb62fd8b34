"""A stub as a notebook to fill in: the statement, then a cell for each function; nothing of Jupyter is needed."""

from __future__ import annotations

import ast
import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
KERNEL = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


def notebook(slug: str, statement: str, stub: str) -> str:
    """Return a notebook of format 4.5 as JSON text; the same texts give the same notebook.

    Args:
        slug: the problem's name.
        statement: its Markdown, with pictures where a notebook in ``student_template/`` finds them.
        stub: what students receive as a Python file.
    """
    ending = f"Save this notebook; then run `grade check {slug}` in a terminal.\n"
    code = [("code", text) for text in _pieces(stub) if text.strip()]
    cells = [
        {**cell(kind, text), "id": f"cell-{number}"}
        for number, (kind, text) in enumerate([("markdown", statement), *code, ("markdown", ending)], start=1)
    ]
    content = {"cells": cells, "metadata": KERNEL, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(content, indent=1, ensure_ascii=False, sort_keys=True) + "\n"


def _pieces(stub: str) -> Iterator[str]:
    """Yield what stands before the first definition, each definition with what leads to it, and the rest."""
    lines = stub.split("\n")  # as Python numbers them: a form feed ends none
    start = 0
    for node in ast.parse(stub).body:
        if isinstance(node, _DEFINITIONS):
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)]) - 1
            if start == 0:
                yield "\n".join(lines[:first])
                start = first
            end = node.end_lineno or 0
            yield "\n".join(lines[start:end])
            start = end
    yield "\n".join(lines[start:])


def cell(kind: str, text: str) -> dict[str, Any]:
    """Return a cell as nbformat has it, without an id."""
    source = [f"{line}\n" for line in text.strip("\n").split("\n")]
    source[-1] = source[-1].removesuffix("\n")
    made = {"cell_type": kind, "metadata": {}, "source": source}
    return made if kind == "markdown" else made | {"execution_count": None, "outputs": []}
