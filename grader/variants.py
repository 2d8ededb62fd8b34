"""Trusted texts made from a reference: the stub, what each variant's submission reads like, the signatures.

All of it works on text, so that stub, reference and variants travel to a child, to a demo class and to a
student's machine as the same kind of thing: one Python file.
"""

from __future__ import annotations

import ast
import functools
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from grader import authoring
from grader.errors import AuthoringError

if TYPE_CHECKING:
    from collections.abc import Iterator

BEGIN = re.compile(r"^([ \t]*)#+\s*BEGIN SOLUTION\s*$")
END = re.compile(r"^[ \t]*#+\s*END SOLUTION\s*$")

_BY_ANY_NAME = frozenset({"globals", "locals", "vars", "eval", "exec", "getattr", "setattr", "import_module"})

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


@dataclass(frozen=True, slots=True)
class Variant:
    """A known answer: what it replaces, what must happen to it, and the whole submission it stands for."""

    name: str
    right: bool
    replaces: str
    caught_by: str
    hint: str
    alike: str
    text: str


def stub(reference: str, where: str = "the reference") -> str:
    r"""Return what students receive: each BEGIN/END SOLUTION region replaced by ``raise NotImplementedError``.

    Raises:
        AuthoringError: a region does not end, ends without a beginning, or there is none.

    >>> print(stub("def f(x):\n    # BEGIN SOLUTION\n    return x\n    # END SOLUTION\n"), end="")
    def f(x):
        raise NotImplementedError
    """
    kept: list[str] = []
    inside = found = False
    for number, line in enumerate(_lines(reference), start=1):
        begin, end = BEGIN.match(line), END.match(line)
        if (begin and inside) or (end and not inside):
            raise AuthoringError(f"{where}, line {number}: {line.strip()} has no counterpart")
        if begin:
            inside = found = True
            if begin[1]:
                kept.append(f"{begin[1]}raise NotImplementedError")
        elif end:
            inside = False
        elif not inside:
            kept.append(line)
    if inside or not found:
        raise AuthoringError(f"{where}: {'END' if inside else 'BEGIN'} SOLUTION is missing")
    return re.sub(r"\n{4,}", "\n\n\n", "\n".join(kept)) + "\n"


def tensor_functions(text: str) -> dict[str, bool]:
    r"""Return, for each function, class and method of a text, whether it takes torch tensors.

    A function takes tensors if an annotation of its parameters names ``Tensor``; a class, if its ``__init__`` does.

    >>> tensor_functions("def f(x: torch.Tensor, n: int): ...\ndef g(x: np.ndarray): ...")
    {'f': True, 'g': False}
    """
    takes: dict[str, bool] = {}
    for node in ast.parse(text).body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            takes[node.name] = _names_tensor(node)
        elif isinstance(node, ast.ClassDef):
            takes[node.name] = False
            for method in node.body:
                if isinstance(method, (ast.FunctionDef, ast.AsyncFunctionDef)):
                    takes[f"{node.name}.{method.name}"] = _names_tensor(method)
            takes[node.name] = takes.get(f"{node.name}.__init__", False)
    return takes


def read(text: str, reference: str, where: str) -> tuple[Variant, ...]:
    """Return the variants that ``variants.py`` marks, each spliced into the reference.

    Raises:
        AuthoringError: a decorator cannot be read, a name is not the reference's, or two texts collide.
    """
    try:
        module = _parsed(text)
    except SyntaxError as error:
        raise AuthoringError(f"{where}: {error.msg} (line {error.lineno})") from error
    variants = tuple(
        _variant(node, mark, text, reference, where)
        for node in module.body
        if isinstance(node, DEFINITIONS) and (mark := _mark(node, where)) is not None
    )
    _demand_consistency(variants, where)
    return variants


def _variant(node: Definition, mark: authoring.VariantMark, text: str, reference: str, where: str) -> Variant:
    return Variant(
        name=node.name,
        right=mark.right,
        replaces=mark.replaces,
        caught_by=mark.caught_by,
        hint=mark.hint,
        alike=mark.alike,
        text=_spliced(node, mark.replaces, text, reference, f"{where}, {node.name}"),
    )


def _demand_consistency(variants: tuple[Variant, ...], where: str) -> None:
    wrong = {variant.name: variant for variant in variants if not variant.right}
    names = [variant.name for variant in variants]
    for name in names:
        if names.count(name) > 1:
            raise AuthoringError(f"{where}: two variants are named {name}")
    for variant in wrong.values():
        leader = wrong.get(variant.alike)
        if variant.alike and (leader is None or leader.alike):
            raise AuthoringError(
                f"{where}, {variant.name}: alike={variant.alike!r} must name a wrong variant that has a hint"
            )


def _mark(node: Definition, where: str) -> authoring.VariantMark | None:
    for decorator in node.decorator_list:
        if _called(decorator) not in {"right", "wrong"}:
            continue
        try:
            if not isinstance(decorator, ast.Call):
                raise AuthoringError(f"write @{_called(decorator)}(replaces=...)")  # noqa: TRY301 - one place adds where
            marker = authoring.right if _called(decorator) == "right" else authoring.wrong
            arguments = {word.arg or "**": _literal(word) for word in decorator.keywords}
            return marker(*decorator.args, **arguments)(lambda: None).__grader__  # type: ignore[attr-defined,no-any-return]
        except (TypeError, AuthoringError) as error:
            raise AuthoringError(f"{where}, line {node.lineno}, {node.name}: {error}") from error
    return None


def _literal(word: ast.keyword) -> Any:
    try:
        return ast.literal_eval(word.value)
    except ValueError:
        raise AuthoringError(f"{word.arg}= is read without running this file; write a literal") from None


def _called(node: ast.expr) -> str:
    function = node.func if isinstance(node, ast.Call) else node
    return function.id if isinstance(function, ast.Name) else getattr(function, "attr", "")


def _is_mark(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and _called(node) in {"right", "wrong"}


def _spliced(node: Definition, replaces: str, text: str, reference: str, where: str) -> str:
    lines = _lines(reference)
    target = _target(_parsed(reference), replaces, where)
    if node.name != target.name and node.name in _loaded(node) and node.name in _names(reference):
        raise AuthoringError(f"{where}: it calls {node.name}, which is also a name of the reference; rename it")
    first = min([target.lineno, *(d.lineno for d in target.decorator_list)]) - 1
    indent = lines[target.lineno - 1][: target.col_offset]
    lines[first : target.end_lineno] = _renamed(node, target.name, text, indent)
    helpers, imports = _needs(node, text, reference, where)
    at = _after_imports(reference)
    return "\n".join([*lines[:at], *imports, *helpers, *lines[at:]]) + "\n"


def _target(module: ast.Module, replaces: str, where: str) -> Definition:
    scope: list[ast.stmt] = module.body
    found: Definition | None = None
    for part in replaces.split("."):
        found = next((n for n in scope if isinstance(n, DEFINITIONS) and n.name == part), None)
        if found is None:
            raise AuthoringError(f"{where}: the reference has no {replaces!r} to replace")
        scope = found.body
    assert found is not None
    return found


def _renamed(node: Definition, name: str, text: str, indent: str = "") -> list[str]:
    """Return the variant's lines under the name that it replaces, without the author's marks."""
    kept = [
        f"{indent}@{ast.get_source_segment(text, decorator)}"
        for decorator in node.decorator_list
        if not _is_mark(decorator)
    ]
    quoted = _inside_text(node)
    numbered = enumerate(_lines(text)[node.lineno - 1 : node.end_lineno], start=node.lineno)
    body = [indent + line if line and number not in quoted else line for number, line in numbered]
    body[0] = re.sub(rf"\b(def|class)\s+{node.name}\b", rf"\1 {name}", body[0], count=1)
    recursive = node.name != name and node.name in _loaded(node)
    return [*kept, *body, *([f"{indent}{node.name} = {name}"] if recursive else [])]


def _inside_text(node: ast.AST) -> set[int]:
    """Return the numbers of the lines that begin inside of a text of several lines."""
    texts = [part for part in ast.walk(node) if isinstance(part, (ast.Constant, ast.JoinedStr))]
    return {line for text in texts for line in range(text.lineno + 1, (text.end_lineno or 0) + 1)}


def _needs(node: Definition, text: str, reference: str, where: str) -> tuple[list[str], list[str]]:
    """Return the helpers and imports of ``variants.py`` that a variant uses, as lines, in their own order."""
    module = _parsed(text)
    owners = {name: statement for statement in module.body for name in _bound(statement)}
    wanted: set[str] = set()
    pending = [name for name in _loaded(node) if name in owners and name != node.name]
    while pending:
        name = pending.pop()
        if name not in wanted:
            wanted.add(name)
            pending += [other for other in _loaded(owners[name]) if other in owners and other != node.name]
    taken = _names(reference)
    helpers, imports = [], []
    for statement in module.body:
        names = wanted & set(_bound(statement))
        if not names:
            continue
        if isinstance(statement, (ast.Import, ast.ImportFrom)):
            imports += _source(statement, text)
            continue
        if names & taken:
            raise AuthoringError(f"{where}: its helper {min(names & taken)} is also a name of the reference; rename it")
        helpers += ["", "", *_source(statement, text)]
    return helpers, imports


def _source(statement: ast.stmt, text: str) -> list[str]:
    if isinstance(statement, DEFINITIONS):
        return _renamed(statement, statement.name, text)
    return _lines(text)[statement.lineno - 1 : statement.end_lineno]


def _lines(text: str) -> list[str]:
    """Return the lines of a text as Python numbers them: a form feed ends none."""
    return text.removesuffix("\n").split("\n")


@functools.lru_cache(maxsize=64)
def reach(text: str) -> dict[str, frozenset[str]]:
    r"""Return, for each name that a text binds, every name of the text that its meaning can depend on, itself included.

    >>> sorted(reach("def f(x): return g(x) + N\ndef g(x): return x\nN = 2\ndef h(): return 1\n")["f"])
    ['N', 'f', 'g']
    """
    uses: dict[str, set[str]] = {}
    for statement in _parsed(text).body:
        loaded = _loaded(statement)
        for name in list(_bound(statement)) or loaded:  # what binds nothing may change what it names
            uses.setdefault(name, {name}).update(loaded)
    every = frozenset(uses)
    found: dict[str, frozenset[str]] = {}
    for name in uses:
        reached: set[str] = set()
        pending = [name]
        while pending:
            one = pending.pop()
            if one not in reached:
                reached.add(one)
                pending += uses.get(one, ())
        found[name] = every if reached & _BY_ANY_NAME else every & reached
    return found


@functools.lru_cache(maxsize=8)
def _parsed(text: str) -> ast.Module:
    """Read a text of which many variants are made; nobody may change what comes back."""
    return ast.parse(text)


@functools.lru_cache(maxsize=8)
def _names(text: str) -> frozenset[str]:
    return frozenset(name for statement in _parsed(text).body for name in _bound(statement))


def _loaded(node: ast.AST) -> list[str]:
    marks = {
        id(part)
        for decorator in getattr(node, "decorator_list", [])
        if _is_mark(decorator)
        for part in ast.walk(decorator)
    }
    return sorted({n.id for n in ast.walk(node) if isinstance(n, ast.Name) and id(n) not in marks})


def _bound(statement: ast.stmt) -> Iterator[str]:
    if isinstance(statement, DEFINITIONS):
        yield statement.name
    elif isinstance(statement, (ast.Import, ast.ImportFrom)):
        if not (isinstance(statement, ast.ImportFrom) and statement.module in {"grader", "__future__"}):
            yield from ((alias.asname or alias.name).split(".")[0] for alias in statement.names)
    else:
        for part in ast.walk(statement):
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
                yield part.id


def _after_imports(reference: str) -> int:
    end = 0
    for position, statement in enumerate(_parsed(reference).body):
        docstring = position == 0 and isinstance(statement, ast.Expr)
        if not (docstring or isinstance(statement, (ast.Import, ast.ImportFrom))):
            break
        end = statement.end_lineno or 0
    return end


def _names_tensor(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    parameters = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
    parameters += [extra for extra in (node.args.vararg, node.args.kwarg) if extra]
    return any("Tensor" in ast.unparse(p.annotation) for p in parameters if p.annotation)
