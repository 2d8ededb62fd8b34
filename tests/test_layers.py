"""The map in ``grader/__init__.py`` is true: imports point upstream, and each tool has one home."""

import ast
import re
import sys
from pathlib import Path

import pytest

import grader

ROOT = Path(grader.__file__).parent
INSIDE = ROOT / "isolation" / "inside"
FILES = sorted(ROOT.rglob("*.py"))
OURS = [path for path in FILES if INSIDE not in path.parents]
CHILDS = [path for path in FILES if INSIDE in path.parents]
ENTRIES = {"__init__", "__main__"}
TOLERANT = {"allclose", "isclose", "assert_allclose", "assert_close", "approx"}
SCRIPT = "replaykit.py"  # copied into scripts that people run by themselves


def rows():
    """Return the row of each module of the map, from the top."""
    found = re.findall(r"^    ([a-z]+(?:, [a-z]+)*) {2,}\S", grader.__doc__, re.MULTILINE)
    return {name: number for number, row in enumerate(found) for name in row.split(", ")}


def stage(path):
    """Return the module or package of the map that a file belongs to."""
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


def parsed(path):
    return ast.parse(path.read_text(encoding="utf-8"))


def imported(tree):
    """Yield the dotted name of everything that a file imports, anywhere in it; relative ones begin with a dot."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            yield from ((f"{module}.{alias.name}", node) for alias in node.names)


def dotted(node):
    return ast.unparse(node) if isinstance(node, (ast.Name, ast.Attribute)) else ""


def ids(paths):
    return [str(path.relative_to(ROOT)) for path in paths]


def each(paths):
    return pytest.mark.parametrize("path", paths, ids=ids(paths))


def test_the_map_shows_every_module_and_no_other():
    there = {stage(path) for path in FILES} - ENTRIES
    assert set(rows()) == there


@each(OURS)
def test_imports_point_upstream(path):
    order, own = rows(), stage(path)
    for name, node in imported(parsed(path)):
        parts = name.split(".")
        if parts[0] != "grader" or own in ENTRIES or parts[1] in {own, "__version__"}:
            continue
        assert order[parts[1]] <= order[own], f"line {node.lineno}: {own} imports {parts[1]} from downstream"


def test_no_two_modules_of_a_row_need_each_other():
    needs = {}
    for path in OURS:
        names = (name.split(".") for name, node in imported(parsed(path)) if node.col_offset == 0)
        needs.setdefault(stage(path), set()).update(parts[1] for parts in names if parts[0] == "grader")
    mutual = [(one, other) for one in needs for other in needs[one] if one < other and one in needs.get(other, ())]
    assert mutual == []


@each(OURS)
def test_imports_are_spelled_out(path):
    assert [name for name, _ in imported(parsed(path)) if name.startswith(".")] == []


@each(CHILDS)
def test_what_runs_in_the_child_has_nothing_of_grader_in_it(path):
    siblings = {other.stem for other in CHILDS} | {other.parent.name for other in CHILDS}
    for name, node in imported(parsed(path)):
        top = name.lstrip(".").split(".")[0]
        preloaded = {"torch"} if node.col_offset else set()  # by who starts children, before any student's code
        known = name.startswith(".") or top in siblings | {"numpy"} | preloaded | sys.stdlib_module_names
        assert known, f"line {node.lineno}: {name}"


@each([path for path in FILES if path.name != "examples.py"])
def test_nobody_else_imports_hypothesis(path):
    for name, node in imported(parsed(path)):
        if name.split(".")[0] == "hypothesis":
            assert path.name == "authoring.py", f"line {node.lineno}: {name}"
            assert node.col_offset > 0, f"line {node.lineno}: strategies are made when they are asked for"


@each([path for path in FILES if path.name not in {"compare.py", "leaf.py"}])
def test_nobody_else_compares_by_a_tolerance(path):
    names = {
        getattr(node, "attr", getattr(node, "id", ""))
        for node in ast.walk(parsed(path))
        if isinstance(node, (ast.Name, ast.Attribute))
    }
    assert not names & TOLERANT


def quiet(path):
    return stage(path) not in {"cli", "isolation", "__main__"} and path.name != SCRIPT


@each([path for path in OURS if quiet(path)])
def test_only_the_command_line_speaks_exits_and_changes_the_process(path):
    for node in ast.walk(parsed(path)):
        called = dotted(node.func) if isinstance(node, ast.Call) else ""
        assert called not in {"print", "exit", "sys.exit", "os._exit", "os.chdir", "os.putenv"}, f"line {node.lineno}"
        assert not re.match(r"os\.environ\.(update|setdefault|pop|clear)$", called), f"line {node.lineno}"
        assert not re.match(r"sys\.std(out|err)\.write$", called), f"line {node.lineno}"
        if isinstance(node, ast.Subscript) and dotted(node.value) == "os.environ":
            assert isinstance(node.ctx, ast.Load), f"line {node.lineno}"


def length(function):
    docstring = function.body[0] if ast.get_docstring(function) else None
    lines = function.end_lineno - function.lineno + 1
    return lines - (docstring.end_lineno - docstring.lineno + 1 if docstring else 0)


@each(FILES)
def test_functions_and_modules_are_short(path):
    text = path.read_text(encoding="utf-8")
    assert text.count("\n") <= 400
    functions = [
        node for node in ast.walk(ast.parse(text)) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
    ]
    assert [f"{node.name}: {length(node)} lines" for node in functions if length(node) > 60] == []
