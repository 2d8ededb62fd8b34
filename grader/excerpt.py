"""What one comparison says no to, and the numbers around that place: small, frozen, for whoever may see the values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

ROWS, COLUMNS = 7, 8  # of an excerpt at most
LEAST = 2  # numbers; of one alone the sentence says all


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A window onto two arrays of one shape, around the first wrong number.

    It lies in the last two axes, at ``place`` in those before them; a line of numbers is one row.
    """

    shape: tuple[int, ...]
    place: tuple[int, ...]
    rows: range
    columns: range
    got: tuple[tuple[Any, ...], ...]
    wanted: tuple[tuple[Any, ...], ...]
    wrong: tuple[tuple[bool, ...], ...]


@dataclass(frozen=True, slots=True)
class Miss:
    """Where an answer is not what was wanted.

    ``path`` leads to the array within the answer, ``place`` to the worst number within the array (the one with the
    number ``entry`` in the line of all) and ``first`` to the first wrong one. ``got`` and ``wanted`` are words; ``off``
    and ``allowed`` are None where no number says how far off it is. ``wrong`` of ``size`` numbers are off. ``made``
    says what the answer is made of, where that is an array, and ``note`` what else is known.
    """

    path: str
    got: str
    wanted: str
    place: str = ""
    entry: int = 0
    first: str = ""
    off: float | None = None
    allowed: float | None = None
    wrong: int = 0
    size: int = 0
    made: str = ""
    note: str = ""
    excerpt: Excerpt | None = None


def excerpt(
    got: Callable[[int], Any], wanted: Callable[[int], Any], wrong: Any, shape: tuple[int, ...]
) -> Excerpt | None:
    """Return the numbers around the first wrong one; None where one number is all there is.

    Args:
        got: the answer's number at a place in the line of all.
        wanted: the right one there.
        wrong: which are wrong, in a line; at least one is.
        shape: of both arrays.
    """
    if len(wrong) < LEAST or not shape:
        return None
    first = [int(axis) for axis in np.unravel_index(int(np.argmax(wrong)), shape)]
    *place, row, column = [0, *first] if len(shape) == 1 else first
    height, width = (1, *shape)[-2:]
    rows, columns = _around(row, height, ROWS), _around(column, width, COLUMNS)
    ahead = int(np.ravel_multi_index(tuple(place), shape[:-2])) * height if place else 0
    lines = [[(ahead + one) * width + other for other in columns] for one in rows]
    return Excerpt(
        shape=tuple(map(int, shape)),
        place=tuple(place),
        rows=rows,
        columns=columns,
        got=tuple(tuple(map(got, line)) for line in lines),
        wanted=tuple(tuple(map(wanted, line)) for line in lines),
        wrong=tuple(tuple(bool(wrong[one]) for one in line) for line in lines),
    )


def _around(middle: int, length: int, most: int) -> range:
    """Return at most so many places of a line, the middle one among them and a little before it.

    >>> _around(5, 100, 7), _around(1, 100, 7), _around(99, 100, 7), _around(2, 3, 7)
    (range(3, 10), range(0, 7), range(93, 100), range(0, 3))
    """
    start = max(0, min(middle - 2, length - most))
    return range(start, min(start + most, length))
