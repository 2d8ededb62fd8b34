"""A problem as a source notebook for nbgrader: what is asked, what is written, what is checked, what is marked by hand.

::

    statement      locked
    given code     imports and whole functions of the reference; the student's to change, as in a Python file
    answers        a cell a function, its solution between BEGIN SOLUTION and END SOLUTION, which nbgrader takes out
    %grade         runs the visible checks
    checks         a cell a check with points; it names the check and holds no test
    mark scheme    between BEGIN MARK SCHEME and END MARK SCHEME, which nbgrader takes out
    in words       what a person marks

The mark scheme has a cell of its own, worth nothing, since nbgrader hands a scheme to whoever marks only from a cell
that students cannot change, and asks for marks by hand only in one that they can.
"""

from __future__ import annotations

import ast
import json
import re
import textwrap
from typing import TYPE_CHECKING, Any

from grader import sheet, variants
from grader.errors import AuthoringError
from grader.notebook import cells

if TYPE_CHECKING:
    from collections.abc import Iterator

    from grader.problem import Check, Problem

Cell = dict[str, Any]
WIDTH = 79  # characters of a comment's line: a notebook beside a list of files shows no more
_REGION = ("BEGIN SOLUTION", "END SOLUTION")
_DELIMITERS = (*_REGION, "BEGIN HIDDEN TESTS", "END HIDDEN TESTS", "BEGIN MARK SCHEME", "END MARK SCHEME", "AUTOTEST")
_POINTS = re.compile(r"^points:.*\n?", re.MULTILINE)
_HEADING, _LOWER = re.compile(r"^#{1,3}(?= )"), r"###\g<0>"

_TRY = """\
## Check your work

The next cell runs the visible checks on the functions above, as often as you like. It needs the package
`tensor-grader` beside this notebook's kernel, and the folder `problems` beside this notebook."""
_WORTH = """\
## Points

Each cell below stands for one check and its points. What says that it is made after hand-in needs nothing from you."""
_IN_WORDS = """\
## In words ({points})

A person marks this. Write your answer in the next cell; the statement says what is asked."""
_MODEL = "*An answer of your own may stand here; nbgrader takes it out of what students receive.*"


def notebook(problem: Problem, statement: str, marking: str) -> str:
    """Return a source notebook of format 4.5 as JSON text; the same problem gives the same notebook.

    Args:
        problem: with its reference.
        statement: its Markdown, with pictures where the notebook finds them.
        marking: the text of ``marking.md``; "" where nothing is marked by hand.

    Raises:
        AuthoringError: a text of the problem holds words that nbgrader would take for its own.
    """
    slug = problem.slug
    _demand_plain(statement, f"problems/{slug}/statement.md")
    made = [
        _locked("markdown", statement, cells.statement(slug)),
        *_code(problem),
        _markdown(_TRY),
        _locked("code", f"%load_ext grader\n%grade {slug}", cells.trying(slug)),
        _markdown(_WORTH),
        *(_check(slug, check) for check in problem.checks if check.points),
        *(_by_hand(problem, marking) if problem.manual_points else ()),
    ]
    numbered = [{**cell, "id": f"cell-{number}"} for number, cell in enumerate(made, start=1)]
    content = {"cells": numbered, "metadata": sheet.KERNEL, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(content, indent=1, ensure_ascii=False, sort_keys=True) + "\n"


# Cells by what they are for


def _code(problem: Problem) -> Iterator[Cell]:
    """Yield the reference's cells: answers with their solutions, places for helpers, and what is given."""
    slug, where = problem.slug, f"reference/{problem.slug}.py"
    variants.stub(problem.reference, where)  # whether its regions pair
    taken: set[str] = set()
    helpers = 0
    for name, text in parts(problem.reference):
        if not text.strip():
            continue
        _demand_plain(_without_regions(text), where)
        if not any(variants.BEGIN.match(line) for line in text.split("\n")):
            yield _cell("code", text)
            continue
        if name in taken:
            raise AuthoringError(f"{where}: {name} is defined twice, and a notebook has one cell for it")
        if name:
            taken.add(name)
            grade_id = cells.answer(slug, name)
        else:
            helpers += 1
            grade_id = cells.helpers(slug, helpers)
        yield _cell("code", text, _nbgrader(grade_id, solution=True))


def _check(slug: str, check: Check) -> Cell:
    told = check.promise if check.visible else "Made after hand-in."
    comment = textwrap.wrap(f"{_points(check.points)}. {told}", WIDTH, initial_indent="# ", subsequent_indent="# ")
    call = f"%grade {slug}::{check.name}" if check.visible else f"%grade {slug} --after-hand-in"
    grade_id = cells.check(slug, check.name, visible=check.visible)
    grading = _nbgrader(grade_id, grade=True, locked=True, points=check.points)
    return _cell("code", "\n".join([*comment, call]), grading)


def _by_hand(problem: Problem, marking: str) -> Iterator[Cell]:
    slug = problem.slug
    _demand_plain(marking, f"problems/{slug}/marking.md")
    scheme = "\n".join(_lowered(_POINTS.sub("", marking, count=1).strip("\n")))
    asked = _IN_WORDS.format(points=_points(problem.manual_points))
    text = f"{asked}\n\n### BEGIN MARK SCHEME\n\n{scheme}\n\n### END MARK SCHEME"
    yield _cell("markdown", text, _nbgrader(cells.scheme(slug), locked=True, points=0.0, task=True))
    answer = _nbgrader(cells.marking(slug), grade=True, solution=True, points=problem.manual_points)
    yield _cell("markdown", _MODEL, answer)


def _lowered(text: str) -> Iterator[str]:
    """Yield the lines of a text with its headings below that of the scheme; in a block of code there are none."""
    code = False
    for line in text.split("\n"):
        code ^= line.startswith(("```", "~~~"))
        yield line if code else _HEADING.sub(_LOWER, line)


def _points(points: float) -> str:
    return f"{points:g} point{'' if points == 1 else 's'}"


# The reference, cell by cell


def parts(text: str) -> Iterator[tuple[str, str]]:
    r"""Yield a module's text in pieces of a cell each, with the name of the function or class that ends a piece.

    A solution outside of all functions is a piece of its own, written so that nothing is left undone where nbgrader
    has taken it out.

    >>> list(parts("import math\n\ndef f(x):\n    return x\n"))
    [('', 'import math\n'), ('f', 'def f(x):\n    return x'), ('', '')]
    """
    lines = text.split("\n")  # as Python numbers them: a form feed ends none
    start = 0
    for name, first, end in _units(text, lines):
        if start == 0 and first > 0:
            yield "", "\n".join(lines[:first])
            start = first
        if name:
            yield name, "\n".join(lines[start:end])
        else:
            yield "", "\n".join(lines[start:first])
            yield "", _optional(lines[first:end])
        start = end
    yield "", "\n".join(lines[start:])


def _units(text: str, lines: list[str]) -> list[tuple[str, int, int]]:
    """Return functions, classes and solutions outside of them: a name, the first line, the line after the last."""
    begins = [number for number, line in enumerate(lines) if variants.BEGIN.match(line)]
    ends = [number for number, line in enumerate(lines) if variants.END.match(line)]
    regions = list(zip(begins, ends, strict=True))
    outermost = [(begin, end + 1) for begin, end in regions if not lines[begin].startswith((" ", "\t"))]
    units = [("", begin, end) for begin, end in outermost]
    for node in ast.parse(text).body:
        if isinstance(node, variants.DEFINITIONS):
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)]) - 1
            last = node.end_lineno or 0
            # The line that ends a solution is a comment below the last statement, so no part of the function.
            last = max([last, *(end + 1 for begin, end in regions if first <= begin < last)])
            if not any(begin <= first < end for begin, end in outermost):
                units.append((node.name, first, last))
    return sorted(units, key=lambda unit: unit[1])


def _optional(region: list[str]) -> str:
    """Return a solution at the outermost level so that the stub which takes its place is passed over."""
    inner = ast.parse("\n".join(region))
    texts = (part for part in ast.walk(inner) if isinstance(part, (ast.Constant, ast.JoinedStr)))
    quoted = {line for part in texts for line in range(part.lineno + 1, (part.end_lineno or 0) + 1)}
    body = [f"    {line}" if line and number not in quoted else line for number, line in enumerate(region, start=1)]
    return "\n".join(["try:", *body, "except NotImplementedError:", "    pass  # helpers of your own, if you like"])


def _without_regions(text: str) -> str:
    return "\n".join(line for line in text.split("\n") if not (variants.BEGIN.match(line) or variants.END.match(line)))


def _demand_plain(text: str, where: str) -> None:
    for line in text.split("\n"):
        for word in _DELIMITERS:
            if word in line:
                raise AuthoringError(f"{where}: nbgrader takes {word!r} for a mark of its own; say it otherwise")


# Cells as nbformat has them


def _nbgrader(
    grade_id: str,
    *,
    grade: bool = False,
    solution: bool = False,
    locked: bool = False,
    task: bool = False,
    points: float | None = None,
) -> Cell:
    flags = {"schema_version": 3, "grade": grade, "solution": solution, "locked": locked, "task": task}
    return {**flags, "grade_id": grade_id} | ({} if points is None else {"points": points})


def _markdown(text: str) -> Cell:
    return _cell("markdown", text)


def _locked(kind: str, text: str, grade_id: str) -> Cell:
    return _cell(kind, text, _nbgrader(grade_id, locked=True))


def _cell(kind: str, text: str, nbgrader: Cell | None = None) -> Cell:
    cell = sheet.cell(kind, text)
    return cell | {"metadata": {"nbgrader": nbgrader} if nbgrader else {}}
