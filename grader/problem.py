"""The bytes of a problem, read: its checks, variants, stub and settings. Runs the author's files only."""

from __future__ import annotations

import ast
import contextlib
import functools
import inspect
import io
import linecache
import re
import sys
from dataclasses import dataclass
from types import ModuleType
from typing import TYPE_CHECKING, Any

from grader import released
from grader import variants as texts
from grader.authoring import CheckMark, Settings
from grader.errors import AuthoringError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from grader.authoring import Given
    from grader.course import ProblemFiles
    from grader.variants import Variant


@dataclass(frozen=True, slots=True)
class Check:
    """One promise and the function that judges it."""

    name: str
    promise: str
    visible: bool
    points: float
    given: Given | None
    examples: int
    free: Mapping[str, str]
    function: Callable[..., Any]
    parameters: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem that is ready to judge; holds functions, so it never leaves its process."""

    slug: str
    title: str
    settings: Settings
    checks: tuple[Check, ...]
    variants: tuple[Variant, ...]
    reference: str
    stub: str
    probes: str
    manual_points: float
    takes_tensors: Mapping[str, bool]

    @property
    def points(self) -> float:
        """What all checks are worth."""
        return sum(check.points for check in self.checks)

    @property
    def right(self) -> tuple[Variant, ...]:
        """The right answers of another make."""
        return tuple(variant for variant in self.variants if variant.right)

    @property
    def wrong(self) -> tuple[Variant, ...]:
        """The known mistakes."""
        return tuple(variant for variant in self.variants if not variant.right)

    def check(self, name: str) -> Check:
        """Return the check of that name."""
        return next(check for check in self.checks if check.name == name)


@functools.lru_cache(maxsize=64)
def load(files: ProblemFiles) -> Problem:
    """Read a problem; the same bytes are read once a process.

    Raises:
        AuthoringError: the folder breaks a rule of the author's words; the message names the file.
        CourseError: what a bundle tells of the problem is damaged.
    """
    slug = files.slug
    for text, name in ((files.reference, f"reference/{slug}.py"), (files.probes, f"problems/{slug}/probes.py")):
        _demand_syntax(text, name)
    visible = execute(files.visible, f"problems/{slug}/visible.py")
    hidden = execute(files.hidden, f"problems/{slug}/hidden.py") if files.hidden else {}
    checks = (*_checks(visible, slug, visible=True), *_checks(hidden, slug, visible=False))
    _demand_checks(checks, (files.visible, files.hidden), slug)
    _demand_no_settings(hidden, slug)
    reference = files.reference
    told = released.read(files.released, f"problems/{slug}/{released.NAME}")
    template = told.stub if told else files.stub
    return Problem(
        slug=slug,
        title=_title(files.statement, slug),
        settings=_settings(visible, files.visible, slug),
        checks=checks,
        variants=_variants(files, {check.name for check in checks}),
        reference=reference,
        stub=texts.stub(reference, f"reference/{slug}.py") if reference else template,
        probes=files.probes,
        manual_points=told.manual_points if told and not reference else _manual_points(files.marking, slug),
        takes_tensors=_takes_tensors(reference or template),
    )


def execute(text: str, name: str) -> dict[str, Any]:
    """Run a trusted text in a namespace of its own, outside ``sys.modules``; return the namespace.

    Raises:
        AuthoringError: it does not run; the message holds the file, the line and the reason.
    """
    linecache.cache[name] = (len(text), None, io.StringIO(text, newline=None).readlines(), name)
    module = ModuleType(name.removesuffix(".py").replace("/", "."))
    module.__file__ = name
    try:
        with _loaded(module):
            exec(compile(text, name, "exec", dont_inherit=True), module.__dict__)  # noqa: S102 - an author's file
    except AuthoringError as error:
        raise AuthoringError(f"{name}: {error}") from error
    except Exception as error:
        line = _line_in(error, name)
        raise AuthoringError(f"{name}, line {line}: {type(error).__name__}: {error}") from error
    return module.__dict__


@contextlib.contextmanager
def _loaded(module: ModuleType) -> Iterator[None]:
    """Put a module where a dataclass looks for it while it is made, and only so long."""
    before = sys.modules.get(module.__name__)
    sys.modules[module.__name__] = module
    try:
        yield
    finally:
        del sys.modules[module.__name__]
        if before is not None:
            sys.modules[module.__name__] = before


def _demand_syntax(text: str, name: str) -> None:
    try:
        ast.parse(text)
    except SyntaxError as error:
        raise AuthoringError(f"{name}, line {error.lineno}: SyntaxError: {error.msg}") from error


def _line_in(error: BaseException, name: str) -> int:
    if isinstance(error, SyntaxError):
        return error.lineno or 0
    line, trace = 0, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == name:
            line = trace.tb_lineno
        trace = trace.tb_next
    return line


def _checks(namespace: Mapping[str, Any], slug: str, *, visible: bool) -> tuple[Check, ...]:
    marked = (value for value in namespace.values() if isinstance(getattr(value, "__grader__", None), CheckMark))
    return tuple(_check(function, slug, visible=visible) for function in marked)


def _check(function: Callable[..., Any], slug: str, *, visible: bool) -> Check:
    mark: CheckMark = function.__grader__  # type: ignore[attr-defined]
    where = f"problems/{slug}/{'visible' if visible else 'hidden'}.py, {function.__name__}"
    promise = " ".join(inspect.cleandoc(function.__doc__ or "").split("\n\n")[0].split())
    if not promise:
        raise AuthoringError(f"{where}: a check needs a docstring, the promise that a student reads")
    parameters = tuple(inspect.signature(function).parameters)
    if "student" not in parameters:
        raise AuthoringError(f"{where}: a check needs an argument named student")
    if visible and "reference" in parameters:
        raise AuthoringError(f"{where}: a visible check may not ask for the reference; students run it without one")
    own = set(parameters) - {"student", "reference"}
    if isinstance(mark.given, dict) and own != set(mark.given):
        raise AuthoringError(f"{where}: its arguments {sorted(own)} are not those of given, {sorted(mark.given)}")
    if mark.given is None and own:
        raise AuthoringError(f"{where}: nothing gives its arguments {sorted(own)}; add given=")
    return Check(
        name=function.__name__,
        promise=promise,
        visible=visible,
        points=mark.points,
        given=mark.given,
        examples=mark.examples if mark.given is not None else 1,
        free=mark.free,
        function=function,
        parameters=parameters,
    )


def _demand_checks(checks: tuple[Check, ...], written: tuple[str, ...], slug: str) -> None:
    names = [check.name for check in checks]
    if not any(check.visible for check in checks):
        raise AuthoringError(f"problems/{slug}/visible.py: there is no check in it; mark a function with @check(...)")
    # A second definition of a name takes the first one's place when the file runs, so the texts are asked too.
    nodes = [node for text in written for node in ast.parse(text).body]
    defined = [node.name for node in nodes if isinstance(node, ast.FunctionDef) and node.decorator_list]
    for name in names:
        if names.count(name) > 1 or defined.count(name) > 1:
            raise AuthoringError(f"problems/{slug}: two checks are named {name}; names must differ")


def _demand_no_settings(hidden: Mapping[str, Any], slug: str) -> None:
    if any(isinstance(value, Settings) for value in hidden.values()):
        raise AuthoringError(
            f"problems/{slug}/hidden.py: settings(...) belong in visible.py, since students run under them too"
        )


def _settings(namespace: Mapping[str, Any], text: str, slug: str) -> Settings:
    found = {id(value): value for value in namespace.values() if isinstance(value, Settings)}
    if len(found) > 1:
        raise AuthoringError(f"problems/{slug}/visible.py: settings(...) is given more than once")
    if not found and re.search(r"^\s*settings\(", text, re.MULTILINE):
        raise AuthoringError(
            f"problems/{slug}/visible.py: the value of settings(...) is lost; write limits = settings(...)"
        )
    return next(iter(found.values()), Settings())


def _variants(files: ProblemFiles, checks: set[str]) -> tuple[Variant, ...]:
    if not (files.variants and files.reference):
        return ()
    where = f"problems/{files.slug}/variants.py"
    found = texts.read(files.variants, files.reference, where)
    for variant in found:
        if not variant.right and variant.caught_by not in checks:
            raise AuthoringError(
                f"{where}, {variant.name}: caught_by={variant.caught_by!r} is no check of this problem"
            )
    return found


def _title(statement: str, slug: str) -> str:
    heading = re.search(r"^#[ \t]+(.+?)(?:[ \t]+#+)?[ \t]*$", statement, re.MULTILINE)
    if heading is None:
        raise AuthoringError(f"problems/{slug}/statement.md: its first heading is the title, and there is none")
    return heading[1]


def _manual_points(marking: str, slug: str) -> float:
    if not marking:
        return 0.0
    found = re.search(r"^points:\s*([0-9]+(?:\.[0-9]+)?)\s*$", marking, re.MULTILINE)
    if found is None:
        raise AuthoringError(
            f"problems/{slug}/marking.md: it needs a line 'points: N', what the hand-marked part is worth"
        )
    return float(found[1])


def _takes_tensors(text: str) -> dict[str, bool]:
    try:
        return texts.tensor_functions(text)
    except SyntaxError:
        return {}  # a student writes in the stub; what is wrong there is told when it is judged
