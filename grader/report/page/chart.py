"""Bars as numbers: where each lies, so that a template only writes them down as SVG."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

WIDTH, HEIGHT = 100.0, 10.0  # of a stacked bar, in units of its own
STEP, TALL = 42, 130  # of a histogram: from bar to bar, and the highest bar


@dataclass(frozen=True, slots=True)
class Part:
    """So many of a kind."""

    kind: str
    number: int


@dataclass(frozen=True, slots=True)
class Bar:
    """One rectangle, what colours it and what is written on it."""

    kind: str
    x: float
    y: float
    width: float
    height: float
    number: int


@dataclass(frozen=True, slots=True)
class Chart:
    """Rectangles in a box."""

    width: float
    height: float
    bars: tuple[Bar, ...]


def stacked(parts: Sequence[Part]) -> Chart:
    """Return parts side by side, together as wide as the box; nothing where there is nothing.

    >>> [(bar.x, bar.width) for bar in stacked([Part("passed", 1), Part("failed", 3)]).bars]
    [(0.0, 25.0), (25.0, 75.0)]
    """
    whole, before, made = sum(part.number for part in parts), 0, []
    for part in parts:
        if part.number:
            x, width = (round(WIDTH * number / whole, 2) for number in (before, part.number))
            made.append(Bar(part.kind, x, 0.0, width, HEIGHT, part.number))
            before += part.number
    return Chart(WIDTH, HEIGHT, tuple(made))


def bars(numbers: Sequence[int]) -> Chart:
    """Return a histogram: the commonest number is as high as the box, with room around for what is written.

    >>> [(bar.y, bar.height) for bar in bars([1, 2, 0]).bars]
    [(85.0, 65.0), (20.0, 130.0), (150.0, 0.0)]
    """
    most, room = max([1, *numbers]), 20.0
    made = []
    for place, number in enumerate(numbers):
        height = round(TALL * number / most, 2)
        made.append(Bar("bin", place * STEP + 3.0, room + TALL - height, STEP - 6.0, height, number))
    return Chart(STEP * len(numbers), room + TALL + 22, tuple(made))
