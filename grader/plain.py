"""What a value is: as plain Python or numpy, as the entries of one array, and in words.

Every function here takes any value that a function may return and none of them judges it.
"""

from __future__ import annotations

import cmath
import math
import reprlib
import sys
from fractions import Fraction
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array: TypeAlias = NDArray[Any]
    Flat: TypeAlias = Array | list[Any]
    Shape: TypeAlias = tuple[int, ...]

KINDS: dict[type, str] = {
    bool: "bool",
    int: "number",
    float: "number",
    complex: "number",
    Fraction: "number",
    str: "text",
}
NUMBERS = {kind for kind, word in KINDS.items() if word == "number"}
DEEPEST = 32
_LONG_BITS = 4000
_LINE = 48
_NAMED = 4


def plain(value: Any) -> Any:
    """Return a value as plain Python, a container or a numpy array; what is none of them as it is.

    Numpy scalars and torch tensors become arrays; subclasses of numbers and text become numbers and text.

    >>> plain(np.float32(0.5))
    array(0.5, dtype=float32)
    """
    if type(value) in KINDS or value is None or isinstance(value, (list, tuple, dict)):
        return value
    torch = sys.modules.get("torch")
    tensor: Any = getattr(torch, "Tensor", None)
    if torch is not None and tensor is not None and isinstance(value, tensor):
        value = value.detach().cpu().to_dense().resolve_conj().resolve_neg()
        value = (value.double() if value.dtype == torch.bfloat16 else value).numpy()
    if isinstance(value, (np.ndarray, np.generic)):
        return _plain_array(np.asarray(value))
    return next((base(value) for base in (*NUMBERS, str) if isinstance(value, base)), value)


def _plain_array(array: Array) -> Any:
    if array.dtype.kind not in "biufc":
        return array.tolist()
    if array.dtype.char in "gG":
        with np.errstate(all="ignore"):
            return array.astype(np.float64 if array.dtype.char == "g" else np.complex128)
    return array


def rectangle(value: Any, depth: int = 0) -> tuple[Shape, list[Any]] | None:
    """Return the shape and the entries of a scalar or of nested sequences of scalars; None for anything else.

    >>> rectangle([(1, 2, 3), (4, 5, 6)])
    ((2, 3), [1, 2, 3, 4, 5, 6])
    >>> rectangle([1, [2, 3]]), rectangle([None])
    (None, None)
    """
    value = plain(value)
    if type(value) in KINDS:
        return (), [value]
    if isinstance(value, np.ndarray) and value.ndim == 0:
        return (), [value.item()]
    if not isinstance(value, (list, tuple)) or depth == DEEPEST:
        return None
    if set(map(type, value)) <= KINDS.keys():
        return (len(value),), list(value)
    parts: list[tuple[Shape, list[Any]]] = []
    for item in value:
        part = rectangle(item, depth + 1)
        if part is None or (parts and part[0] != parts[0][0]):
            return None
        parts.append(part)
    return (len(value), *parts[0][0]), list(chain.from_iterable(part[1] for part in parts))


def members(value: Any) -> list[Any] | None:
    """Return the members of a sequence; None if the value is none.

    What has named fields counts as one: a named tuple comes back from a student's call as a dict.

    >>> members({"mean": 0.5, "std": 0.1}), members({"a b": 1}), members(3)
    ([0.5, 0.1], None, None)
    """
    if isinstance(value, dict) and all(isinstance(key, str) and key.isidentifier() for key in value):
        return list(value.values()) or None
    sequence = isinstance(value, (list, tuple)) or (isinstance(value, np.ndarray) and value.ndim > 0)
    return list(value) if sequence else None


def joined(parts: list[Flat]) -> Flat:
    """Return all entries in order: as an array if all parts are arrays of one dtype, else as a list."""
    arrays = [part.ravel() for part in parts if isinstance(part, np.ndarray)]
    if len(arrays) == len(parts) and len({array.dtype for array in arrays}) == 1:
        return np.concatenate(arrays)
    return list(chain.from_iterable(map(listed, parts)))


def listed(flat: Flat) -> list[Any]:
    """Return entries as plain Python numbers, exactly."""
    return list(flat.ravel().tolist()) if isinstance(flat, np.ndarray) else flat


def floats(flat: Flat) -> Array:
    """Return entries as a line of float64 or complex128; a number beyond their range is infinite.

    >>> floats([1, Fraction(1, 2), -(10**400)])
    array([ 1. ,  0.5, -inf])
    """
    if isinstance(flat, np.ndarray):
        return flat.astype(np.complex128 if flat.dtype.kind == "c" else np.float64, copy=False).ravel()
    dtype = np.complex128 if complex in set(map(type, flat)) else np.float64
    try:
        return np.array(flat, dtype)
    except OverflowError:
        return np.array([_saturated(entry) for entry in flat], dtype)


def _saturated(entry: Any) -> complex:
    try:
        return entry if isinstance(entry, complex) else float(entry)
    except OverflowError:
        return math.inf if entry > 0 else -math.inf


def integral(flat: Flat) -> bool:
    """Tell whether all entries are integers by type.

    >>> integral([1, 2]), integral([1, 2.0])
    (True, False)
    """
    return flat.dtype.kind in "iu" if isinstance(flat, np.ndarray) else set(map(type, flat)) <= {int}


def same(one: Flat, other: Flat) -> Array:
    """Return where entries are equal as exact numbers; no integer is rounded to be compared with a float.

    >>> same([2**53 + 1, 3], np.array([2.0**53, 3.0])).tolist()
    [False, True]
    """
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray) and one.dtype.kind == other.dtype.kind:
        return np.asarray(one.ravel() == other.ravel())
    pairs = zip(listed(one), listed(other), strict=True)
    return np.array([bool(left == right) for left, right in pairs], dtype=bool)


def is_finite(number: Any) -> bool:
    """Tell whether a number is neither NaN nor infinite; integers, fractions and text never are."""
    return not isinstance(number, (float, complex)) or cmath.isfinite(number)


def what(value: Any) -> str:
    r"""Return a few words for any value; never more than a line, whatever the value holds.

    >>> what([1, 2]), what(np.zeros((2, 3))), what("a\nb"), what(None)
    ('a list of 2', 'numbers of shape (2, 3)', "the text 'a\\nb'", 'None (is a return missing?)')
    """
    if value is None:
        return "None (is a return missing?)"
    for container in (list, tuple, dict):
        if isinstance(value, container):
            return f"a {container.__name__} of {len(value)}"
    if isinstance(value, np.ndarray):
        return f"{'booleans' if value.dtype.kind == 'b' else 'numbers'} of shape {value.shape}"
    if type(value) not in KINDS:
        return f"an object of type {type_name(value)}"
    return f"the text {quoted(value)}" if isinstance(value, str) else shown(value)


def type_name(value: Any) -> str:
    """Return the name of an object's type; of a handle, that of the object which stayed with the student."""
    kind = getattr(value, "kind", None)
    return shortened(ascii(kind if isinstance(kind, str) else type(value).__name__)[1:-1])


def shown(number: Any, digits: int | None = None) -> str:
    """Return a number in so many digits; in all that it has, up to a line, if ``digits`` is None.

    >>> shown(1 / 3, 3), shown(0.1), shown(Fraction(1, 3)), shown(10**2000)
    ('0.333', '0.1', '1/3', 'an integer of 6644 bits')
    """
    if isinstance(number, Fraction):
        return f"{shown(number.numerator)}/{shown(number.denominator)}"
    if isinstance(number, int) and number.bit_length() > _LONG_BITS:
        return f"an integer of {number.bit_length()} bits"
    if digits is None or isinstance(number, (int, str)):
        return shortened(str(number))
    return f"{number:.{digits}g}"


def quoted(value: Any) -> str:
    """Return a text or a key as Python writes it, cut in the middle to a line."""
    if isinstance(value, str):
        ends = value if len(value) <= 2 * _LINE else value[:_LINE] + value[-_LINE:]
        return shortened(repr(ends))
    return shortened(reprlib.repr(value))


def shortened(text: str) -> str:
    """Return a text, cut in the middle if it is long."""
    return text if len(text) <= _LINE else f"{text[: _LINE // 2 - 2]}...{text[1 - _LINE // 2 :]}"


def listing(keys: list[Any]) -> str:
    """Return keys as a sentence needs them.

    >>> listing(["a", 2, "c", "d", "e"])
    "'a', 2, 'c', 'd' and 1 more"
    """
    more = f" and {len(keys) - _NAMED} more" if len(keys) > _NAMED else ""
    return ", ".join(quoted(key) for key in keys[:_NAMED]) + more


def place(index: int, shape: Shape) -> str:
    """Return where entry ``index`` stands in an array.

    >>> place(5, (2, 3))
    '[1, 2]'
    """
    return f"[{', '.join(str(axis) for axis in np.unravel_index(index, shape))}]" if shape else ""
