"""What has to be installed for some problems: the versions that are here, and PyTorch only where it is needed."""

from __future__ import annotations

import ast
import re
import shlex
import sys
from importlib import metadata
from importlib.util import find_spec
from typing import TYPE_CHECKING

from grader.errors import UsageError
from grader.problem import load

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from grader.course import ProblemFiles

BASE = ("numpy", "click", "rich", "hypothesis")
TORCH = ("torch", "torchvision")
_AUTHORS = ("visible", "hidden", "probes")
_COMMAND = re.compile(r"^\s*(?:[\w./]*python[\d.]*\s+-m\s+)?pip[\d.]*\s+install\s+")


def imported(problems: Iterable[ProblemFiles], preload: Iterable[str]) -> frozenset[str]:
    """Return the packages outside of Python that the texts of problems import, by their names in Python.

    Raises:
        UsageError: one of them is not here, so that nobody can say what to install.
    """
    names = {name.partition(".")[0]: "preload in course.toml" for name in preload}
    for files in problems:
        texts = {f"problems/{files.slug}/{part}.py": getattr(files, part) for part in _AUTHORS}
        texts[f"reference/{files.slug}.py"] = files.reference
        for where, text in texts.items():
            names |= dict.fromkeys(_imports(text), where)
        for mistake in load(files).wrong:  # right variants are no part of the archive
            names |= dict.fromkeys(_imports(mistake.text), f"problems/{files.slug}/variants.py")
    found = {name: where for name, where in names.items() if name not in sys.stdlib_module_names | {"grader"}}
    for name, where in sorted(found.items()):
        if find_spec(name) is None:
            raise UsageError(f"{where} needs {name}, which is not installed here; install it first")
    return frozenset(found)


def pinned(modules: Iterable[str]) -> tuple[str, ...]:
    """Return what to install beside PyTorch, each in the version that is here."""
    more = set(modules) - {*BASE, *TORCH}
    homes = metadata.packages_distributions() if more else {}  # which reads all that is installed
    wanted = {*BASE, *(home for name in more for home in homes.get(name, ())[:1])}
    return tuple(f"{name}=={_version(name)}" for name in sorted(wanted, key=str.lower))


def torch(modules: Iterable[str], line: str) -> tuple[str, ...]:
    """Return what pip is given for PyTorch; nothing where no problem needs it.

    Args:
        modules: what the problems import.
        line: what somebody wants instead of the version that is here, such as PyTorch's own page gives it.

    Raises:
        UsageError: the line installs no torch, or no problem needs one.
    """
    needed = [name for name in TORCH if name in modules or (name == "torch" and "torchvision" in modules)]
    if not line:
        return tuple(f"{name}=={_version(name)}" for name in needed)
    if not needed:
        raise UsageError("--torch is given, and none of these problems needs PyTorch; leave it out")
    try:
        parts = shlex.split(_COMMAND.sub("", line))
    except ValueError as error:
        raise UsageError(f"--torch cannot be read as a command line ({error})") from error
    given = {re.split(r"[^\w-]", part)[0].lower() for part in parts}
    for name in needed:
        if name not in given:
            raise UsageError(f"--torch does not install {name}; give all that stands behind `pip install`")
    return tuple(parts)


def _imports(text: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield (node.module or "").partition(".")[0]


def _version(name: str) -> str:
    """Return a version as packages are asked for: what a build adds to it is not known elsewhere."""
    return metadata.version(name).partition("+")[0]
