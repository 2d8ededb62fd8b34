"""One wanted array: how it is read, what is allowed, and how an answer is measured against it."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from grader import plain as p
from grader.errors import AuthoringError, Failure
from grader.excerpt import Miss, excerpt
from grader.sketch import drawn

if TYPE_CHECKING:
    from collections.abc import Callable

    from grader.picture import Picture
    from grader.plain import Array, Flat, Shape

EPS = {"float16": 2.0**-10, "float32": 2.0**-23, "float64": 2.0**-52}
_LARGEST = float(np.finfo(np.float64).max)
_LITERAL = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]{1,3})?")
_MESSAGE_CHARS = 400


@dataclass(frozen=True, slots=True)
class Rule:
    """How strictly to compare: ``factor`` times (|want| + scale) is allowed."""

    name: Literal["close", "equal", "agree"]
    factor: float = 16 * EPS["float32"]
    scale: float | None = None
    nan: bool = False
    half: bool = True


class Leaf(NamedTuple):
    """One wanted array; ``allowed`` is None where only the exact value will do."""

    shape: Shape
    flat: Flat
    kind: str
    values: Array | None = None
    allowed: Array | None = None


def swift(got: Any, want: Any, rule: Rule) -> float | None:
    """Return the share of what is plainly right, as `read` and `measure` find it; None sends all else that way.

    Most comparisons are of two floats or of two arrays of floats, and pass.
    """
    if rule.name == "equal":
        return 0.0 if type(got) is type(want) is int and got == want else None
    if type(got) is type(want) is float:
        allowed = _allowance(abs(want), _scale(abs(want), rule), rule)
        share = abs(got - want) / allowed if 0 < allowed < math.inf else math.inf
    elif type(got) is type(want) is np.ndarray and got.shape == want.shape and got.dtype == want.dtype == np.float64:
        size = np.abs(want)
        top = float(size.max(initial=0.0))
        scale = _scale(top, rule)
        with np.errstate(all="ignore"):
            shares = np.abs(got - want) / _allowance(size, scale, rule)
        share = float(shares.max(initial=0.0)) if size.size and scale > 0 and top < math.inf else math.inf
    else:
        return None
    return share if share <= 1 else None


def read(want: Any, path: str, rule: Rule) -> Leaf | None:
    """Return the wanted array with its allowance; None if ``want`` is text, None, or not one array.

    Raises:
        AuthoringError: there is no saying what is close to ``want`` (or, for text, what number it is).
    """
    flat: Flat
    if isinstance(want, np.ndarray):
        shape, flat, kind = want.shape, want, "bool" if want.dtype.kind == "b" else "number"
    else:
        rectangle = p.rectangle(want)
        if rectangle is None:
            return None
        shape, flat = rectangle
        kinds = set(map(p.KINDS.__getitem__, map(type, flat))) or {"number"}
        kind = kinds.pop()
        if kinds or (kind == "text" and rule.name != "close"):
            return None
    if rule.name == "close" and 0 in shape:
        raise AuthoringError(f"close: what is wanted{within(path)} is empty; use equal")
    if kind == "bool":
        return Leaf(shape, flat, kind)
    values = _printed(flat) if kind == "text" else p.floats(flat)
    allowed = _half_units(flat, values) if kind == "text" else _allowed(values, path, rule)
    return Leaf(shape, flat, kind, values, allowed)


def _printed(texts: Flat) -> Array:
    for text in texts:
        if not _LITERAL.fullmatch(text) or math.isinf(float(text)):
            raise AuthoringError(f"close: {p.quoted(text)} is not a printed number; compare text with equal")
    return np.array([float(text) for text in texts])


def _half_units(texts: Flat, values: Array) -> Array:
    """Return half a unit of the last printed digit of each number, and a few roundings of our own."""
    last = [int(Decimal(text).as_tuple().exponent) for text in texts]
    return np.array([float(f"5e{digit - 1}") for digit in last]) + 16 * EPS["float64"] * np.abs(values)


def _allowed(want: Array, path: str, rule: Rule) -> Array | None:
    with np.errstate(all="ignore"):
        size = np.abs(want)
    top = size.max(initial=0.0)
    if not math.isfinite(top):
        if not rule.nan and np.isnan(want).any():
            raise AuthoringError(f"{rule.name}: what is wanted{within(path)} has NaN; close(nan=True) if that is right")
        size = np.minimum(size, _LARGEST)
        top = size[np.isfinite(want)].max(initial=0.0)
    if rule.name == "equal":
        return None
    scale = _scale(top, rule)
    if scale == 0 and rule.name == "close" and np.isfinite(want).any():
        raise AuthoringError(
            f"close: what is wanted{within(path)} is all zero, so nothing says how close is close; pass scale="
        )
    allowed: Array = _allowance(size, scale, rule)
    return allowed


def _scale(top: float, rule: Rule) -> float:
    """Return the size that an allowance is relative to, beside that of each number: by default the largest."""
    return top if rule.scale is None else rule.scale


def _allowance(size: Any, scale: float, rule: Rule) -> Any:
    return rule.factor * size + rule.factor * scale


def measure(got: Any, leaf: Leaf, path: str, rule: Rule) -> float:
    """Return the worst |got - want| / allowed of an answer, at most 1.

    Raises:
        Failure: by kind, then by shape, then by value.
    """
    shape, flat = _gather(got, leaf, len(leaf.shape), path, rule)
    _same_kind(flat, shape, leaf, path)
    size = math.prod(leaf.shape)
    alike = math.prod(shape) == size
    share = _shares(flat, leaf, rule) if alike else np.full(1, np.inf)
    worst = int(share.argmax()) if size else 0
    passed = not size or bool(share[worst] <= 1)
    if shape != leaf.shape and not (alike and leaf.shape == ()):
        note = _reshaped(flat, shape, leaf, rule, passed=passed) if alike and size else ""
        told = Miss(path, _shape(shape), _shape(leaf.shape), made=_made(flat), note=note)
        but = note and f": {note}"
        raise miss(f"got {_shape(shape)}{within(path)}, want {_shape(leaf.shape)}{but}", "shape", told=told)
    if not passed:
        failure = _off(share, worst, flat, leaf, path, detailed=rule.name != "agree")
        if rule.name != "agree":  # who only wants to know whether has no use for where
            failure.picture = _picture(share, flat, leaf, path)
        raise failure
    return float(share[worst]) if size else 0.0


def _reshaped(flat: Flat, shape: Shape, leaf: Leaf, rule: Rule, *, passed: bool) -> str:
    """Return what may be said of the numbers of an answer whose shape is wrong and whose size is right."""
    if passed:
        return "the numbers are right, the shape is not"
    if len(shape) > 1 and shape == leaf.shape[::-1] and leaf.values is not None:
        turned = p.floats(flat).reshape(shape).T.ravel()
        if bool((_shares(turned, leaf, rule) <= 1).all()):
            return "transposed, it would be right"
    return ""


def _made(flat: Flat) -> str:
    return str(flat.dtype) if isinstance(flat, np.ndarray) else ""


def _gather(got: Any, leaf: Leaf, ndim: int, path: str, rule: Rule) -> tuple[Shape, Flat]:
    """Return shape and entries of an answer where an array of ``ndim`` axes is wanted, whatever it is made of."""
    if isinstance(got, np.ndarray):
        if got.dtype.char == "e" and not rule.half:
            told = Miss(path, "float16", "float32 or wider", made="float16")
            raise miss(f"got float16{within(path)}, want float32 or wider", "dtype", told=told)
        return (() if ndim == 0 and got.size == 1 else got.shape), got
    if p.KINDS.get(type(got), "text") != "text":
        return (), [got]
    named = isinstance(got, dict) and ndim > 0 and isinstance(leaf.flat, list)
    items = p.members(got) if named or isinstance(got, (list, tuple)) else None
    if items is None or ndim < -p.DEEPEST:
        raise unlike(got, _wanted(leaf, ndim), path)
    if set(map(type, items)) <= p.NUMBERS:
        return (len(items),), items
    parts = [_gather(p.plain(item), leaf, ndim - 1, f"{path}[{index}]", rule) for index, item in enumerate(items)]
    if any(part[0] != parts[0][0] for part in parts):
        told = Miss(path, "items of unlike shapes", _wanted(leaf, ndim))
        raise miss(f"got items of unlike shapes{within(path)}, want {_wanted(leaf, ndim)}", "shape", told=told)
    return (len(items), *parts[0][0]), p.joined([part[1] for part in parts])


def _same_kind(flat: Flat, shape: Shape, leaf: Leaf, path: str) -> None:
    """Demand booleans where booleans are wanted, and numbers where numbers are."""
    truths = leaf.kind == "bool"
    if isinstance(flat, np.ndarray):
        if flat.size and math.prod(leaf.shape) and (flat.dtype.kind == "b") != truths:
            raise unlike(flat.reshape(shape), _wanted(leaf, len(leaf.shape)), path)
        return
    wrong = next((index for index, kind in enumerate(map(type, flat)) if (kind is bool) != truths), None)
    if wrong is not None:
        raise unlike(flat[wrong], _wanted(leaf, 0), path + p.place(wrong, shape))


def _shares(flat: Flat, leaf: Leaf, rule: Rule) -> Array:
    """Return |got - want| / allowed of each entry: 0 for the same, infinite where no allowance helps."""
    counts = rule.name == "agree" and p.integral(flat) and p.integral(leaf.flat)
    if counts or leaf.values is None or leaf.allowed is None:
        return np.where(p.same(flat, leaf.flat), 0.0, np.inf)
    got, want = p.floats(flat), leaf.values
    with np.errstate(all="ignore"):
        off = np.abs(got - want)
        share: Array = off / leaf.allowed
    if not np.isfinite(share).all():
        odd = ~(np.isfinite(got) & np.isfinite(want))
        alike = (got == want) | (np.isnan(got) & np.isnan(want))  # NaN in want was admitted before
        share[odd] = np.inf
        share[alike] = 0.0
    return share


def _off(share: Array, worst: int, flat: Flat, leaf: Leaf, path: str, *, detailed: bool) -> Failure:
    """Return the miss by value: the worst entry, and how many there are."""
    got, want = p.listed(flat)[worst], p.listed(leaf.flat)[worst]
    kind = "value" if p.is_finite(got) and p.is_finite(want) else "NaN"
    digits, by = None if leaf.allowed is None else 6, ""
    off = allowed = None
    if leaf.values is not None and leaf.allowed is not None and math.isfinite(share[worst]):
        allowed = float(leaf.allowed[worst])
        off = float(share[worst]) * allowed
        digits = _digits(float(abs(leaf.values[worst])), off)
        by = f" (off by {off:.3g}, allowed {allowed:.2g})"
    place, wrong = p.place(worst, leaf.shape), ~(share <= 1)
    count = int(wrong.sum())
    told = Miss(
        path=path,
        got=p.shown(got, digits),
        wanted=p.shown(want, digits),
        place=place,
        entry=worst,
        first=p.place(int(wrong.argmax()), leaf.shape),
        off=off,
        allowed=allowed,
        wrong=count,
        size=share.size,
        made=_made(flat),
        excerpt=excerpt(_number(flat), _number(leaf.flat), wrong, leaf.shape) if detailed else None,
    )
    sentence = f"{opening(path + place)}got {told.got}, want {told.wanted}{by}"
    if share.size > 1:
        sentence += f"; {count} of {share.size} values {'is' if count == 1 else 'are'} off"
    return miss(sentence, kind, float(share[worst]), told=told)


def _number(flat: Flat) -> Callable[[int], Any]:
    line = flat.ravel() if isinstance(flat, np.ndarray) else flat
    return line.item if isinstance(line, np.ndarray) else line.__getitem__


def _picture(share: Array, flat: Flat, leaf: Leaf, path: str) -> Picture | None:
    numbers = leaf.kind != "bool"
    wanted = (p.floats(leaf.flat) if leaf.values is None else leaf.values) if numbers else None
    return drawn(p.floats(flat) if numbers else None, wanted, share, leaf.shape, path)


def _digits(size: float, off: float) -> int:
    """Return how many digits show that two numbers of a size differ by ``off``."""
    if not off > 0:
        return 17
    return min(max(math.ceil(math.log10(min(max(size, off), _LARGEST)) - math.log10(off)) + 2, 6), 17)


def miss(message: str, kind: str, share: float = math.inf, *, told: Miss | None = None) -> Failure:
    """Return a `Failure` with the sentence cut to a length that any page can show."""
    cut = message if len(message) <= _MESSAGE_CHARS else message[: _MESSAGE_CHARS - 3] + "..."
    return Failure(cut, kind=kind, share=share, miss=told)


def unlike(got: Any, wanted: str, path: str) -> Failure:
    """Return the miss of an answer that is another kind of thing."""
    told = Miss(path, p.what(got), wanted)
    return miss(f"{opening(path)}got {told.got}, want {wanted}", "type", told=told)


def _wanted(leaf: Leaf, ndim: int) -> str:
    if ndim <= 0:
        return "True or False" if leaf.kind == "bool" else "a number"
    return f"{'booleans' if leaf.kind == 'bool' else 'numbers'} of shape {leaf.shape[-ndim:]}"


def _shape(shape: Shape) -> str:
    return f"shape {shape}" if shape else "a number"


def within(path: str) -> str:
    """Return the words that say where, inside a sentence."""
    return f" at {path}" if path else ""


def opening(path: str) -> str:
    """Return the words that say where, ahead of a sentence."""
    return f"value at {path}: " if path else ""
