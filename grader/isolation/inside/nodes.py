"""One value as a header and a payload: the inner part of `wire`, which draws the format.

Both directions count every part against the caps before anything is allocated for it.
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from fractions import Fraction
from math import isfinite
from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    Piece = bytes | memoryview

LEAVES: Final = 100_000  # parts of one value: numbers, texts, arrays, containers and keys each count one
SIZE: Final = 64 * 2**20  # bytes of payload
DEPTH: Final = 100  # containers inside one another
DIGITS: Final = 300  # decimal digits of an int

DTYPES: Final = {
    code: np.dtype("<" + code)
    for code in ("b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16")
}
_CODES: Final = {dtype: code for code, dtype in DTYPES.items()}

_PLAIN: Final = frozenset({bool, str, float})
_AT_ONCE: Final = frozenset({bool, str, float, type(None)})  # a sequence of these is read in one step
_DIMENSIONS = 32
_KIND_BYTES = 400
_INT_BOUND: Final[int] = 10**DIGITS
_NOT_FINITE: Final = {"inf": math.inf, "-inf": -math.inf, "nan": math.nan}
_LONG_NUMBER = re.compile(rb"(?<![0-9])[0-9]{400}")  # from its first digit only, or looking takes long as well
_FLOAT_CHARACTERS = 32
_COLLISIONS = 16
_SMALL = 2**16
_SLACK = 4096
_MARKS_A_LEAF = 8  # brackets and commas
_BYTES_A_LEAF = 640  # a fraction of two long integers
_WORD_CHARACTERS = 64  # of text that goes into the header


class WireError(ValueError):
    """Bytes that are not one well-formed value within the limits, or a value that cannot be sent."""


@dataclass(frozen=True, slots=True)
class Handle:
    """An object that stays in the child; ``kind`` is the name of its type."""

    id: int
    kind: str


def dump(value: Any, leaves: int, size: int) -> tuple[bytes, list[Piece], int]:
    """Return a value's header, the pieces of its payload, and their length.

    Raises:
        WireError: the value cannot be sent.
    """
    encoder = _Encoder(leaves, size)
    try:
        node = encoder.whole(value)
        header = _JSON_OUT.encode(node).encode("ascii")
    except RecursionError as error:
        raise WireError("the value is nested too deeply") from error
    _check_header(header, leaves)
    return header, encoder.pieces, encoder.used


def load(header: bytes, payload: memoryview, leaves: int, size: int, *, writable: bool) -> Any:
    """Return the value that a header and a payload describe.

    Raises:
        WireError: they do not describe exactly one value within the limits.
    """
    _check_header(header, leaves)
    decoder = _Decoder(payload, leaves, size, writable=writable)
    try:
        value = decoder.node(_JSON_IN.decode(header.decode("ascii")), 0)
    except WireError:
        raise
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise WireError(f"the frame is malformed ({type(error).__name__})") from error
    except (MemoryError, RecursionError) as error:
        raise WireError("the frame is too large or nested too deeply") from error
    decoder.finish()
    return value


def header_room(leaves: int) -> int:
    """Return how many bytes a header may have."""
    return _BYTES_A_LEAF * leaves + _SLACK


class _Counter:
    """Counts the parts of a value against the caps."""

    def __init__(self, leaves: int, size: int) -> None:
        self._leaves = leaves
        self._size = size

    def _count(self, depth: int, number: int = 1) -> None:
        self._leaves -= number
        if self._leaves < 0:
            raise WireError("the value has too many parts")
        if depth > DEPTH:
            raise WireError(f"the value is nested more than {DEPTH} deep")


class _Encoder(_Counter):
    def __init__(self, leaves: int, size: int) -> None:
        super().__init__(leaves, size)
        self.pieces: list[Piece] = []
        self.used = 0

    def whole(self, value: Any) -> Any:
        self._count(0)
        return self.node(value, 0)

    def node(self, value: Any, depth: int) -> Any:
        """Return the node of a value that has been counted."""
        kind = type(value)
        if value is None or kind is bool or (kind is str and _is_word(value)) or (kind is float and isfinite(value)):
            return value
        encode_exact = _ENCODERS.get(kind)
        if encode_exact is None:
            raise WireError(f"a value of type {kind.__name__} cannot be sent")
        return encode_exact(self, value, depth)

    def text(self, value: str, _depth: int) -> Any:
        self._check_room(len(value))
        return ["s", self._attach(value.encode("utf-8", "surrogatepass"))]

    def array(self, value: np.ndarray[Any, Any], _depth: int) -> Any:
        code = _CODES.get(value.dtype) or value.dtype.newbyteorder("<").str[1:]
        if code not in DTYPES:
            raise WireError(f"an array of dtype {value.dtype} cannot be sent")
        _check_shape(value.shape, self._size)
        self._check_room(value.nbytes)
        plain = np.asarray(value, dtype=DTYPES[code], order="C")
        self._attach(plain.tobytes() if plain.nbytes < _SMALL else plain.reshape(-1).view(np.uint8).data)
        return ["a", code, *value.shape]

    def handle(self, value: Handle, _depth: int) -> Any:
        kind = value.kind.encode("utf-8", "replace")[:_KIND_BYTES].decode("utf-8", "ignore")
        return ["h", _int(value.id), self._attach(kind.encode())]

    def sequence(self, tag: str, values: Sequence[Any], depth: int) -> Any:
        self._count(depth + 1 if values else depth, len(values))
        kinds = set(map(type, values))
        # The sum of floats is finite only if each of them is.
        if (kinds == {float} and isfinite(sum(values))) or (kinds == {int} and are_short(values)):
            return [tag, *values]
        return [tag, *[self.node(value, depth + 1) for value in values]]

    def mapping(self, value: dict[Any, Any], depth: int) -> Any:
        if not all(map(_is_key, value)):
            raise WireError("a dict has a key that cannot be sent")
        return self.sequence("d", [part for item in value.items() for part in item], depth)

    def _attach(self, data: Piece) -> int:
        self._check_room(len(data))
        self.used += len(data)
        self.pieces.append(data)
        return len(data)

    def _check_room(self, more: int) -> None:
        if self.used + more > self._size:
            raise WireError(f"the value takes more than {self._size} bytes")


def _is_word(text: str) -> bool:
    return len(text) <= _WORD_CHARACTERS and text.isidentifier() and text.isascii()


def _int(value: Any) -> int:
    if type(value) is not int or not -_INT_BOUND < value < _INT_BOUND:
        raise WireError(f"an int is none, or has more than {DIGITS} digits")
    return value


def are_short(values: Collection[int]) -> bool:
    """Whether none of these has too many digits to be sent."""
    return not values or (min(values) > -_INT_BOUND and max(values) < _INT_BOUND)


_ENCODERS: Final[dict[type, Callable[[_Encoder, Any, int], Any]]] = {
    int: lambda _encoder, value, _depth: _int(value),
    float: lambda _encoder, value, _depth: ["f", repr(value)],  # the finite ones are plain
    complex: lambda _encoder, value, _depth: ["c", value.real.hex(), value.imag.hex()],
    Fraction: lambda _encoder, value, _depth: ["q", _int(value.numerator), _int(value.denominator)],
    str: _Encoder.text,
    np.ndarray: _Encoder.array,
    Handle: _Encoder.handle,
    list: lambda encoder, value, depth: encoder.sequence("l", value, depth),
    tuple: lambda encoder, value, depth: encoder.sequence("t", value, depth),
    dict: _Encoder.mapping,
}


class _Decoder(_Counter):
    def __init__(self, payload: memoryview, leaves: int, size: int, *, writable: bool) -> None:
        super().__init__(leaves, size)
        self._payload = payload
        self._writable = writable
        self._read = 0

    def node(self, node: Any, depth: int) -> Any:
        self._count(depth)
        kind = type(node)
        if kind in _PLAIN or node is None:
            return node
        if kind is int:
            return _int(node)
        if kind is not list:
            raise WireError("the header has a part that is no node")
        tag, *rest = node
        return _DECODERS[tag](self, rest, depth)

    def finish(self) -> None:
        if self._read != len(self._payload):
            raise WireError("the payload is longer than its parts")

    def text(self, rest: list[Any], _depth: int) -> str:
        (length,) = rest
        return str(self._take(length), "utf-8", "surrogatepass")

    def array(self, rest: list[Any], _depth: int) -> np.ndarray[Any, Any]:
        code, *shape = rest
        dtype = DTYPES[code]
        count = _check_shape(tuple(shape), self._size)
        data = self._take(count * dtype.itemsize)
        if code == "b1" and bytes(data).strip(b"\0\1"):
            raise WireError("an array of bool holds other bytes than 0 and 1")
        array = np.frombuffer(data, dtype).reshape(shape).copy() if count else np.empty(shape, dtype)
        array = array.astype(dtype.newbyteorder("="), copy=False)
        array.setflags(write=self._writable)
        return array

    def handle(self, rest: list[Any], _depth: int) -> Handle:
        identity, length = rest
        if length > _KIND_BYTES:
            raise WireError("the name of a handle's type is too long")
        return Handle(_int(identity), str(self._take(length), "utf-8"))

    def sequence(self, rest: list[Any], depth: int) -> list[Any]:
        if _AT_ONCE.issuperset(map(type, rest)):
            self._count(depth + 1 if rest else depth, len(rest))
            return rest
        return [self.node(node, depth + 1) for node in rest]

    def mapping(self, rest: list[Any], depth: int) -> dict[Any, Any]:
        parts = self.sequence(rest, depth)
        keys = parts[::2]
        if not all(map(_is_key, keys)):
            raise WireError("a dict has a key of a type that is no key here")
        if collide(keys):
            raise WireError("a dict has keys chosen to collide")
        value = dict(zip(keys, parts[1::2], strict=True))
        if len(value) != len(keys):
            raise WireError("a dict has the same key twice")
        return value

    def _take(self, length: Any) -> memoryview:
        if type(length) is not int or not 0 <= length <= len(self._payload) - self._read:
            raise WireError("a part is longer than what is left of the payload")
        start = self._read
        self._read += length
        return self._payload[start : self._read]


_DECODERS: Final[dict[str, Callable[[_Decoder, list[Any], int], Any]]] = {
    "f": lambda _decoder, rest, _depth: _NOT_FINITE[_one(rest)],
    "c": lambda _decoder, rest, _depth: complex(*map(_parsed_float, _pair(rest))),
    "q": lambda _decoder, rest, _depth: _fraction(*rest),
    "s": _Decoder.text,
    "a": _Decoder.array,
    "h": _Decoder.handle,
    "l": _Decoder.sequence,
    "t": lambda decoder, rest, depth: tuple(decoder.sequence(rest, depth)),
    "d": _Decoder.mapping,
}


def _one(rest: list[Any]) -> Any:
    (only,) = rest
    return only


def _pair(rest: list[Any]) -> tuple[Any, Any]:
    first, second = rest
    return first, second


def _parsed_float(text: str) -> float:
    if len(text) > _FLOAT_CHARACTERS:
        raise WireError("a float is too long")
    return float.fromhex(text)


def _fraction(numerator: Any, denominator: Any) -> Fraction:
    above, below = _int(numerator), _int(denominator)
    if below <= 0:
        raise WireError("a fraction has no positive denominator")
    return Fraction(above, below)


def _check_header(header: bytes, leaves: int) -> None:
    if len(header) > header_room(leaves):
        raise WireError("the header is too long")
    # Text with such characters lies in the payload, so they bound how many objects parsing can make.
    if header.count(b"[") + header.count(b",") > _MARKS_A_LEAF * leaves + _SLACK:
        raise WireError("the header has too many parts")
    if b"{" in header:
        raise WireError("the header holds an object")
    if _LONG_NUMBER.search(header):  # which takes long to read
        raise WireError("the header holds a number of too many digits")


def _refuse_number(_text: str) -> Any:
    raise WireError("the header holds a number that is none")


_JSON_OUT: Final = json.JSONEncoder(separators=(",", ":"), check_circular=False, allow_nan=False)
_JSON_IN: Final = json.JSONDecoder(parse_constant=_refuse_number)


def _check_shape(shape: tuple[Any, ...], size: int) -> int:
    if len(shape) > _DIMENSIONS:
        raise WireError(f"an array has more than {_DIMENSIONS} dimensions")
    count = extent = 1
    for length in shape:
        if type(length) is not int or length < 0:
            raise WireError("an array has a shape that is none")
        count *= length
        extent *= length or 1
    # An empty array, too, may not name lengths that no array of this size could have.
    if extent > max(size, 1):
        raise WireError("an array is larger than what can be sent")
    return count


def _is_key(key: Any) -> bool:
    if type(key) is tuple:
        return all(map(_is_key, key))
    return key is None or type(key) in {str, int, bool, float}


def collide(keys: Collection[Any]) -> bool:
    """Whether so many keys share a hash that a dict of them would cost minutes; hashes of numbers are known to all."""
    hashes = sorted(map(hash, keys)) if len(keys) > _COLLISIONS else []
    return any(one == other for one, other in zip(hashes, hashes[_COLLISIONS:], strict=False))
