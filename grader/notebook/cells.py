"""The names of a notebook's cells, nbgrader's ``grade_id``: what a cell is for can be read from it, and nothing else.

::

    xor--statement          the statement; locked
    xor--answer--forward    what the student writes: a function or class of the reference, by name
    xor--helpers--1         a place for helpers that the reference has and students may have
    xor--try                runs the visible checks; locked, worth nothing
    xor--check--NAME        one check and its points; locked, holds no test; the name of one that is made after hand-in
                            says what is tested, so a digest stands in its place
    xor--scheme--1          the mark scheme; locked, removed from what students receive
    xor--marking--1         what a person marks, by that scheme

A student's file may hold any ``grade_id``: whoever grades asks for the names that the problem itself gives.
"""

from __future__ import annotations

import enum
import hashlib
import re
from dataclasses import dataclass

_PARTS = re.compile(r"(?P<slug>[a-z][a-z0-9_]*)--(?P<kind>[a-z]+)(?:--(?P<name>[A-Za-z0-9_-]+))?")
_FOREIGN = re.compile(r"[^A-Za-z0-9_]")
_SPELLED = re.compile(r"-([0-9a-f]+)-")


class Kind(enum.StrEnum):
    """What a cell is for."""

    STATEMENT = "statement"
    ANSWER = "answer"
    HELPERS = "helpers"
    TRY = "try"
    CHECK = "check"
    SCHEME = "scheme"
    MARKING = "marking"


NAMED = frozenset({Kind.ANSWER, Kind.HELPERS, Kind.CHECK, Kind.SCHEME, Kind.MARKING})


@dataclass(frozen=True, slots=True)
class CellName:
    """One cell: its problem, what it is for, and of what: a function, a check, a number; "" where there is one only."""

    slug: str
    kind: Kind
    name: str = ""

    @property
    def grade_id(self) -> str:
        """The name as nbgrader keeps it.

        >>> CellName("xor", Kind.CHECK, "two_units_compute_xor").grade_id
        'xor--check--two_units_compute_xor'
        """
        head = f"{self.slug}--{self.kind.value}"
        return f"{head}--{_FOREIGN.sub(_spelled, self.name)}" if self.kind in NAMED else head


def statement(slug: str) -> str:
    """Return the name of the statement's cell."""
    return CellName(slug, Kind.STATEMENT).grade_id


def answer(slug: str, function: str) -> str:
    """Return the name of the cell in which a function is written."""
    return CellName(slug, Kind.ANSWER, function).grade_id


def helpers(slug: str, place: int) -> str:
    """Return the name of a cell for helpers."""
    return CellName(slug, Kind.HELPERS, f"{place}").grade_id


def trying(slug: str) -> str:
    """Return the name of the cell that runs the visible checks."""
    return CellName(slug, Kind.TRY).grade_id


def check(slug: str, name: str, *, visible: bool) -> str:
    """Return the name of a check's cell.

    >>> check("xor", "two_units_compute_xor", visible=True), check("xor", "only_v2_moves", visible=False)
    ('xor--check--two_units_compute_xor', 'xor--check--after_hand_in_ccda7473')
    """
    return CellName(slug, Kind.CHECK, called(slug, name, visible=visible)).grade_id


def called(slug: str, name: str, *, visible: bool) -> str:
    """Return what a check is called in its cell."""
    return name if visible else f"after_hand_in_{hashlib.sha256(f'{slug}::{name}'.encode()).hexdigest()[:8]}"


def scheme(slug: str, place: int = 1) -> str:
    """Return the name of a mark scheme's cell."""
    return CellName(slug, Kind.SCHEME, f"{place}").grade_id


def marking(slug: str, place: int = 1) -> str:
    """Return the name of a cell that a person marks."""
    return CellName(slug, Kind.MARKING, f"{place}").grade_id


def parse(grade_id: object) -> CellName | None:
    """Return what a ``grade_id`` says, or None if it is none of ours.

    >>> parse("xor--answer--forward")
    CellName(slug='xor', kind=<Kind.ANSWER: 'answer'>, name='forward')
    >>> parse(answer("xor", "größe")).name
    'größe'
    >>> parse("cell-0b1c") is None
    True
    """
    found = _PARTS.fullmatch(grade_id) if isinstance(grade_id, str) else None
    if found is None or found["kind"] not in set(Kind):
        return None
    name = _SPELLED.sub(_read, found["name"] or "")
    cell = CellName(found["slug"], Kind(found["kind"]), name)
    return cell if cell.grade_id == grade_id else None


def _spelled(found: re.Match[str]) -> str:
    """A sign that nbgrader does not take, by its number."""
    return f"-{ord(found[0]):x}-"


def _read(found: re.Match[str]) -> str:
    number = int(found[1], 16) if len(found[1]) <= 6 else -1  # noqa: PLR2004 - digits of the largest sign
    return chr(number) if 0 <= number <= 0x10FFFF else found[0]  # noqa: PLR2004 - the largest sign
