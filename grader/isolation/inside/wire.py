"""Values as bytes: what crosses between the grader and a child, and how examples are stored.

A frame carries one value::

    magic     4 bytes   b"TGW1"
    nonce    16 bytes   chosen by who asks, echoed by who answers; zeros in a stored value
    header    4 bytes   length of the header, unsigned little-endian
    payload   8 bytes   length of the payload, unsigned little-endian
    header              ASCII JSON: the structure
    payload             text and arrays in the header's order, without gaps: UTF-8, raw little-endian C order

The header is null, true, false, an int, a finite float, a short identifier, or a list that opens with a tag::

    ["f", "-inf"]           inf, -inf or nan            ["l", node...]          list
    ["c", "0x...", "..."]   complex, hexadecimal        ["t", node...]          tuple
    ["q", 1, 3]             Fraction                    ["d", key, value...]    dict
    ["s", 5]                text: bytes in the payload  ["a", "f8", 2, 3]       array: dtype, shape
    ["h", 7, 6]             handle: id, bytes of its kind

Both ends import this module, and the sender may be hostile: every announced size is checked before anything is
allocated, and whatever is malformed ends in `WireError`, never in another exception.

>>> decode(encode({"loss": [1.5, 2]}))
{'loss': [1.5, 2]}
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING or __package__:
    from .nodes import DEPTH, DIGITS, LEAVES, SIZE, Handle, WireError, dump, header_room, load
else:  # in the child, where this folder is no package
    from nodes import DEPTH, DIGITS, LEAVES, SIZE, Handle, WireError, dump, header_room, load

__all__ = [
    "DEPTH",
    "DIGITS",
    "LEAVES",
    "NONCE_BYTES",
    "ROOM_LEAVES",
    "ROOM_SIZE",
    "SIZE",
    "Handle",
    "Reader",
    "WireError",
    "addressed",
    "decode",
    "encode",
    "pack",
]

MAGIC: Final = b"TGW1"
NONCE_BYTES: Final = 16
ROOM_LEAVES: Final = LEAVES + 4096  # of a frame between the two: what wraps a value takes room of its own
ROOM_SIZE: Final = SIZE + 2**20
PREFIX: Final = struct.Struct(f"<4s{NONCE_BYTES}sIQ")

_STORED = bytes(NONCE_BYTES)


def encode(value: Any, *, leaves: int = LEAVES, size: int = SIZE) -> bytes:
    """Return a value as bytes that stand alone.

    Args:
        value: None, bool, int, float, complex, str, Fraction, `Handle`, an array of a numeric dtype, or a list,
            tuple or dict of these; exact types, no subclasses.
        leaves: how many parts the value may have.
        size: how many bytes its text and arrays may take.

    Raises:
        WireError: the value, or a part of it, is not one of these, or is too large.
    """
    return pack(_STORED, value, leaves=leaves, size=size)


def decode(
    data: bytes | bytearray | memoryview, *, leaves: int = LEAVES, size: int = SIZE, writable: bool = False
) -> Any:
    """Return the value that `encode` turned into these bytes.

    Arrays own their memory, and are read-only unless ``writable``.

    Raises:
        WireError: the bytes are anything but one whole value within the limits.
    """
    reader = Reader(_STORED, leaves=leaves, size=size)
    reader.feed(data)
    return reader.value(writable=writable)


def pack(nonce: bytes, value: Any, *, leaves: int = LEAVES, size: int = SIZE) -> bytes:
    """Return one frame; see `encode` for what it may carry.

    Raises:
        WireError: the value cannot be sent.
    """
    header, pieces, length = dump(value, leaves, size)
    return b"".join((PREFIX.pack(MAGIC, nonce, len(header), length), header, *pieces))


def addressed(frame: bytes, nonce: bytes) -> bytes:
    """Return an encoded frame with another nonce."""
    return b"".join((frame[: len(MAGIC)], nonce, frame[len(MAGIC) + NONCE_BYTES :]))


class Reader:
    """Collects one frame from bytes as they arrive; allocates nothing that a frame only announces.

    Args:
        nonce: what the frame must echo; None takes any, and the attribute `nonce` then says which.
        leaves: how many parts the value may have.
        size: how many bytes its text and arrays may take.
    """

    def __init__(self, nonce: bytes | None, *, leaves: int = LEAVES, size: int = SIZE) -> None:
        self.nonce = nonce
        self._leaves = leaves
        self._size = size
        self._data = bytearray()
        self._lengths: tuple[int, int] | None = None

    @property
    def complete(self) -> bool:
        """Whether the whole frame has arrived."""
        return self._lengths is not None and len(self._data) == PREFIX.size + sum(self._lengths)

    def feed(self, data: bytes | bytearray | memoryview) -> None:
        """Take the next bytes.

        Raises:
            WireError: they cannot belong to one frame within the limits that answers the nonce.
        """
        rest = memoryview(data)
        if self._lengths is None:
            missing = PREFIX.size - len(self._data)
            self._data += rest[:missing]
            rest = rest[missing:]
            if len(self._data) < PREFIX.size:
                return
            self._lengths = self._announced()
        if len(self._data) + len(rest) > PREFIX.size + sum(self._lengths):
            raise WireError("there are bytes after the end of the frame")
        self._data += rest

    def value(self, *, writable: bool = False) -> Any:
        """Return the value of a complete frame; its arrays are read-only unless ``writable``.

        Raises:
            WireError: the frame is not complete or not well-formed.
        """
        if self._lengths is None or not self.complete:
            raise WireError("the frame ends early")
        body = memoryview(self._data).toreadonly()[PREFIX.size :]
        header, payload = bytes(body[: self._lengths[0]]), body[self._lengths[0] :]
        return load(header, payload, self._leaves, self._size, writable=writable)

    def _announced(self) -> tuple[int, int]:
        magic, nonce, header, payload = PREFIX.unpack_from(self._data)
        if magic != MAGIC:
            raise WireError("the bytes are not a frame")
        if self.nonce is None:
            self.nonce = nonce
        if nonce != self.nonce:
            raise WireError("the frame does not answer this request")
        if header > header_room(self._leaves):
            raise WireError(f"a header of {header} bytes is announced")
        if payload > self._size:
            raise WireError(f"a payload of {payload} bytes is announced; at most {self._size} can be taken")
        return header, payload
