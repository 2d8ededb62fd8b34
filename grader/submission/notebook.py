"""The bytes of an .ipynb file -> the texts of its code cells, by JSON alone; outputs are dropped unread."""

from __future__ import annotations

import json
import re
from typing import Any

from grader.errors import SubmissionError
from grader.submission import names
from grader.submission.ledger import MIB
from grader.submission.text import SOURCE_BYTES, decoded, legible

NOTEBOOK_BYTES = 20 * MIB  # pictures in outputs are large
CELLS = 10_000
_MARKS = 2_000_000  # of what opens or parts values: a list in memory is twenty times as large as its "[]"
_FORMAT, _OLD_FORMAT = 4, 3
_SAVE = "open it in Jupyter, save it and hand in again"
_WANTED = {"nbformat", "metadata", "kernelspec", "language_info", "language", "name"}
_WANTED |= {"worksheets", "cells", "cell_type", "source", "input", "nbgrader"}
_CONFLICT = re.compile(r"^(?:<{7}|>{7}) ", re.MULTILINE)


def code_cells(content: bytes, name: str) -> tuple[str, ...]:
    """Return the source of each code cell, in order, empty ones too.

    A cell that nbgrader had released as code is one, whatever a slip of the keyboard has made of it.

    Raises:
        SubmissionError: it is no notebook, not one of Python, cut off, too large, or holds no code.
    """
    if len(content) > NOTEBOOK_BYTES:
        limit = f"{NOTEBOOK_BYTES // MIB} MiB"
        raise SubmissionError(f"{name} is larger than {limit}; clear its outputs, save it and hand in again")
    notebook = _notebook(_parsed(decoded(content, name, limit=NOTEBOOK_BYTES), name), name)
    _demand_python(notebook.get("metadata"), name)
    code = tuple(
        legible(_source(cell, f"cell {number} of {name}"), f"cell {number} of {name}")
        for number, cell in enumerate(_cells(notebook, name), start=1)
        if isinstance(cell, dict) and _is_code(cell)
    )
    if not code:
        raise SubmissionError(f"{name} has no code cell; write the answer in code cells and hand in again")
    if sum(map(len, code)) > SOURCE_BYTES:
        raise SubmissionError(f"{name} holds more than {SOURCE_BYTES // MIB} MiB of code; hand in the answer alone")
    return code


def _parsed(text: str, name: str) -> Any:
    if sum(map(text.count, "[{,")) > _MARKS:
        raise SubmissionError(f"{name} holds too many values; clear its outputs, save it and hand in again")
    try:
        return json.loads(text, object_pairs_hook=_only_wanted, parse_int=float)
    except json.JSONDecodeError as error:
        raise SubmissionError(f"{name} {_why_not_json(text, error)}") from None
    except RecursionError:
        raise SubmissionError(f"{name} is nested too deeply to be a notebook; {_SAVE}") from None
    except ValueError as error:
        raise SubmissionError(f"{name} is no notebook that Jupyter wrote: {error}; {_SAVE}") from None


def _only_wanted(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object without the keys that nobody here reads, so that outputs take no memory."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("an object in it holds the same key twice")
    return {key: found[key] for key in _WANTED & found.keys()}


def _why_not_json(text: str, error: json.JSONDecodeError) -> str:
    if conflict := _CONFLICT.search(text):
        line = text.count("\n", 0, conflict.start()) + 1
        return f"holds Git's conflict markers (line {line}); resolve the conflict, {_SAVE}"
    if what := names.looks_like(text[:64].encode()):
        return f"is {what}; export the notebook and hand in again"
    if error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated"):
        return "is cut off before its end, so the upload or download was not complete; hand in again"
    return f"is no notebook: its JSON breaks off at line {error.lineno}, column {error.colno}; {_SAVE}"


def _notebook(value: Any, name: str) -> dict[str, Any]:
    version = value.get("nbformat") if isinstance(value, dict) else None
    if not isinstance(version, float):  # as every number here
        raise SubmissionError(f"{name} is JSON but no notebook; export the notebook and hand in again")
    if version not in {_OLD_FORMAT, _FORMAT}:
        raise SubmissionError(
            f"{name} is a notebook of format {version:g}, but formats {_OLD_FORMAT} and {_FORMAT} are read; {_SAVE}"
        )
    return dict(value)


def _cells(notebook: dict[str, Any], name: str) -> list[Any]:
    sheets = [notebook] if notebook["nbformat"] == _FORMAT else notebook.get("worksheets")
    if not isinstance(sheets, list):
        sheets = []
    found = [sheet.get("cells") for sheet in sheets if isinstance(sheet, dict)]
    cells = [cell for part in found if isinstance(part, list) for cell in part]
    if not cells:
        raise SubmissionError(f"{name} has no cells; {_SAVE}")
    if len(cells) > CELLS:
        raise SubmissionError(f"{name} has more than {CELLS} cells; hand in the answer alone")
    return cells


def _is_code(cell: dict[str, Any]) -> bool:
    metadata = cell.get("metadata")
    released = metadata.get("nbgrader") if isinstance(metadata, dict) else None
    return "code" in (cell.get("cell_type"), released.get("cell_type") if isinstance(released, dict) else None)


def _source(cell: dict[str, Any], where: str) -> str:
    source = cell.get("source", cell.get("input"))
    if isinstance(source, list) and all(isinstance(line, str) for line in source):
        source = "".join(source)
    if not isinstance(source, str):
        raise SubmissionError(f"{where} holds no text; {_SAVE}")
    return source.replace("\r\n", "\n").replace("\r", "\n")


def _demand_python(metadata: Any, name: str) -> None:
    """Refuse a notebook that says it is written in another language; saying nothing is fine."""
    known = metadata if isinstance(metadata, dict) else {}
    for part, key in (("kernelspec", "language"), ("language_info", "name")):
        section = known.get(part)
        language = section.get(key) if isinstance(section, dict) else None
        if isinstance(language, str) and language and "python" not in language.lower():
            told = f"{name} is a notebook in {names.shown(language)}, not in Python"
            raise SubmissionError(f"{told}; choose a Python kernel in Jupyter, save it and hand in again")
        if isinstance(language, str) and language:
            return
