"""What `wire` promises: values come back as they went, and hostile bytes end in `WireError` and nothing else."""

from __future__ import annotations

import contextlib
import json
import random
import struct
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from carrying import BOUND, arrays, plain, same
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from grader.isolation.inside import nodes, wire
from grader.isolation.inside.wire import Handle, Reader, WireError, decode, encode, pack

NONCE = bytes(range(16))


def framed(header, payload=b"", *, nonce=bytes(16), magic=b"TGW1", announced=None):
    """Return a frame made by hand from a header (text, bytes or a JSON value)."""
    if not isinstance(header, (str, bytes)):
        header = json.dumps(header)
    header = header.encode() if isinstance(header, str) else header
    lengths = announced or (len(header), len(payload))
    return struct.pack("<4s16sIQ", magic, nonce, *lengths) + header + payload


def refused(data, **limits):
    with pytest.raises(WireError) as caught:
        decode(data, **limits)
    assert type(caught.value) is WireError
    return str(caught.value)


@hypothesis_settings(max_examples=300)
@given(plain)
def test_every_value_comes_back_as_it_went(value):
    assert same(value, decode(encode(value)))


@given(arrays)
def test_arrays_arrive_read_only_with_memory_of_their_own(array):
    got = decode(encode(array))
    assert not got.flags.writeable
    assert got.base is None or got.base.base is None
    assert decode(encode(array), writable=True).flags.writeable


@pytest.mark.parametrize(
    "array",
    [
        np.arange(6.0).reshape(2, 3).T,
        np.arange(10)[::-2],
        np.broadcast_to(np.float32(2.5), (3, 2)),
        np.arange(4, dtype=">i4"),
        np.array(3.0),
        np.zeros((0, 7)),
        np.asfortranarray(np.arange(6.0).reshape(2, 3)),
    ],
    ids=["transposed", "reversed", "broadcast", "big-endian", "0-d", "empty", "fortran"],
)
def test_any_layout_of_an_array_is_carried(array):
    got = decode(encode(array))
    assert got.shape == array.shape
    assert got.dtype == array.dtype.newbyteorder("=")
    np.testing.assert_array_equal(got, array)


def test_64_mebibytes_are_carried_and_no_byte_more():
    array = np.arange(wire.SIZE // 8, dtype=np.float64)
    data = encode(array)
    np.testing.assert_array_equal(decode(data), array)
    with pytest.raises(WireError, match="more than"):
        encode([array, "one more byte"])
    assert "announced" in refused(framed("null", announced=(4, wire.SIZE + 1)))


class Sub(int):
    """An int that is none by its exact type."""


@pytest.mark.parametrize(
    "value",
    [
        object(),
        {1, 2},
        b"bytes",
        np.float64(1.0),
        Sub(3),
        np.array([object()]),
        np.array(["text"]),
        np.array(["2020-01-01"], dtype="M8[D]"),
        np.zeros(2, dtype=[("a", "f8")]),
        np.zeros(2, dtype=np.longdouble),
        np.ma.masked_array([1.0]),
        np.zeros((2, 2)).view(np.recarray),
        BOUND,
        -BOUND,
        Fraction(1, BOUND),
        {frozenset(): 1},
        {b"key": 1},
        {(1, Fraction(1, 2)): 1},
        [0] * wire.LEAVES,
        np.zeros((1,) * 33) if np.lib.NumpyVersion(np.__version__) >= "2.0.0" else object(),
        np.zeros((0, 2**40)),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_cannot_be_carried_is_refused_by_the_sender(value):
    with pytest.raises(WireError):
        encode(value)


@pytest.mark.parametrize("depth", [wire.DEPTH + 1, 10**5])
@pytest.mark.parametrize("wrap", [lambda inner: [inner], lambda inner: {"k": inner}, lambda inner: (inner,)])
def test_deep_nesting_is_refused_by_the_sender(depth, wrap):
    value = None
    for _ in range(depth):
        value = wrap(value)
    with pytest.raises(WireError, match="nested"):
        encode(value)


def test_nesting_within_the_limit_is_carried():
    value = None
    for _ in range(wire.DEPTH):
        value = [value]
    assert decode(encode(value)) == value


def test_values_at_the_limits_are_carried():
    assert decode(encode([0] * (wire.LEAVES - 1))) == [0] * (wire.LEAVES - 1)
    assert decode(encode(BOUND - 1)) == BOUND - 1
    long = [Fraction(BOUND - 1, BOUND - 2)] * 90_000
    assert decode(encode(long))[-1] == long[-1]


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"TGW1",
        encode([1, 2])[:-1],
        encode([1, 2]) + b"\0",
        encode([1, 2]) * 2,
        encode(np.arange(3))[:-1],
        framed("null", magic=b"TGW2"),
        framed("null", nonce=NONCE),
        framed("null", announced=(4, 2**40)),
        framed("null", announced=(2**32 - 1, 0)),
        framed("null", announced=(4, 2**64 - 1)),
        framed("null", b"payload that belongs to nothing"),
    ],
    ids=[
        "empty",
        "only the magic",
        "cut",
        "a trailing byte",
        "two frames",
        "a cut array",
        "another magic",
        "another nonce",
        "a terabyte",
        "a long header",
        "2**64 - 1 bytes",
        "payload left over",
    ],
)
def test_frames_of_a_wrong_length_or_kind_are_refused(data):
    refused(data)


@pytest.mark.parametrize(
    "node",
    [
        "{}",
        '{"a": 1}',
        "NaN",
        "Infinity",
        f"1{'0' * 300}",
        "9" * 10**6,
        '["i", 5]',
        '["f", "' + "1" * 10**6 + '"]',
        '["f", "0x1p0"]',
        '["f", 1.5]',
        '["f"]',
        '["c", "0x1p0"]',
        '["c", "0x1p0", "0x1p0", "0x1p0"]',
        '["q", 1, 0]',
        '["q", 1, -3]',
        '["q", 1]',
        '["q", 1.0, 2]',
        '["q", true, 2]',
        f'["q", 1, 1{"0" * 300}]',
        '["s", 1]',
        '["s", -1]',
        '["s", true]',
        '["s", "1"]',
        '["s", null]',
        '["a", "f8", -1]',
        '["a", "f8", -1, -1]',
        '["a", "f8", 9223372036854775808]',
        '["a", "f8", 4611686018427387904, 4]',
        '["a", "f8", 0, 9223372036854775808]',
        '["a", "f8", true]',
        '["a", "f8", "2"]',
        '["a", "f8", [0]]',
        '["a", "O", 0]',
        '["a", "U5", 0]',
        '["a", "M8[ns]", 0]',
        '["a", ">f8", 0]',
        '["a", ["f8"], 0]',
        '["a"]',
        '["a", "f8", ' + ", ".join(["1"] * 33) + "]",
        '["h", 1]',
        '["h", "1", 0]',
        '["h", 1.0, 0]',
        '["h", 1, 401]',
        '["d", null]',
        '["d", ["l"], null]',
        '["d", ["t", ["l"]], null]',
        '["d", ["d"], null]',
        '["d", ["a", "f8", 0], null]',
        '["d", null, null, null, null]',
        '["d", 1, null, true, null]',
        '["d", 1, null, 1.0, null]',
        '["x", 1]',
        "[[]]",
        "[]",
        "[null]",
        "[" * 200 + "]" * 200,
        "[" * 10**6,
        '["l",' * 101 + "null" + "]" * 101,
        '["l",' * 10**5 + "null" + "]" * 10**5,
        "null null",
        "",
        "nul",
        '"\\ud800',
        b"\xff\xfe",
        b"\0",
    ],
    ids=lambda node: repr(node[:40]),
)
def test_headers_that_describe_no_value_are_refused(node):
    refused(framed(node))


@pytest.mark.parametrize(
    ("header", "payload"),
    [
        (["a", "b1", 2], b"\1\2"),
        (["a", "f8", 2], b"\0" * 15),
        (["a", "f8", 2], b"\0" * 17),
        (["s", 2], b"\xff\xff"),
        (["h", 1, 2], b"\xff\xff"),
        (["h", 1, 2], b"\xed\xa0"),
        (["l", ["s", 2], ["s", 2]], b"abc"),
    ],
    ids=["bool of 2", "array too short", "array too long", "no UTF-8", "no name", "half a surrogate", "overlap"],
)
def test_payloads_that_fit_no_header_are_refused(header, payload):
    refused(framed(header, payload))


def test_parts_are_counted_before_they_are_made():
    assert "too many parts" in refused(framed('["l"' + ",null" * 10**6 + "]"))
    assert "too many parts" in refused(framed("[" + "[]," * 10**6 + "[]]"))
    assert "too many parts" in refused(encode([0] * 20), leaves=20)
    assert "announced" in refused(encode("x y" * 100), size=100)


def test_keys_chosen_to_collide_are_refused_at_once():
    modulus = sys.hash_info.modulus
    header = ["d"]
    for i in range(1, 20_000):
        header += [i * modulus, None]
    assert "collide" in refused(framed(header))
    honest = {(i, j): i * j for i in range(100) for j in range(100)}
    assert decode(encode(honest)) == honest


def test_a_lone_surrogate_is_only_text():
    assert decode(encode({"\ud800": ["\udfff x", "ä"]})) == {"\ud800": ["\udfff x", "ä"]}
    assert decode(encode(Handle(1, "\ud800"))) == Handle(1, "?")


def test_a_handles_name_is_cut_to_what_can_be_read_back():
    assert decode(encode(Handle(1, "é" * 1000))).kind == "é" * 200


def test_a_low_recursion_limit_gives_wire_errors():
    code = (
        "import sys; from grader.isolation.inside import wire\n"
        "data = wire.encode([[[[[[[[[[1]]]]]]]]]])\n"
        "for limit in range(5, 60):\n"
        "    try:\n"
        "        sys.setrecursionlimit(limit); wire.decode(data)\n"
        "    except (wire.WireError, RecursionError): pass\n"
        "sys.setrecursionlimit(1000); print(wire.decode(data))\n"
    )
    root = Path(__file__).parent.parent
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=root)
    assert done.stdout == "[[[[[[[[[[1]]]]]]]]]]\n", done.stderr


@hypothesis_settings(max_examples=100)
@given(plain, st.data())
def test_mutated_frames_give_a_value_or_a_wire_error(value, data):
    seed = data.draw(st.integers(0, 2**32))
    frame = encode(value)
    generator = random.Random(seed)
    for _ in range(30):
        mutant = bytearray(frame)
        for _ in range(generator.randint(1, 6)):
            _mutate(mutant, generator)
        try:
            got = decode(bytes(mutant))
        except WireError:
            continue
        encode(got)  # what was accepted is a value


def _mutate(frame, generator):
    at = generator.randrange(len(frame)) if frame else 0
    kind = generator.randrange(5)
    if kind == 0 and frame:
        frame[at] = generator.randrange(256)
    elif kind == 1 and frame:
        frame[at] ^= 1 << generator.randrange(8)
    elif kind == 2:
        del frame[at : at + generator.randint(1, 8)]
    elif kind == 3:
        frame[at:at] = generator.choice([b"[", b"]", b",", b'"', b"{", b"-", b"9", b"\\ud800", b"\0", b"null"])
    else:
        frame[at:at] = frame[at : at + generator.randint(1, 20)]


@hypothesis_settings(max_examples=200)
@given(
    st.recursive(
        st.one_of(
            st.none(),
            st.booleans(),
            st.integers(-(2**70), 2**70),
            st.floats(),
            st.sampled_from([*"ifcqsaltdh", *nodes.DTYPES, "1", "-1", "0", "0x1p3"]),
        ),
        lambda parts: st.lists(parts, max_size=5),
    ),
    st.binary(max_size=40),
)
def test_any_json_header_gives_a_value_or_a_wire_error(header, payload):
    with contextlib.suppress(WireError):
        encode(decode(framed(header, payload)))


@given(st.binary(max_size=100))
def test_any_bytes_are_refused(data):
    refused(data)


class TestReader:
    def test_a_frame_may_arrive_byte_by_byte(self):
        reader = Reader(NONCE)
        frame = pack(NONCE, {"x": np.arange(3)})
        for i, byte in enumerate(frame):
            assert not reader.complete, i
            reader.feed(bytes([byte]))
        assert reader.complete
        np.testing.assert_array_equal(reader.value()["x"], np.arange(3))

    def test_an_incomplete_frame_has_no_value(self):
        reader = Reader(NONCE)
        reader.feed(pack(NONCE, "text with spaces")[:-1])
        with pytest.raises(WireError, match="ends early"):
            reader.value()

    def test_a_wrong_nonce_is_refused_once_it_is_read(self):
        reader = Reader(NONCE)
        with pytest.raises(WireError, match="does not answer"):
            reader.feed(pack(bytes(16), 1))

    def test_bytes_after_the_frame_are_refused(self):
        reader = Reader(NONCE)
        reader.feed(pack(NONCE, 1))
        with pytest.raises(WireError, match="after the end"):
            reader.feed(b"\0")

    def test_an_announced_terabyte_is_refused_before_it_arrives(self):
        reader = Reader(NONCE)
        with pytest.raises(WireError, match="announced"):
            reader.feed(framed("null", nonce=NONCE, announced=(4, 2**40))[:32])

    def test_without_a_nonce_any_is_taken_and_told(self):
        reader = Reader(None)
        reader.feed(pack(NONCE, 5))
        assert (reader.nonce, reader.value()) == (NONCE, 5)

    def test_no_more_is_held_than_the_frame_is_long(self):
        reader = Reader(NONCE, size=1000)
        frame = framed("null", nonce=NONCE, announced=(4, 1000))
        with pytest.raises(WireError, match="after the end"):
            reader.feed(frame + bytes(10**6))
        assert len(reader._data) < 2000
