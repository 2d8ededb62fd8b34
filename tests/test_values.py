"""What `values.export` promises: plain values by exact content, or one clear reason why not."""

from __future__ import annotations

import asyncio
import collections
import dataclasses
import decimal
import enum
import fractions
import itertools
import types
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import pytest
from carrying import plain, same
from hypothesis import given

from grader.isolation.inside import values, wire
from grader.isolation.inside.values import Untransportable, export
from grader.isolation.inside.wire import Handle


def keep(value):
    return Handle(1, type(value).__name__)


def reason(value, **limits):
    with pytest.raises(Untransportable) as caught:
        export(value, keep, **limits)
    return caught.value


class Colour(enum.IntEnum):
    RED = 3


class Word(enum.StrEnum):
    GO = "go"


class Point(NamedTuple):
    x: float
    y: list


@dataclasses.dataclass
class Result:
    loss: float
    weights: object


class LyingFloat(float):
    def __float__(self):
        return 1.0

    def __eq__(self, other):
        return True

    __hash__ = float.__hash__


class LyingInt(int):
    def __int__(self):
        return 1

    def __index__(self):
        return 1


class LyingText(str):
    __slots__ = ()

    def __str__(self):
        return "right"


class LyingList(list):
    def __iter__(self):
        return iter([1, 2, 3])

    def __len__(self):
        return 3


class LyingDict(dict):
    def items(self):
        return [("right", 1)]


class LyingTuple(tuple):
    __slots__ = ()

    def __iter__(self):
        return iter((1, 2))


class LyingFraction(Fraction):
    @property
    def numerator(self):
        return 1


@given(plain)
def test_plain_values_stay_as_they_are(value):
    if not _has_handle(value):
        assert same(export(value, keep), value)


def _has_handle(value):
    if isinstance(value, dict):
        return _has_handle(list(value.values()))
    return isinstance(value, Handle) or (isinstance(value, (list, tuple)) and any(map(_has_handle, value)))


@pytest.mark.parametrize(
    ("value", "want"),
    [
        (np.float64(0.1), 0.1),
        (np.float32(0.1), float(np.float32(0.1))),
        (np.int8(-3), -3),
        (np.uint64(2**64 - 1), 2**64 - 1),
        (np.bool_(True), True),
        (np.complex64(1 + 2j), 1 + 2j),
        (np.str_("word"), "word"),
        (Colour.RED, 3),
        (Word.GO, "go"),
        (LyingFloat(0.5), 0.5),
        (LyingInt(7), 7),
        (LyingText("wrong"), "wrong"),
        (LyingList([9]), [9]),
        (LyingTuple((9,)), (9,)),
        (LyingDict(wrong=9), {"wrong": 9}),
        (LyingFraction(2, 3), Fraction(2, 3)),
        (collections.OrderedDict(b=1, a=2), {"b": 1, "a": 2}),
        (collections.defaultdict(int, a=2), {"a": 2}),
        (collections.Counter("aab"), {"a": 2, "b": 1}),
        (Point(1.0, [2]), {"x": 1.0, "y": [2]}),
        (Result(0.5, (1,)), {"loss": 0.5, "weights": (1,)}),
        ({np.int64(3): 1, (np.float64(0.5), "k"): 2}, {3: 1, (0.5, "k"): 2}),
        ([np.float64(1), (Colour.RED,)], [1.0, (3,)]),
    ],
    ids=lambda value: type(value).__name__,
)
def test_relatives_of_plain_types_come_by_value(value, want):
    assert same(export(value, keep), want)


def test_a_float16_scalar_stays_recognisably_narrow():
    got = export(np.float16(0.1), keep)
    assert same(got, np.array(0.1, dtype=np.float16))


def test_arrays_are_copied_read_only_in_c_order_and_native_bytes():
    array = np.arange(6, dtype=">f4").reshape(2, 3).T
    got = export(array, keep)
    assert (got.shape, got.dtype, got.flags.writeable, got.flags.c_contiguous) == ((3, 2), np.float32, False, True)
    np.testing.assert_array_equal(got, array)
    array[0, 0] = 99
    assert got[0, 0] == 0


@pytest.mark.parametrize("shape", [(), (0,), (1, 0, 2)])
def test_shapes_are_kept_exactly(shape):
    assert export(np.zeros(shape), keep).shape == shape


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (np.array([1, [2]], dtype=object), "dtype"),
        (np.array(["text"]), "dtype"),
        (np.array([b"bytes"]), "dtype"),
        (np.array(["2020"], dtype="M8[Y]"), "dtype"),
        (np.zeros(2, dtype=[("a", "f8")]), "dtype"),
        (np.datetime64("2020-01-01"), "dtype"),
        (np.bytes_(b"x"), "dtype"),
        (np.zeros(2, dtype=np.longdouble), "wide"),
        (np.longdouble(1), "wide"),
        (np.clongdouble(1), "wide"),
        (np.ma.masked_array([1.0], mask=[True]), "subclass"),
        (np.zeros((2, 2)).view(np.recarray), "subclass"),
        (np.zeros((2, 2)).view(type("Mine", (np.ndarray,), {})), "subclass"),
        (decimal.Decimal("0.1"), "decimal"),
        (type("Mine", (decimal.Decimal,), {})("0.1"), "decimal"),
        (10**300, "digits"),
        (-(10**300), "digits"),
        (Fraction(1, 10**300), "digits"),
        ((i for i in [1]), "lazy"),
        (map(abs, [1]), "lazy"),
        (zip([1], strict=True), "lazy"),
        (iter([1]), "lazy"),
        (itertools.count(), "lazy"),
        ({frozenset(): 1}, "key"),
        ({b"bytes": 1}, "key"),
        ({Fraction(1, 2): 1}, "key"),
        ({np.complex128(1): 1}, "key"),
        ([0] * values.LEAVES, "large"),
        (np.broadcast_to(0.0, (2**30,)), "large"),
        ("x" * (values.SIZE + 1), "large"),
        ([np.zeros(values.SIZE // 8), np.zeros(1)], "large"),
    ],
    ids=lambda value: value if isinstance(value, str) and len(value) < 20 else type(value).__name__,
)
@pytest.mark.skipif(np.longdouble(0).itemsize == 8, reason="numpy's longdouble is a float64 on this platform")
def test_what_cannot_be_taken_is_refused_for_its_reason(value, kind):
    assert reason(value).kind == kind


def test_a_matrix_is_refused():
    with pytest.warns(PendingDeprecationWarning):
        matrix = np.matrix([[1.0]])
    assert reason(matrix).kind == "subclass"


def test_a_coroutine_is_refused():
    async def answer():
        return 1

    coroutine = answer()
    assert reason(coroutine).kind == "lazy"
    assert asyncio.run(coroutine) == 1


def test_cycles_and_bottomless_nesting_are_refused():
    cycle = []
    cycle.append([cycle])
    mapping = {}
    mapping["self"] = mapping
    record = Result(0.0, None)
    record.weights = record
    deep = None
    for _ in range(10**5):
        deep = [deep]
    for value in (cycle, mapping, record, deep):
        assert reason(value).kind == "cyclic"


def test_the_same_list_twice_is_no_cycle():
    inner = [1]
    assert export([inner, inner], keep) == [[1], [1]]


def test_keys_that_become_equal_are_refused():
    class Key(str):
        __slots__ = ()
        __hash__ = object.__hash__

        def __eq__(self, other):
            return self is other

    assert reason({Key("a"): 1, Key("a"): 2}).kind == "key"


def test_the_message_says_where_and_what():
    error = reason({"loss": [1.0, (np.array(["a"]),)]})
    assert str(error) == (
        "at ['loss'][1][0]: an array whose entries are not plain numbers "
        "(rows of unequal length make such an array) (dtype <U1)"
    )
    assert str(reason(decimal.Decimal(1))) == "a Decimal; a float or a Fraction is wanted"


def test_limits_can_be_narrowed():
    assert export([1, 2], keep, leaves=3) == [1, 2]
    assert reason([1, 2], leaves=2).kind == "large"
    assert reason(np.zeros(2), size=15).kind == "large"


@pytest.mark.parametrize(
    "value",
    [object(), {1, 2}, len, types, b"bytes", Result, range(3), {}.keys(), np.random.default_rng(0), np.float64],
    ids=lambda value: type(value).__name__,
)
def test_other_objects_are_kept(value):
    kept = []
    assert export([value], lambda it: kept.append(it) or Handle(7, "it")) == [Handle(7, "it")]
    assert kept == [value]


def test_an_iterator_class_of_ones_own_is_an_object():
    class Batches:
        def __iter__(self):
            return self

        def __next__(self):
            return 1

    assert export(Batches(), keep) == Handle(1, "Batches")


def test_everything_exported_can_be_sent():
    value = [np.float32(1), {"a": Colour.RED}, Point(0.5, [np.arange(3)]), fractions.Fraction(1, 3), np.float16(2)]
    assert same(wire.decode(wire.encode(export(value, keep))), export(value, keep))


class TestSympy:
    def test_numbers_come_by_value(self):
        sympy = pytest.importorskip("sympy")
        value = [sympy.Integer(3), sympy.Rational(1, 3), sympy.Float(0.5), sympy.sqrt(2), sympy.I, sympy.true, sympy.oo]
        want = [3, Fraction(1, 3), 0.5, 2**0.5, 1j, True, float("inf")]
        assert same(export(value, keep), want)

    def test_a_matrix_comes_as_rows(self):
        sympy = pytest.importorskip("sympy")
        assert export(sympy.Matrix([[1, 2], [3, 4]]), keep) == [[1, 2], [3, 4]]

    def test_expressions_are_refused(self):
        sympy = pytest.importorskip("sympy")
        assert reason(sympy.Symbol("x") + 1).kind == "symbolic"
        assert reason(sympy.zoo).kind == "symbolic"


@pytest.mark.torch
class TestTorch:
    @pytest.fixture
    def torch(self):
        return pytest.importorskip("torch")

    def test_tensors_come_as_arrays(self, torch):
        got = export(torch.arange(6.0, dtype=torch.float32).reshape(2, 3).T, keep)
        assert same(got, np.arange(6, dtype=np.float32).reshape(2, 3).T.copy())
        assert not got.flags.writeable
        assert same(export(torch.tensor(2.5, dtype=torch.float64), keep), np.array(2.5))

    @pytest.mark.parametrize(
        "name", ["bool", "int8", "int16", "int32", "int64", "uint8", "float16", "float32", "float64", "complex128"]
    )
    def test_dtypes_are_kept(self, torch, name):
        assert export(torch.ones(2, dtype=getattr(torch, name)), keep).dtype == np.dtype(name)

    def test_gradients_and_views_do_not_matter(self, torch):
        leaf = torch.ones(2, requires_grad=True)
        assert export(leaf * 3, keep).tolist() == [3, 3]
        assert export(torch.nn.Parameter(torch.ones(2)), keep).tolist() == [1, 1]
        assert export(torch.tensor([1 + 2j]).conj(), keep).tolist() == [1 - 2j]
        assert export(torch.tensor([1 + 2j]).conj().imag, keep).tolist() == [-2]

    @pytest.mark.filterwarnings("ignore:torch.quantize_per_tensor:UserWarning")
    def test_sparse_and_quantised_tensors_are_made_dense(self, torch):
        dense = torch.tensor([[0.0, 2.0], [0.0, 0.0]])
        assert export(dense.to_sparse(), keep).tolist() == dense.tolist()
        quantised = torch.quantize_per_tensor(dense, scale=0.5, zero_point=0, dtype=torch.qint8)
        assert export(quantised, keep).tolist() == dense.tolist()

    def test_a_huge_sparse_tensor_is_refused_before_it_is_made_dense(self, torch):
        nowhere = torch.zeros((2, 0), dtype=torch.int64)
        sparse = torch.sparse_coo_tensor(nowhere, torch.zeros(0), (2**20, 2**20), check_invariants=True)
        assert reason(sparse).kind == "large"

    def test_what_holds_no_plain_numbers_is_refused(self, torch):
        class Mine(torch.Tensor):
            pass

        assert reason(torch.ones(2).as_subclass(Mine)).kind == "subclass"
        assert reason(torch.ones(2, device="meta")).kind == "abstract"
        assert reason(torch.ones(2, dtype=torch.bfloat16)).kind == "narrow"
        assert "bfloat16" in str(reason(torch.ones(2, dtype=torch.bfloat16)))
        assert reason(torch.ones(2, dtype=torch.float8_e5m2)).kind == "narrow"

    def test_a_wrapped_tensor_is_refused(self, torch):
        seen = []
        torch.func.vmap(lambda x: (seen.append(reason(x).kind), x)[1])(torch.ones(2))
        assert seen == ["subclass"]

    def test_modules_are_kept_and_named_results_are_tuples(self, torch):
        assert export(torch.nn.Linear(1, 1), keep) == Handle(1, "Linear")
        largest, at = export(torch.ones(2, 3).max(dim=1), keep)
        assert (largest.tolist(), at.tolist()) == ([1, 1], [0, 0])
        assert export(torch.ones(2, 3).shape, keep) == (2, 3)
