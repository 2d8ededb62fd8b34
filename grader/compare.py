"""The only numeric comparison: ``close`` within a stated allowance, ``equal`` exactly, ``agree`` for diagnosis.

All three walk the wanted value. Dicts, lists and tuples lead down to leaves: None, text, or one array of numbers
or of booleans. A number is an array of shape ``()``; nested lists of numbers are one array, so that their
allowance comes from the largest of them; a list of arrays has a leaf for each. What was got is only measured
against that: neither its type nor its dtype makes the comparison looser.
"""

from __future__ import annotations

import math
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from grader import plain as p
from grader.errors import AuthoringError, Failure
from grader.excerpt import Miss
from grader.leaf import EPS, Rule, measure, miss, opening, read, swift, unlike, within

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_SHARES: ContextVar[list[float] | None] = ContextVar("shares", default=None)


_EQUAL = Rule("equal")
_AGREE = Rule("agree", nan=True)


def close(
    got: Any,
    want: Any,
    *,
    accuracy: Literal["float16", "float32", "float64"] = "float32",
    scale: float | None = None,
    growth: float = 1,
    nan: bool = False,
) -> None:
    """Demand that ``got`` holds the numbers of ``want``, each within its allowance.

    A number may be off by ``16 eps(accuracy) growth (|want| + scale)``. The shape is exact, but a wanted number
    may come as an array or list of one. Containers are walked: tuples and lists are interchangeable, and so is
    what has named fields where a sequence is wanted; dicts have exactly the wanted keys, in any order. Booleans
    and None are compared exactly; text is not taken for a number, nor True for 1. Infinity is the same infinity.

    Args:
        got: what the student's function returned.
        want: the right value. As text, a printed number: half a unit of its last digit is allowed, whatever
            the other arguments say.
        accuracy: what the answer is computed in; float16 answers are refused unless it is ``"float16"``.
        scale: the size of the numbers that the result is a sum or difference of, for one that may cancel (of a
            dot product, the product of the norms); without it, the largest |want| of the array. Needed where all
            of ``want`` is zero.
        growth: how much rounding grows on the way: ``math.sqrt(K)`` for sums of K terms.
        nan: NaN is right where ``want`` has NaN.

    Raises:
        Failure: ``got`` is not close; the message names the first place and the worst number there.
        AuthoringError: ``want`` cannot be compared so: it is empty, or all zero without a scale, or has NaN.

    >>> close([0.1 + 0.2, 1], np.array([0.3, 1.0]))
    >>> close({"loss": 0.25, "grad": (1, 2)}, {"grad": [1.0, 2.5], "loss": 0.25})
    Traceback (most recent call last):
        ...
    grader.errors.Failure: value at ['grad'][1]: got 2, want 2.5 (off by 0.5, allowed 9.5e-06); 1 of 2 values is off
    >>> close(np.ones((4, 1)), np.ones(4))
    Traceback (most recent call last):
        ...
    grader.errors.Failure: got shape (4, 1), want shape (4,): the numbers are right, the shape is not

    The text's own number, a difference that is zero, a long sum:

    >>> close(0.5196862, "0.519686")
    >>> close(0.1 + 0.2 - 0.3, 0.0, scale=0.3)
    >>> close(1000.1, 1000.0, growth=math.sqrt(1024))
    """
    rule = _rule(accuracy, scale, growth, nan=nan)
    try:
        _walk(got, want, "", rule)
    except Failure as failure:
        _record(failure.share)
        failure.compared = (got,)
        raise


def equal(got: Any, want: Any) -> None:
    """Demand that ``got`` is ``want`` exactly: counts, shapes, text, rationals.

    Numbers are equal by value, whatever their type (a float is the binary fraction that it is); containers and
    shapes are compared as in `close`; text is compared letter by letter.

    Raises:
        Failure: ``got`` is something else.
        AuthoringError: ``want`` has NaN, or is an object, which nothing equals.

    >>> from fractions import Fraction
    >>> equal([2.0, 3], (2, 3))
    >>> equal(0.5, Fraction(1, 2))
    >>> equal(50209, 50208)
    Traceback (most recent call last):
        ...
    grader.errors.Failure: got 50209, want 50208
    >>> equal(True, 1)
    Traceback (most recent call last):
        ...
    grader.errors.Failure: got True, want a number
    """
    try:
        _walk(got, want, "", _EQUAL)
    except Failure as failure:
        _record(failure.share)
        failure.compared = (got,)
        raise
    _record(0.0)


def agree(got: Any, want: Any) -> bool:
    """Tell whether two answers are one and the same, by `close`'s default allowance; never raises.

    Unlike `close` it takes any two values that a function may return: NaN agrees with NaN in its place, zeros
    with zeros only, integers with the same integers only, empty with empty, text with the same text, float16
    with its value, and an object with one of a type of the same name.

    >>> agree([0.0, 1.0], np.array([0.0, 1.0 + 1e-9])), agree(1e-12, 0.0), agree(None, 0.0)
    (True, False, False)
    """
    try:
        _walk(got, want, "", _AGREE)
    except (Failure, AuthoringError):
        return False
    return True


@contextmanager
def observed() -> Iterator[list[float]]:
    """Collect the worst ``|got - want| / allowed`` of every comparison made inside, passed or missed.

    ``close`` adds a number for each array or number that passes, ``equal`` a 0 when it passes, and both what
    their `Failure` says when they miss. Of nested contexts the innermost collects.

    >>> with observed() as shares:
    ...     close([1.0, 2.0], (1.0, 2.0))
    ...     equal(3, 3)
    >>> shares
    [0.0, 0.0]
    """
    shares: list[float] = []
    token = _SHARES.set(shares)
    try:
        yield shares
    finally:
        _SHARES.reset(token)


def _record(share: float) -> None:
    shares = _SHARES.get()
    if shares is not None:
        shares.append(share)


def _rule(accuracy: str, scale: float | None, growth: float, *, nan: bool) -> Rule:
    if accuracy not in EPS:
        raise AuthoringError(f"close(accuracy=...) is one of {', '.join(EPS)}; got {accuracy!r}")
    factor = 16 * EPS[accuracy] * _positive("growth", growth)
    if factor > 0.5:  # noqa: PLR2004 - at one, zeros would pass for any answer
        raise AuthoringError(f"close(growth={growth!r}) allows half of the wanted numbers and more")
    scale = None if scale is None else _positive("scale", scale)
    return Rule("close", factor, scale, nan=nan, half=accuracy == "float16")


def _positive(name: str, value: Any) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not 0 < number < math.inf:
        raise AuthoringError(f"close({name}=...) must be a finite number above 0; got {p.quoted(value)}")
    return number


def _walk(got: Any, want: Any, path: str, rule: Rule, depth: int = 0) -> None:
    if depth > p.DEEPEST:
        raise AuthoringError(f"{rule.name}: what is wanted is nested more than {p.DEEPEST} deep")
    share = swift(got, want, rule)
    if share is not None:
        if rule.name == "close":
            _record(share)
        return
    got, want = p.plain(got), p.plain(want)
    leaf = read(want, path, rule)
    if leaf is not None:
        share = measure(got, leaf, path, rule)
        if rule.name == "close" and leaf.allowed is not None:
            _record(share)
    elif isinstance(want, dict):
        _dicts(got, want, path, rule, depth)
    elif isinstance(want, (list, tuple)):
        _sequences(got, want, path, rule, depth)
    else:
        _others(got, want, path, rule)


def _dicts(got: Any, want: dict[Any, Any], path: str, rule: Rule, depth: int) -> None:
    if not want and rule.name == "close":
        raise AuthoringError(f"close: the wanted dict{within(path)} is empty; use equal")
    if not isinstance(got, dict):
        raise unlike(got, f"a dict of {len(want)}", path)
    missing = [key for key in want if key not in got]
    extra = [key for key in got if key not in want]
    if missing or extra:
        named = [f"missing {p.listing(missing)}"] * bool(missing)
        named += [f"not asked for {p.listing(extra)}"] * bool(extra)
        told = Miss(path, _keys(got), _keys(want), note=", ".join(named))
        raise miss(f"keys{within(path)}: {', '.join(named)}", "keys", told=told)
    for key, value in want.items():
        _walk(got[key], value, f"{path}[{p.quoted(key)}]", rule, depth + 1)


def _sequences(got: Any, want: Sequence[Any], path: str, rule: Rule, depth: int) -> None:
    items = p.members(got)
    if items is None:
        raise unlike(got, f"a sequence of {len(want)}", path)
    if len(items) != len(want):
        told = Miss(path, f"{len(items)} items", f"{len(want)} items")
        raise miss(f"got {len(items)} items{within(path)}, want {len(want)}", "length", told=told)
    for index, (item, value) in enumerate(zip(items, want, strict=True)):
        inner = f"{path}[{index}]"
        # A row of one, cut from an array just now, is no number: (n, 1) is not (n,)
        if isinstance(got, np.ndarray) and got.ndim > 1 and (p.rectangle(value) or [None])[0] == ():
            told = Miss(inner, f"shape {item.shape}", "a number")
            raise miss(f"got shape {item.shape} at {inner}, want a number", "shape", told=told)
        _walk(item, value, inner, rule, depth + 1)


def _others(got: Any, want: Any, path: str, rule: Rule) -> None:
    """Compare with text, with None, or with an object that is neither number nor container."""
    if isinstance(want, str):
        _texts(got, want, path)
    elif want is None:
        if got is not None:
            raise unlike(got, "None", path)
    elif rule.name != "agree":
        raise AuthoringError(f"{rule.name}: cannot compare with {p.what(want)}{within(path)}")
    elif type(got) is not type(want) or p.type_name(got) != p.type_name(want):
        raise unlike(got, p.what(want), path)


def _texts(got: Any, want: str, path: str) -> None:
    if not isinstance(got, str):
        raise unlike(got, "text", path)
    if got != want:
        pairs = enumerate(zip(got, want, strict=False))
        first = next((index for index, (a, b) in pairs if a != b), min(len(got), len(want)))
        note = f"they differ from letter {first + 1} on"
        sentence = f"got {p.quoted(got)}, want {p.quoted(want)}; {note}"
        raise miss(opening(path) + sentence, "value", told=Miss(path, p.quoted(got), p.quoted(want), note=note))


def _keys(named: dict[Any, Any]) -> str:
    return f"the keys {p.listing(list(named))}" if named else "no keys"
