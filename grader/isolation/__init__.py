"""Everything that touches untrusted code.

::

    profile            what a child is started with, and what its parent may ask of it
    worker, session    one answer run in children: calls, budgets, faults
    forked, zygotes    children forked from a prepared process and locked down by Linux
    spawn              children as fresh interpreters, anywhere
    guardian           ends those whose grader has been killed; zygotes do it for theirs
    numerics           what fixes a child's numbers, and the kernels that it computes with
    libraries          what a child needs of this machine
    tiers, probing     how well this machine isolates, found by attacking it
    inside/            the part that runs in the child; nothing of the grader is in it

The names are resolved when they are first used, so that importing this package costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from grader.isolation.profile import Exit, Layers, Profile, Source, SourceFile

if TYPE_CHECKING:
    from grader.isolation.tiers import Survey, launcher, survey
    from grader.isolation.worker import Worker

__all__ = ["Exit", "Layers", "Profile", "Source", "SourceFile", "Survey", "Worker", "launcher", "survey"]

_HOME = {
    "Survey": "grader.isolation.tiers",
    "Worker": "grader.isolation.worker",
    "launcher": "grader.isolation.tiers",
    "survey": "grader.isolation.tiers",
}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'grader.isolation' has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
