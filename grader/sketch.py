"""Draws where an answer misses: arrays -> a `Picture` of a few hundred bytes, whatever their size."""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from grader.picture import HIGH, LOW, RIGHT, UNMEASURED, Picture

if TYPE_CHECKING:
    from collections.abc import Iterable

    from grader.picture import Numbers
    from grader.plain import Array, Shape

LEAST = 4  # values; of fewer the sentence says all
ROWS, COLUMNS = 24, 40  # cells of a picture at most
CURVE = (6, 64)  # numbers of a row that are kept as they are, for a line of them
NODES = (3, 16)  # of a graph that can be drawn
STRENGTHS = (0.01, 0.1, 0.5)  # shares of the worst miss that part one strength from the next
LETTERS = np.array(list(LOW[::-1] + RIGHT + HIGH + UNMEASURED))
MIDDLE, LAST = len(LOW), len(LETTERS) - 1


def drawn(got: Array | None, want: Array | None, share: Array, shape: Shape, path: str) -> Picture | None:
    """Return where an answer misses; None where a sentence says all.

    Args:
        got: the numbers of the answer in a line; None where they are no numbers.
        want: the right ones.
        share: ``|got - want| / allowed`` of each; more than 1 is a miss.
        shape: of the wanted array.
        path: where in the answer the array stands.
    """
    if share.size < LEAST or not shape:
        return None
    code = _code(got, want, share).reshape(shape)
    place: tuple[int, ...] = ()
    if len(shape) == 1:
        grid = code[None]
    else:
        place = tuple(int(axis) for axis in np.unravel_index(int(share.argmax()), shape)[:-2])
        grid = code[place]
    small, block = _pooled(grid)
    curve = len(shape) == 1 and CURVE[0] <= len(share) <= CURVE[1] and _real(got) and _real(want)
    return Picture(
        path=path,
        shape=tuple(map(int, shape)),
        off=int((~(share <= 1)).sum()),
        rows=small.shape[0],
        columns=small.shape[1],
        cells="".join(LETTERS[small.ravel()]),
        place=place,
        block=block,
        got=_numbers(got) if curve else (),
        wanted=_numbers(want) if curve else (),
    )


def on_graph(picture: Picture, given: Iterable[Any]) -> Picture:
    """Return a picture on the graph that a call was given, if its array has a row for each of the nodes.

    Args:
        picture: where the answer misses.
        given: arguments of calls, the likeliest first.
    """
    if len(picture.shape) > 2 or picture.block != (1, 1) or picture.rows * picture.columns == 0:  # noqa: PLR2004 - a row a node
        return picture
    nodes = picture.shape[0]
    found = next((one for one in given if _is_graph(one, nodes)), None)
    if found is None:
        return picture
    edges = np.argwhere(np.triu(np.asarray(found) != 0, 1))
    return dataclasses.replace(picture, nodes=nodes, edges=tuple((int(a), int(b)) for a, b in edges))


def _code(got: Array | None, want: Array | None, share: Array) -> Array:
    """Return the place of each value's letter in LETTERS."""
    wrong = ~(share <= 1)
    code = np.full(share.shape, MIDDLE)
    if got is None or want is None or not (_real(got) and _real(want)):
        code[wrong] = LAST
        return code
    with np.errstate(all="ignore"):
        off = got - want
        size = np.abs(off)
    measured = np.isfinite(off)
    most = size[wrong & measured].max(initial=0.0)
    strength = 1 + np.searchsorted(np.array(STRENGTHS) * most, size, side="right")
    code[wrong] = (MIDDLE + np.sign(np.where(measured, off, 0)) * np.minimum(strength, len(HIGH)))[wrong].astype(int)
    code[wrong & (~measured | (off == 0))] = LAST
    return code


def _pooled(grid: Array) -> tuple[Array, tuple[int, int]]:
    """Return cells that fit into a picture, each the worst of its block."""
    rows, columns = grid.shape
    tall, wide = max(1, math.ceil(rows / ROWS)), max(1, math.ceil(columns / COLUMNS))
    if tall == wide == 1:
        return grid, (1, 1)
    padded = np.full((math.ceil(rows / tall) * tall, math.ceil(columns / wide) * wide), MIDDLE)
    padded[:rows, :columns] = grid
    blocks = padded.reshape(len(padded) // tall, tall, -1, wide).swapaxes(1, 2).reshape(-1, tall * wide)
    worst = blocks[np.arange(len(blocks)), np.abs(blocks - MIDDLE).argmax(1)]
    return worst.reshape(len(padded) // tall, -1), (tall, wide)


def _real(values: Array | None) -> bool:
    return values is not None and values.dtype.kind != "c"


def _numbers(values: Array | None) -> Numbers:
    """Return numbers in so many digits as a picture shows."""
    assert values is not None, "asked before"
    return tuple(float(f"{value:.4g}") if math.isfinite(value) else None for value in values.tolist())


def _is_graph(value: Any, nodes: int) -> bool:
    """Tell whether a value is the adjacency of a graph with so many nodes, as it is or normalised on both sides.

    That is: symmetric, never negative, and some nodes are joined while others are not.
    """
    if not (isinstance(value, np.ndarray) and value.shape == (nodes, nodes) and value.dtype.kind in "biuf"):
        return False
    if not (NODES[0] <= nodes <= NODES[1] and np.isfinite(value).all() and (value >= 0).all()):
        return False
    joined = value[np.triu_indices(nodes, 1)] != 0
    return bool((value == value.T).all() and joined.any() and not joined.all())
