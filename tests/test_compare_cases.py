"""Answers that other rules get wrong: wrong ones that pass elsewhere fail here, right ones that fail elsewhere pass."""

from __future__ import annotations

import math
from collections import OrderedDict
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import pytest

from grader.compare import close, equal
from grader.errors import AuthoringError, Failure

RNG = np.random.default_rng(20_250_101)
NORMAL = RNG.normal(size=(4, 5))
LOGITS = RNG.uniform(size=(2, 1000))
SOFTMAX = np.exp(LOGITS) / np.exp(LOGITS).sum(axis=1, keepdims=True)
VECTOR = NORMAL[0]


class Line(NamedTuple):
    slope: float
    intercept: float


def row(identity, *values):
    return pytest.param(*values, id=identity)


def accepts(compare, got, want, **settings):
    try:
        compare(got, want, **settings)
    except Failure:
        return False
    return True


class AlwaysEqual:
    def __eq__(self, other):
        return True

    __hash__ = None


class Obliging(np.ndarray):
    def __array_ufunc__(self, *_, **__):
        return np.True_

    def __array_function__(self, *_, **__):
        return np.True_


ZEROS = np.zeros((4, 5))

TRICKS = [
    row("object-equal-to-everything", AlwaysEqual(), NORMAL),
    row("array-that-overrides-arithmetic", ZEROS.view(Obliging), NORMAL),
    row("masked-array", np.ma.masked_all((4, 5)), NORMAL),
    row("plain-zeros", ZEROS, NORMAL),
    row("empty", np.zeros(0), NORMAL),
    row("empty-of-the-right-width", np.zeros((0, 5)), NORMAL),
    row("scalar", NORMAL[0, 0], np.full((4, 5), NORMAL[0, 0])),
    row("one-element", np.full(1, 5.0), np.full(3, 5.0)),
    row("one-row", np.full((1, 5), 5.0), np.full((4, 5), 5.0)),
    row("column", VECTOR[:, None], VECTOR),
    row("row-vector", VECTOR[None], VECTOR),
    row("boxed", VECTOR.reshape(1, 5, 1), VECTOR),
    row("column-as-lists", [[x] for x in VECTOR.tolist()], VECTOR),
    row("column-for-printed-digits", [[0.5], [0.25]], ["0.5", "0.25"]),
    row("column-for-numbers-and-digits", np.array([[0.5], [0.25]]), ["0.5", 0.25]),
    row("nan-everywhere", np.full((4, 5), np.nan), NORMAL),
    row("nan-in-one-place", np.where(np.arange(5) == 2, np.nan, VECTOR), VECTOR),
    row("nan-with-another-payload", np.array([0x7FF0_0000_0000_0001], np.uint64).view(float), [1.0]),
    row("infinite", np.full((4, 5), np.inf), NORMAL),
    row("denormals", np.full((4, 5), 5e-324), NORMAL),
    row("truths", NORMAL > 0, (NORMAL > 0).astype(float)),
    row("rounded-to-integers", NORMAL.astype(int), NORMAL),
    row("half-precision", NORMAL.astype(np.float16), NORMAL),
    row("as-text", str(NORMAL), NORMAL),
    row("transposed", NORMAL.T, NORMAL),
    row("flattened", NORMAL.ravel(), NORMAL),
    row("all-but-one-entry", np.where(np.arange(5) == 2, VECTOR + 1e-3, VECTOR), VECTOR),
    row("its-mean", np.full((4, 5), NORMAL.mean()), NORMAL),
    row("sign-flipped", -NORMAL, NORMAL),
]


@pytest.mark.parametrize(("got", "want"), TRICKS)
def test_a_trick_is_no_answer(got, want):
    with pytest.raises(Failure):
        close(got, want)
    with pytest.raises((Failure, AuthoringError)):
        equal(got, want)


def allclose(rtol=1e-5, atol=1e-8):
    return lambda got, want: np.allclose(got, want, rtol, atol)


def raises_nothing(check):
    def rule(got, want):
        try:
            check(got, want)
        except (AssertionError, ValueError):
            return False
        return True

    return rule


def by_own_size(rtol):
    return lambda got, want: np.allclose(want, got, rtol, 0)


def by_either(rtol, atol):
    return lambda got, want: bool(np.all((abs(got - want) <= atol) | (abs(got - want) <= rtol * abs(want))))


def no_difference_above(bound):
    return lambda got, want: not np.any(np.abs(got - want) > bound)


assert_allclose = raises_nothing(np.testing.assert_allclose)
FEW_WRONG = np.where(np.arange(100) < 4, 7.0, np.linspace(1, 2, 100))

WRONG_BUT_PASSED = [  # rule, what was got, what was wanted, settings
    row("zeros-for-a-wide-softmax", allclose(atol=1e-2), np.zeros((2, 1000)), SOFTMAX, {}),
    row("within-a-hundredth", no_difference_above(1e-2), 0.009, 0.001, {}),
    row("dtype-of-the-answer-loosens", allclose(1e-3, 1e-5), (VECTOR * 1.0005).astype(np.float16), VECTOR, {}),
    row("sixteen-bits-ignored", allclose(1e-2, 1e-2), VECTOR.astype(np.float16), VECTOR, {}),
    row("gradient-off-by-half-a-thousandth", allclose(1e-3), VECTOR * 1.0005, VECTOR, {}),
    row("allowance-by-the-answer", by_own_size(0.5), 2.0, 1.0, {"growth": 1e5}),
    row("either-allowance", by_either(1e-7, 1e-3), np.zeros(5), np.full(5, 1e-4), {}),
    row("answer-broadcast-to-shape", lambda got, want: np.allclose(np.broadcast_to(got, want.shape), want),
        np.full(1, 2.0), np.full((3, 4), 2.0), {}),
    row("column-broadcasts", allclose(), np.ones((3, 1)), np.ones(3), {}),
    row("scalar-broadcasts", assert_allclose, 5.0, np.full(3, 5.0), {}),
    row("one-in-twenty-may-miss", lambda got, want: np.mean(got != want) <= 0.05, FEW_WRONG,
        np.linspace(1, 2, 100), {}),
    row("true-passes-as-one", lambda got, want: abs(got - want) < 1e-8, True, 1.0, {}),
    row("difference-with-nan", no_difference_above(1e-6), np.array([1.0, np.nan]), np.array([1.0, 2.0]), {}),
    row("nan-equals-nan-by-default", assert_allclose, np.array([np.nan, 2.0]), np.array([np.nan, 2.0]), None),
    row("wanted-nan-is-a-wildcard", lambda got, want: bool(np.all(np.isnan(want) | (got == want))),
        np.array([7.0, 2.0]), np.array([np.nan, 2.0]), {"nan": True}),
    row("wanted-nan-everywhere", no_difference_above(1.0), np.zeros(3), np.full(3, np.nan), None),
    row("wanted-zeros-everywhere", allclose(), np.zeros(3), np.zeros(3), None),
    row("two-empties", lambda got, want: bool(np.all(got == want)), np.zeros(0), np.zeros(0), None),
    row("empty-and-scalar", allclose(), np.zeros(0), 1.0, {}),
    row("infinite-allowance", no_difference_above(np.inf), np.zeros(5), VECTOR, {"scale": np.inf}),
    row("allowance-of-32-on-numbers-within-3", allclose(atol=32), -NORMAL, NORMAL, {}),
    row("one-64th-of-the-batch", allclose(1e-4, 1e-4), 1 / 6 + 2e-6, 1 / 6, {}),
    row("constant-for-near-constants", allclose(1e-2), np.ones(9), np.linspace(0.995, 1.005, 9), {}),
    row("sum-of-a-softmax-has-no-gradient", allclose(atol=1e-6), np.zeros(4), np.array([1e-7, -1e-7, 2e-7, -2e-7]), {}),
    row("one-wrong-entry-of-many", allclose(1e-2), np.where(np.arange(5) == 1, VECTOR * 1.005, VECTOR), VECTOR, {}),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "got", "want", "settings"), WRONG_BUT_PASSED)
def test_a_wrong_answer_that_a_common_rule_takes_is_refused(rule, got, want, settings):
    assert rule(got, want)
    refused = (Failure, AuthoringError) if settings is None or settings.get("scale") else Failure
    with pytest.raises(refused):
        close(got, want, **(settings or {}))


ROWS, COLUMNS = (RNG.normal(size=shape).astype(np.float32) for shape in ((32, 1024), (1024, 32)))
PRODUCT = ROWS.astype(float) @ COLUMNS.astype(float)


def in_sequence(left, right):
    total = np.zeros((len(left), right.shape[1]), np.float32)
    for column, line in zip(left.T, right, strict=True):
        total += np.outer(column, line)
    return total


def ten_bits(numbers):
    """Round the mantissa as a tensor core does."""
    return (numbers.view(np.uint32) + np.uint32(0x1000) & np.uint32(0xFFFFE000)).view(np.float32)


LONG_SUM = {"growth": math.sqrt(1024)}

RIGHT_BUT_REFUSED = [
    row("float32-product", allclose(), ROWS @ COLUMNS, PRODUCT, LONG_SUM),
    row("float32-product-without-growth", allclose(1.3e-6, 1e-5), ROWS @ COLUMNS, PRODUCT, {}),
    row("float32-product-in-another-order", allclose(), in_sequence(ROWS, COLUMNS), PRODUCT, LONG_SUM),
    row("float32-product-relative-alone", allclose(1e-5, 0), ROWS @ COLUMNS, PRODUCT, LONG_SUM),
    row("product-in-ten-bits", allclose(1e-3), ten_bits(ROWS) @ ten_bits(COLUMNS), PRODUCT, {"accuracy": "float16"}),
    row("float32-against-a-tight-default", assert_allclose, np.exp(np.float32(10.1)), math.exp(10.1), {}),
    row("zero-after-cancelling", assert_allclose, 0.1 + 0.2 - 0.3, 0.0, {"scale": 0.3}),
    row("infinity-is-infinity", lambda got, want: abs(got - want) < 1e-5 if math.isfinite(want) else False,
        math.inf, math.inf, {}),
    row("zero-is-zero", by_own_size(1e-5), 1e-9, 0.0, {"scale": 1.0}),
    row("dict-of-floats", lambda got, want: got == want, {"loss": 0.1 + 0.2}, {"loss": 0.3}, {}),
    row("tuple-or-list", lambda got, want: got == want, (0.5, 0.25), [0.5, 0.25], {}),
    row("nan-where-nan-is-right", allclose(), np.array([np.nan, 1.0]), np.array([np.nan, 1.0]), {"nan": True}),
    row("numpy-scalar-as-text", lambda got, want: repr(got) == repr(want), np.float64(0.1), 0.1, {}),
    row("last-printed-digit", lambda got, want: f"{got:.6f}" == f"{want:.6f}", 0.353576, 0.353577, {"growth": 8}),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "got", "want", "settings"), RIGHT_BUT_REFUSED)
def test_a_right_answer_that_a_common_rule_refuses_passes(rule, got, want, settings):
    assert not rule(got, want)
    close(got, want, **settings)


@pytest.mark.parametrize("seed", range(8))
def test_a_long_dot_product_passes_in_any_order_once_its_scale_is_named(seed):
    """No growth saves a sum that cancels; the product of the norms, the size of what cancels, does."""
    left, right = np.random.default_rng(seed).normal(size=(2, 1024)).astype(np.float32)
    terms, want = left * right, left.astype(float) @ right.astype(float)
    size = float(np.linalg.norm(left) * np.linalg.norm(right))
    for order in (terms, terms[::-1], np.sort(terms), terms.reshape(32, 32).T.ravel()):
        close(np.cumsum(order, dtype=np.float32)[-1], want, scale=size)
    with pytest.raises(Failure):
        close(float(terms[:1008].sum()), want, scale=size)


def test_ten_bits_are_not_enough_unless_the_problem_says_so():
    assert not accepts(close, ten_bits(ROWS) @ ten_bits(COLUMNS), PRODUCT, **LONG_SUM)


def test_the_comparison_does_not_hang_on_functions_that_a_student_may_replace(monkeypatch):
    for module, name in ((np, "allclose"), (np, "isclose"), (np, "array_equal"), (np.testing, "assert_allclose")):
        monkeypatch.setattr(module, name, lambda *_, **__: True)
    assert not accepts(close, np.zeros(3), np.ones(3))
    assert not accepts(equal, [1, 2], [1, 3])


RIGHT = [
    row("float", close, 0.5, 0.5, {}),
    row("float64-scalar", close, np.float64(0.5), 0.5, {}),
    row("float32-scalar", close, np.float32(0.1), 0.1, {}),
    row("zero-dimensional", close, np.array(0.5), 0.5, {}),
    row("array-of-one", close, np.array([0.5]), 0.5, {}),
    row("list-of-one", close, [0.5], 0.5, {}),
    row("matrix-of-one", close, np.array([[0.5]]), 0.5, {}),
    row("wanted-as-a-numpy-scalar", close, 0.5, np.float32(0.5), {}),
    row("wanted-as-a-zero-dimensional-array", close, [0.5], np.array(0.5), {}),
    row("fraction", close, Fraction(1, 3), 1 / 3, {}),
    row("fraction-wanted", close, 1 / 3, Fraction(1, 3), {}),
    row("fractions-in-a-list", close, [Fraction(1, 3), 2], [1 / 3, 2.0], {}),
    row("integer", close, 3, 3.0, {}),
    row("integer-zero", close, 0, 0.0, {"scale": 1.0}),
    row("integers-in-an-array", close, np.array([1, 2], np.int8), [1.0, 2.0], {}),
    row("negative-zero", close, -0.0, 0.0, {"scale": 1.0}),
    row("negative-zero-exactly", equal, [-0.0, 1.0], [0, 1], {}),
    row("complex-without-imaginary-part", close, 0.5 + 0j, 0.5, {}),
    row("real-for-complex", close, 0.5, 0.5 + 0j, {}),
    row("complex64", close, np.array([1 + 2j], np.complex64), [1 + 2j], {}),
    row("float32-array", close, VECTOR.astype(np.float32), VECTOR, {}),
    row("half-precision-where-allowed", close, VECTOR.astype(np.float16), VECTOR, {"accuracy": "float16"}),
    row("list-for-array", close, NORMAL.tolist(), NORMAL, {}),
    row("tuple-for-array", close, tuple(map(tuple, NORMAL.tolist())), NORMAL, {}),
    row("array-for-list", close, NORMAL, NORMAL.tolist(), {}),
    row("rows-in-a-list", close, list(NORMAL), NORMAL, {}),
    row("list-of-one-element-arrays", close, [np.array([0.5]), np.array(0.25)], (0.5, 0.25), {}),
    row("list-of-one-element-arrays-for-an-array", close, [np.array([0.5]), 0.25], np.array([0.5, 0.25]), {}),
    row("rows-of-two-dtypes", close, [np.array([1, 2]), np.array([0.5, 1.5])], [[1, 2], [0.5, 1.5]], {}),
    row("rows-of-two-dtypes-exactly", equal, [np.array([2**53 + 1]), np.array([0.5])], [[2**53 + 1], [0.5]], {}),
    row("extended-precision-exactly", equal, np.array([0.5], np.longdouble), [Fraction(1, 2)], {}),
    row("large-integers-within-the-allowance", close, 10_000_001, 10_000_000, {}),
    row("stacked-for-a-list-of-arrays", close, np.ones((2, 3)), [np.ones(3), np.ones(3)], {}),
    row("sizes-of-unlike-scale", close, (3.0, NORMAL), [3.0, NORMAL], {}),
    row("keys-in-another-order", close, {"b": 2.0, "a": 1.0}, OrderedDict(a=1.0, b=2.0), {}),
    row("named-fields-for-a-tuple", close, {"slope": 2.0, "intercept": 1.0}, (2.0, 1.0), {}),
    row("named-fields-with-arrays", close, {"values": VECTOR, "vectors": NORMAL}, (VECTOR, NORMAL), {}),
    row("named-tuple-wanted", close, (2.0, 1.0), Line(2.0, 1.0), {}),
    row("none-beside-numbers", close, {"bias": None, "weight": [1.0]}, {"bias": None, "weight": [1.0]}, {}),
    row("truths", close, [True, False], np.array([True, False]), {}),
    row("truth-as-numpy", equal, np.True_, True, {}),
    row("same-infinity", close, [-math.inf, 0.5], np.array([-np.inf, 0.5]), {}),
    row("infinite-everywhere", close, [-math.inf], [-math.inf], {}),
    row("printed", close, 0.0353553, "0.035355", {}),
    row("printed-at-the-edge", close, 0.0353555, "0.035355", {}),
    row("printed-in-float32", close, np.float32(0.0353553), "0.035355", {}),
    row("printed-small", close, 9.0949e-13, "9.095e-13", {}),
    row("printed-negative", close, -0.25, "-.25", {}),
    row("printed-zero", close, 4e-5, "0.0000", {}),
    row("printed-integer", close, 36, "36.", {}),
    row("printed-list", close, np.array([0.2689414, 0.7310586]), ["0.26894", "0.73106"], {}),
    row("printed-array", close, [[0.26894]], np.array([["0.26894"]]), {}),
    row("printed-beside-a-number", close, (0.73106, 2.0), ("0.73106", 2.0), {}),
    row("count-as-float", equal, 86_433.0, 86_433, {}),
    row("count-as-numpy", equal, np.int64(86_433), 86_433, {}),
    row("counts-as-floats", equal, np.array([3.0, 4.0]), [3, 4], {}),
    row("counts-in-two-dtypes", equal, np.array([3, 4], np.uint8), np.array([3, 4]), {}),
    row("shape-as-list", equal, [[3, 4], [4]], ((3, 4), (4,)), {}),
    row("shape-as-array", equal, np.array([3, 4]), (3, 4), {}),
    row("half-exactly", equal, 0.5, Fraction(1, 2), {}),
    row("rational", equal, Fraction(2, 6), Fraction(1, 3), {}),
    row("rational-for-a-count", equal, Fraction(6, 2), 3, {}),
    row("huge-count", equal, 10**299 + 1, 10**299 + 1, {}),
    row("none", equal, None, None, {}),
    row("text", equal, "does not exist", "does not exist", {}),
    row("texts", equal, ("a", "b"), ["a", "b"], {}),
    row("texts-wanted-as-an-array", equal, ["a", "b"], np.array(["a", "b"]), {}),
    row("no-items", equal, (), [], {}),
    row("no-rows", equal, np.zeros((0,)), [], {}),
    row("wide-integer", close, np.array([2**63], np.uint64), [2**63], {}),
    row("extended-precision", close, np.array([0.1], np.longdouble), [0.1], {}),
]  # fmt: skip


@pytest.mark.parametrize(("compare", "got", "want", "settings"), RIGHT)
def test_a_right_answer_of_another_make_passes(compare, got, want, settings):
    compare(got, want, **settings)


BARELY_WRONG = [
    row("printed-beyond-half-a-unit", close, 0.0353557, "0.035355"),
    row("printed-too-coarsely", close, 0.27, ["0.26894"]),
    row("printed-in-tenths-of-a-small-number", close, 9.096e-13, "9.095e-13"),
    row("printed-whatever-the-scale", close, 0.0353557, "0.035355"),
    row("small-number-beside-nothing-large", close, 2e-9, 1e-9),
    row("second-array-of-a-small-scale", close, [np.full(2, 1e6), np.ones(2)], [np.full(2, 1e6), np.ones(2) + 1e-3]),
    row("fields-in-another-order", close, {"intercept": 1.0, "slope": 2.0}, (2.0, 1.0)),
    row("swapped-pair", close, (1.0, 2.0), (2.0, 1.0)),
    row("a-float-tolerance-on-counts", equal, 1_000_000.5, 1_000_000),
    row("one-parameter-too-many", equal, 50_209, 50_208),
]


@pytest.mark.parametrize(("compare", "got", "want"), BARELY_WRONG)
def test_a_wrong_answer_that_is_near_fails(compare, got, want):
    with pytest.raises(Failure):
        compare(got, want)


@pytest.mark.torch
def test_tensors_may_be_wanted_whatever_their_dtype_and_gradient():
    torch = pytest.importorskip("torch", reason="torch is not installed")
    weight = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    close([[1.0, 2.0], [3.0, 4.0]], weight)
    close({"w": np.ones((2, 2)), "loss": 0.5}, {"w": torch.ones(2, 2).to(torch.bfloat16), "loss": torch.tensor(0.5)})
    close(1 - 2j, torch.tensor(1 + 2j).conj())
    equal((2, 2), weight.shape)
    equal([0, 2], torch.tensor([0, 2]).to_sparse())
    assert not accepts(close, np.ones((2, 2)), weight)
