"""Where an answer misses, as a picture: small, frozen, plain data. Who may see it is who may see the check's values."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

RIGHT, UNMEASURED = ".", "x"
HIGH, LOW = "ABCD", "abcd"  # too high and too low, the last letter for the worst

Numbers = tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class Picture:
    """One array of an answer that is right in its shape and wrong in its numbers.

    ``cells`` has a letter for each cell of ``rows`` by ``columns``: ``.`` is within what is allowed, ``A`` to ``D`` are
    too high and ``a`` to ``d`` too low, ``D`` and ``d`` by most; ``x`` differs by what no number says (NaN, infinity,
    a boolean, a complex number). Of an array of more axes the last two are shown where the worst value stands, at
    ``place``; a cell of a large one stands for ``block`` values, the worst of which it shows. ``got`` and ``wanted``
    are there for a row of numbers (None where one is not finite). ``edges`` join nodes, where the array has a row for
    each of ``nodes`` of a graph that the call was given.
    """

    path: str
    shape: tuple[int, ...]
    off: int
    rows: int
    columns: int
    cells: str
    place: tuple[int, ...] = ()
    block: tuple[int, int] = (1, 1)
    got: Numbers = ()
    wanted: Numbers = ()
    nodes: int = 0
    edges: tuple[tuple[int, int], ...] = ()

    @property
    def size(self) -> int:
        """How many values the whole array has."""
        count = 1
        for length in self.shape:
            count *= length
        return count

    def lines(self) -> tuple[str, ...]:
        """Return the cells row by row."""
        return tuple(self.cells[k * self.columns : (k + 1) * self.columns] for k in range(self.rows))


def data(picture: Picture) -> dict[str, Any]:
    """Return a picture as JSON data; what is empty is left out."""
    values = ((one.name, getattr(picture, one.name), one.default) for one in dataclasses.fields(picture))
    return {name: value for name, value, default in values if value != default}


def read(content: Mapping[str, Any]) -> Picture:
    """Return the picture that `data` made into JSON data."""
    return Picture(**{name: _frozen(value) for name, value in content.items()})


def _frozen(value: Any) -> Any:
    return tuple(map(_frozen, value)) if isinstance(value, (list, tuple)) else value
