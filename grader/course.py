"""Finds the course and reads the bytes of its problems; runs nothing of them.

::

    course/
      course.toml               optional: min_tier, preload, assignments
      problems/<slug>/          statement.md visible.py [hidden.py variants.py probes.py marking.md]
                                and, on a student's machine, mistakes.json released.json
      reference/<slug>.py       absent on a student's machine
      student_template/<slug>.py
"""

from __future__ import annotations

import hashlib
import re
import tomllib
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grader.errors import CourseError

if TYPE_CHECKING:
    from collections.abc import Iterable

SLUG = re.compile(r"[a-z][a-z0-9_]*\Z")
KEYS = ("min_tier", "preload", "assignments")  # of course.toml; a misspelt min_tier must not isolate less


@dataclass(frozen=True, slots=True)
class ProblemFiles:
    """One problem as text, nothing of it run; empty text where there is no such file.

    Can be pickled to any process that judges. ``mistakes`` holds what each known mistake answers to the visible
    checks' own calls, ``released`` the stub and the points of hidden checks, both for students' machines.
    """

    slug: str
    statement: str
    visible: str
    hidden: str = ""
    variants: str = ""
    probes: str = ""
    marking: str = ""
    mistakes: str = ""
    reference: str = ""
    stub: str = ""
    released: str = ""

    @property
    def digest(self) -> str:
        """Digest of all that can change a verdict."""
        parts = (f"{field.name}\0{getattr(self, field.name)}\0" for field in fields(self))
        return hashlib.sha256("".join(parts).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Course:
    """A folder with ``problems/`` in it."""

    root: Path
    config: dict[str, Any]

    @property
    def slugs(self) -> tuple[str, ...]:
        """The problems here, by name."""
        found = (path.parent.name for path in (self.root / "problems").glob("*/visible.py"))
        return tuple(sorted(name for name in found if SLUG.match(name)))

    def problem(self, slug: str) -> ProblemFiles:
        """Read one problem.

        Raises:
            CourseError: there is no such problem, or one of its files is not UTF-8 text.
        """
        folder = self.root / "problems" / slug
        if not SLUG.match(slug) or not (folder / "visible.py").is_file():
            near, known = nearest(slug, self.slugs), listed(self.slugs)
            raise CourseError(
                f"no problem {slug!r} in {self.root / 'problems'}{near}; known: {known} "
                "(a problem's name is lower-case letters, digits and underscores)"
            )
        return ProblemFiles(
            slug=slug,
            statement=_text(folder / "statement.md"),
            visible=_text(folder / "visible.py"),
            hidden=_text(folder / "hidden.py"),
            variants=_text(folder / "variants.py"),
            probes=_text(folder / "probes.py"),
            marking=_text(folder / "marking.md"),
            mistakes=_text(folder / "mistakes.json"),
            reference=_text(self.root / "reference" / f"{slug}.py"),
            stub=_text(self.root / "student_template" / f"{slug}.py"),
            released=_text(folder / "released.json"),
        )

    @property
    def min_tier(self) -> int:
        """The isolation that graded runs demand here."""
        tier = self.config.get("min_tier", 2)
        if type(tier) is not int or tier not in (1, 2, 3):
            raise CourseError(f"{self.root / 'course.toml'}: min_tier must be 1, 2 or 3; got {tier!r}")
        return tier

    @property
    def preload(self) -> tuple[str, ...]:
        """The modules that are imported once for all children here."""
        return tuple(self.config.get("preload", ()))


def find(start: Path | None = None) -> Course:
    """Return the course at ``start``, or the nearest one above the working folder.

    Raises:
        CourseError: there is none, or its ``course.toml`` cannot be read.
    """
    here = (start or Path.cwd()).resolve()
    candidates = [here] if start is not None else [here, *here.parents]
    for folder in candidates:
        if (folder / "problems").is_dir():
            return Course(root=folder, config=_config(folder / "course.toml"))
    where = here if start is not None else f"{here} or above it"
    raise CourseError(f"no course at {where}: a course is a folder with problems/ in it; give it with --course DIR")


def _config(path: Path) -> dict[str, Any]:
    if not path.is_file():
        return {}
    try:
        config = tomllib.loads(_text(path))
    except tomllib.TOMLDecodeError as error:
        raise CourseError(f"{path} is not valid TOML: {error}") from error
    for key in config:
        if key not in KEYS:
            raise CourseError(f"{path} has no key {key!r}{nearest(key, KEYS)}; it takes {listed(KEYS)}")
    preload = config.get("preload", [])
    if not isinstance(preload, list) or not all(isinstance(module, str) for module in preload):
        raise CourseError(f'{path}: preload must be a list of names of modules, as ["scipy"]; got {preload!r}')
    return config


def nearest(name: str, known: Iterable[str]) -> str:
    """Return a question that helps with a misspelt name; "" if nothing is near it.

    >>> nearest("xorr", ["coin_flips", "xor"])
    ' (did you mean xor?)'
    """
    import difflib

    near = difflib.get_close_matches(name, list(known), n=1)
    return f" (did you mean {near[0]}?)" if near else ""


def listed(known: Iterable[str]) -> str:
    """Return names as a list in a sentence."""
    return ", ".join(known) or "none"


def _text(path: Path) -> str:
    if not path.is_file():
        return ""
    try:
        return path.read_text(encoding="utf-8-sig")
    except (UnicodeDecodeError, OSError) as error:
        raise CourseError(f"{path} cannot be read as UTF-8 text: {error}") from error
