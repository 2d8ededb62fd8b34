"""A picture of where an answer misses, as shapes and in words: a map of its cells, two lines, or a graph."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from grader.picture import HIGH, LOW, RIGHT, UNMEASURED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from grader.picture import Numbers, Picture

SIDE = 16  # of a cell, in pixels
SIGNED = 256  # cells that a sign is written in; of more the colour says it
LONG, TALL, MARGIN = 300, 110, 14  # of two lines, in pixels
RADIUS, NODE = 62, 11  # of a graph and of one of its nodes
DECADES = 2  # of positive numbers that are drawn by their logarithms
LISTED = 4  # rows or columns that are named
PLANE = 2  # axes of an array with rows and columns


@dataclass(frozen=True, slots=True)
class Kind:
    """All cells of one letter: the class that colours them, and where they lie, as the path of an SVG."""

    name: str
    path: str


@dataclass(frozen=True, slots=True)
class Sign:
    """A letter or number and the middle of what it is written on."""

    x: float
    y: float
    text: str
    name: str = ""


@dataclass(frozen=True, slots=True)
class Curve:
    """Two lines over the places of a row: the points of each, and what stands at the ends of the upright axis."""

    got: str
    wanted: str
    low: str
    high: str


@dataclass(frozen=True, slots=True)
class Map:
    """A picture as a template writes it down; ``curve`` is None and ``nodes`` empty where there is none."""

    words: str
    width: int
    height: int
    kinds: tuple[Kind, ...]
    signs: tuple[Sign, ...]
    curve: Curve | None = None
    nodes: tuple[Sign, ...] = ()
    edges: tuple[tuple[float, float, float, float], ...] = ()


def drawn(picture: Picture) -> Map:
    """Return a picture as shapes, with the same in words for who cannot see them."""
    signed = len(picture.cells) <= SIGNED
    return Map(
        words=words(picture),
        width=picture.columns * SIDE,
        height=picture.rows * SIDE,
        kinds=tuple(
            Kind(_kind(letter), _cells(picture, letter)) for letter in RIGHT + UNMEASURED + HIGH + LOW
            if letter in picture.cells
        ),
        signs=tuple(_signs(picture)) if signed else (),
        curve=_curve(picture.got, picture.wanted),
        nodes=_nodes(picture),
        edges=tuple(_edges(picture)),
    )  # fmt: skip


def words(picture: Picture) -> str:
    """Say a picture in words.

    >>> from grader.picture import Picture
    >>> words(Picture("", (2, 3), off=3, rows=2, columns=3, cells="...AbA"))
    '3 of 6 values are off, all of row 1 and no other; 2 are too high, 1 is too low. Counted from 0.'
    """
    all_, verb = picture.off == picture.size, "is" if picture.off == 1 else "are"
    told = f"all {picture.size} values are off" if all_ else f"{picture.off} of {picture.size} values {verb} off"
    whole = not picture.place and picture.block == (1, 1)
    where = _where(picture) if whole and not all_ else ""
    told += f", {where}" if where else ""
    told += _ways(picture) if whole else ""
    told += ". Counted from 0." if where else "."
    if picture.path:
        told = f"at {picture.path}: {told}"
    if len(picture.shape) > PLANE:
        place = ", ".join([*map(str, picture.place), ":", ":"])
        told += f" Shown is [{place}] of shape {picture.shape}, where the worst is."
    if picture.block != (1, 1):
        told += f" Each cell is the worst of {picture.block[0]} by {picture.block[1]} values."
    return told[:1].upper() + told[1:]


def _ways(picture: Picture) -> str:
    counts = {
        "too high": sum(map(picture.cells.count, HIGH)),
        "too low": sum(map(picture.cells.count, LOW)),
    }
    if picture.off in counts.values():
        (way,) = [way for way, number in counts.items() if number == picture.off]
        return f"; {'it is' if picture.off == 1 else 'all are'} {way}"
    found = [f"{number} {'is' if number == 1 else 'are'} {way}" for way, number in counts.items() if number]
    return f"; {', '.join(found)}" if found else ""


def _where(picture: Picture) -> str:
    """Return which rows, columns or places are off, where that is all that is."""
    lines = picture.lines()
    if picture.rows == 1:
        at = _named("place", [k for k, cell in enumerate(picture.cells) if cell != RIGHT], "")
        return f"at {at}" if at else ""
    if picture.rows == picture.columns:
        across = {(k, k) for k in range(picture.rows)}
        off = {(i, j) for i, line in enumerate(lines) for j, cell in enumerate(line) if cell != RIGHT}
        if off == across:
            return "all of the diagonal and no other"
        if len(off) == picture.size - picture.rows and not off & across:
            return "all but the diagonal"
    columns = ["".join(column) for column in zip(*lines, strict=True)]
    for word, several in (("row", lines), ("column", columns)):
        off_at = [k for k, line in enumerate(several) if set(line) != {RIGHT}]
        if all(RIGHT not in several[k] for k in off_at):
            return _named(word, off_at, "all of ")
    return ""


def _named(word: str, places: Sequence[int], all_of: str) -> str:
    if not places or len(places) > LISTED:
        return ""
    rest = " and no other" if all_of else ""
    if len(places) == 1:
        return f"{all_of}{word} {places[0]}{rest}"
    return f"{all_of}{word}s {', '.join(map(str, places[:-1]))} and {places[-1]}{rest}"


def _kind(letter: str) -> str:
    """Return the class of the stylesheet that colours a letter.

    >>> _kind("C"), _kind("a"), _kind("x"), _kind(".")
    ('high s3', 'low s1', 'odd', 'fits')
    """
    for name, letters in (("high", HIGH), ("low", LOW)):
        if letter in letters:
            return f"{name} s{letters.index(letter) + 1}"
    return "odd" if letter == UNMEASURED else "fits"


def _sign(letter: str) -> str:
    signs = {RIGHT: "", UNMEASURED: "≠"}
    return signs.get(letter, "+" if letter in HIGH else "−")  # noqa: RUF001 - a minus as wide as the plus


def _cells(picture: Picture, letter: str) -> str:
    """Return all cells of a letter as one path; cells beside each other are one rectangle."""
    found = []
    for row, line in enumerate(picture.lines()):
        column = 0
        while (start := line.find(letter, column)) >= 0:
            column = start
            while column < len(line) and line[column] == letter:
                column += 1
            wide = (column - start) * SIDE
            found.append(f"M{start * SIDE} {row * SIDE}h{wide}v{SIDE}h-{wide}z")
    return "".join(found)


def _signs(picture: Picture) -> list[Sign]:
    return [
        Sign((column + 0.5) * SIDE, row * SIDE + 12, _sign(letter))
        for row, line in enumerate(picture.lines())
        for column, letter in enumerate(line)
        if letter != RIGHT
    ]


def _curve(got: Numbers, wanted: Numbers) -> Curve | None:
    there = [value for value in (*got, *wanted) if value is not None]
    if not there:
        return None
    low, high = min(there), max(there)
    by_size = low > 0 and high / low > 10**DECADES
    bottom, top = (math.log(low), math.log(high)) if by_size else (low, high)

    def line(values: Numbers) -> str:
        points = []
        for place, value in enumerate(values):
            if value is None:
                continue
            height = ((math.log(value) if by_size else value) - bottom) / (top - bottom) if top > bottom else 0.5
            x = MARGIN + (LONG - 2 * MARGIN) * place / max(1, len(values) - 1)
            points.append(f"{x:.1f},{TALL - MARGIN - (TALL - 2 * MARGIN) * height:.1f}")
        return " ".join(points)

    scale = " (logarithms)" if by_size else ""
    return Curve(line(got), line(wanted), f"{low:g}", f"{high:g}{scale}")


def _nodes(picture: Picture) -> tuple[Sign, ...]:
    """Return the nodes, each coloured as the worst cell of its row."""
    if not picture.nodes:
        return ()
    rows = picture.lines() if len(picture.shape) == PLANE else tuple(picture.cells)
    ranked = {letter: rank for rank, letter in enumerate(RIGHT + "".join(map("".join, zip(LOW, HIGH, strict=True))))}
    worst = [max(row, key=lambda letter: ranked.get(letter, len(ranked))) for row in rows]
    return tuple(
        Sign(*_around(node, picture.nodes), text=str(node), name=_kind(letter)) for node, letter in enumerate(worst)
    )


def _edges(picture: Picture) -> list[tuple[float, float, float, float]]:
    return [(*_around(one, picture.nodes), *_around(other, picture.nodes)) for one, other in picture.edges]


def _around(node: int, nodes: int) -> tuple[float, float]:
    angle, middle = 2 * math.pi * node / nodes, RADIUS + NODE + 2
    return round(middle + RADIUS * math.sin(angle), 1), round(middle - RADIUS * math.cos(angle), 1)
