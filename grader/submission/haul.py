"""What a search has brought in so far: pieces grouped into hand-ins, and everything else with the reason."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from grader.submission import names
from grader.submission.names import quoted

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime
    from pathlib import Path

    from grader.submission.places import Node, Place


@dataclass(frozen=True, slots=True)
class Found:
    """One hand-in of one student; the same student may have others."""

    student: str
    places: tuple[Place, ...]
    number: str = ""  # in the system that a download comes from: "Canvas 123"
    handed_in: datetime | None = None  # in UTC; None where nothing tells
    late: bool = False  # as the download marks it
    item: int = 0  # larger for what was uploaded later, where the download numbers its files; else 0
    note: str = ""

    @property
    def path(self) -> Path | tuple[Path, ...]:
        """Where it lies."""
        shown = tuple(place.shown for place in self.places)
        return shown[0] if len(shown) == 1 else shown


@dataclass(slots=True)
class _Group:
    about: Found
    parts: dict[str, tuple[int, Place]] = field(default_factory=dict)  # by what each is for: its rank, where it lies


class Haul:
    """Grows while a search goes on."""

    def __init__(self) -> None:
        self.ignored: list[tuple[Path, str]] = []
        self.pieces = 0
        self._groups: dict[tuple[str, str, str], _Group] = {}

    def ignore(self, node: Node, reason: str) -> None:
        """List something that is no submission."""
        self.ignored.append((node.place.shown, reason))

    def add(
        self, about: Found, node: Node, *, beside: str = "", part: str = "", rank: int = 0, read_as: str = ""
    ) -> None:
        """Keep a piece.

        Args:
            about: whose it is and what is known of it; its places are not looked at.
            node: the piece.
            beside: pieces of one student with the same text here are one hand-in; a piece without is one alone.
            part: what it is for; of two pieces of a hand-in for the same the one with the higher rank counts.
            rank: larger for what came later.
            read_as: the name that the file is read under.
        """
        self.pieces += 1
        place = replace(node.place, name=read_as)
        key = (about.student, about.number, beside or str(place.shown.absolute()))
        group = self._groups.setdefault(key, _Group(about))
        group.about = replace(group.about, late=group.about.late or about.late)
        known = group.parts.setdefault(part, (rank, place))
        if known[1] == place:
            return
        first, last = sorted([known, (rank, place)], key=lambda each: each[0])
        counts, other = (last, first) if first[0] != last[0] else (known, (rank, place))
        group.parts[part] = counts
        when = "an earlier file" if counts[0] > other[0] else "a second file"
        reason = f"{when} of {about.student} for the same; {quoted(counts[1].shown.name)} counts"
        self.ignored.append((other[1].shown, reason))

    def found(self) -> Iterator[Found]:
        """Yield the hand-ins in the order of their students."""
        groups = sorted(self._groups.values(), key=lambda group: names.natural(group.about.student))
        for group in groups:
            item = max((rank for rank, _ in group.parts.values()), default=0)
            yield replace(group.about, places=tuple(place for _, place in group.parts.values()), item=item)
