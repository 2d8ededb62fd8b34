"""The modules that student code lives in and sees: its own, its helpers', and none of those hidden from it."""

from __future__ import annotations

import importlib.machinery
import io
import linecache
import os
import sys
import types
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from types import CodeType


_FOLDER = os.path.dirname(os.path.abspath(__file__))  # noqa: PTH100, PTH120 - pathlib is one import more


def _own_modules() -> list[str]:
    """Return the names under which this folder's modules are imported in a child."""
    packages = [entry.name for entry in os.scandir(_FOLDER) if entry.is_dir() and entry.name != "__pycache__"]
    stems = [name[:-3] for name in os.listdir(_FOLDER) if name.endswith(".py") and name != "__main__.py"]  # noqa: PTH208 - as above
    inner = [f"{package}.{name[:-3]}" for package in packages for name in os.listdir(f"{_FOLDER}/{package}")]  # noqa: PTH208
    return [*stems, *packages, *inner]


# Found out when this is imported, before a child is forked: walking over all modules touches each one's memory,
# which a forked child would have to copy.
_OWN = _own_modules()


class Hidden:
    """First on ``sys.meta_path``: packages that cannot be imported, with a sentence that says why."""

    def __init__(self, packages: Iterable[str]) -> None:
        self._packages = frozenset(packages)
        if any(package in sys.modules for package in self._packages):
            for name in list(sys.modules):
                if self._covers(name):
                    del sys.modules[name]

    def find_spec(self, name: str, _path: Sequence[str] | None = None, _target: Any = None) -> None:
        """Refuse a hidden package; leave every other to the finders behind."""
        if self._covers(name):
            package = name.partition(".")[0]
            raise ModuleNotFoundError(f"{package} is not available: this problem is solved without it", name=package)

    def _covers(self, name: str) -> bool:
        return name.partition(".")[0] in self._packages


class Helpers:
    """Last on ``sys.meta_path``: the submission's other modules, kept in memory.

    Behind every other finder, so that no helper stands in for the standard library, numpy or torch.
    """

    def __init__(self, texts: Mapping[str, str], files: set[str]) -> None:
        self._texts = dict(texts)
        self._files = files

    def find_spec(
        self, name: str, _path: Sequence[str] | None = None, _target: Any = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Return how to load a helper, or None if the name is none."""
        package = any(other.startswith(name + ".") for other in self._texts)
        if name not in self._texts and not package:
            return None
        return importlib.machinery.ModuleSpec(name, self, origin=self._file(name), is_package=package)  # type: ignore[arg-type]

    def create_module(self, _spec: importlib.machinery.ModuleSpec) -> None:
        """Let Python make the module."""

    def exec_module(self, module: types.ModuleType) -> None:
        """Run a helper's text in its module."""
        name = module.__name__
        text = self._texts.get(name, self._texts.get(name + ".__init__", ""))
        execute(text, self._file(name), module, self._files)

    def _file(self, name: str) -> str:
        return name.replace(".", "/") + ".py"


def execute(text: str, file: str, module: types.ModuleType, files: set[str], code: CodeType | None = None) -> None:
    """Run a module's text; tracebacks show its lines under the name of the file, which joins ``files``.

    ``code`` is the text compiled, if somebody has done that already.
    """
    remember(text, file, files)
    module.__file__ = file
    code = code or compile(text, file, "exec", dont_inherit=True)
    exec(code, module.__dict__)  # noqa: S102 - what this process is for


def remember(text: str, file: str, files: set[str]) -> None:
    """Let tracebacks show the lines of a text that is in no file."""
    files.add(file)
    # Lines as Python counts them: str.splitlines would also break at a form feed, and tell of other lines.
    linecache.cache[file] = (len(text), None, io.StringIO(text, newline=None).readlines(), file)


def student_module(slug: str) -> types.ModuleType:
    """Return a new module that can be found under the slug, so that dataclasses and pickles in it work."""
    taken = slug in sys.modules or slug in sys.stdlib_module_names
    module = types.ModuleType(f"{slug}_answer" if taken else slug)
    sys.modules[module.__name__] = module
    return module


def step_aside() -> None:
    """Take this folder's modules out of reach by name: a student's helper may well be called ``values``."""
    for name in _OWN:
        file = getattr(sys.modules.get(name), "__file__", None) or ""
        if file.startswith(_FOLDER + os.sep):
            del sys.modules[name]
    sys.path[:] = [path for path in sys.path if os.path.abspath(path) != _FOLDER]  # noqa: PTH100 - as above
