"""What `close`, `equal`, `agree` and `observed` promise: kinds of miss, sentences, allowances, no surprises."""

from __future__ import annotations

import contextlib
import functools
import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from grader.compare import agree, close, equal, observed
from grader.errors import AuthoringError, Failure
from grader.leaf import Rule, measure, read, swift

EPS32 = 2.0**-23
HUGE = int("9" * 300)
DEEP = functools.reduce(lambda inner, _: [inner], range(5000), 1.0)


@dataclass(frozen=True)
class Handle:
    """Stands for an object that stayed in the child."""

    id: int
    kind: str


def row(identity, *values):
    return pytest.param(*values, id=identity)


def failure(compare, got, want, **settings):
    with pytest.raises(Failure) as caught:
        compare(got, want, **settings)
    return caught.value


KINDS = [
    row("none-for-a-number", close, None, 1.0, "type"),
    row("none-for-an-array", close, None, np.ones(3), "type"),
    row("text-for-a-number", close, "1.0", 1.0, "type"),
    row("text-for-printed-digits", close, "0.5", "0.5", "type"),
    row("text-among-numbers", close, [1.0, "2"], [1.0, 2.0], "type"),
    row("dict-for-a-number", close, {}, 1.0, "type"),
    row("named-number-for-a-number", close, {"x": 1.0}, 1.0, "type"),
    row("object-for-a-number", close, Handle(1, "Net"), 1.0, "type"),
    row("true-for-one", close, True, 1.0, "type"),
    row("one-for-true", close, 1, True, "type"),
    row("truths-for-ones", close, np.array([True, True]), np.ones(2), "type"),
    row("ones-for-truths", close, np.ones(2), np.array([True, True]), "type"),
    row("one-true-among-numbers", close, [1.0, True], np.ones(2), "type"),
    row("number-for-none", close, 0.0, None, "type"),
    row("number-for-a-dict", close, 1.0, {"a": 1.0}, "type"),
    row("list-for-a-dict", close, [1.0], {"a": 1.0}, "type"),
    row("dict-for-an-array", close, {"a": 1.0}, np.ones(1), "type"),
    row("number-for-a-pair-of-arrays", close, 1.0, [np.ones(2), np.ones(3)], "type"),
    row("wrong-truth", close, False, True, "value"),
    row("number-for-an-array", close, 1.0, np.ones(3), "shape"),
    row("array-for-a-number", close, np.ones(3), 1.0, "shape"),
    row("ragged-for-a-matrix", close, [[1.0, 2.0], [3.0]], np.ones((2, 2)), "shape"),
    row("too-few-numbers", close, [1.0, 2.0], [1.0, 2.0, 3.0], "shape"),
    row("empty-for-numbers", close, [], [1.0, 2.0, 3.0], "shape"),
    row("too-few-arrays", close, [np.ones(2)], [np.ones(2), np.ones(3)], "length"),
    row("missing-key", close, {"a": 1.0}, {"a": 1.0, "b": 2.0}, "keys"),
    row("extra-key", close, {"a": 1.0, "b": 2.0}, {"a": 1.0}, "keys"),
    row("half-precision", close, np.ones(3, np.float16), np.ones(3), "dtype"),
    row("half-precision-in-a-list", close, [np.float16(1)], [1.0], "dtype"),
    row("nan", close, [1.0, math.nan], [1.0, 2.0], "NaN"),
    row("infinity", close, math.inf, 1.0, "NaN"),
    row("finite-for-infinity", close, 1e300, math.inf, "NaN"),
    row("other-infinity", close, -math.inf, math.inf, "NaN"),
    row("complex-nan", close, complex(1, math.nan), 1.0, "NaN"),
    row("value", close, 1.1, 1.0, "value"),
    row("complex-whose-size-overflows", close, complex(1.6e308, 1.6e308), complex(1.7e308, 1.7e308), "value"),
    row("huge-integer", close, HUGE, 3.0, "value"),
    row("integer-beyond-floats", close, 10**400, 3.0, "value"),
    row("negative-integer-beyond-floats", close, [-(10**400), 1j], [3.0, 1.0], "value"),
    row("nested-a-thousand-deep", close, DEEP, np.ones(3), "type"),
    row("count-off-by-one", equal, 2**60 + 1, 2**60, "value"),
    row("float-near-a-count", equal, 50208.00001, 50208, "value"),
    row("integer-rounded-to-a-float", equal, float(2**53), 2**53 + 1, "value"),
    row("array-rounded-to-floats", equal, np.array([2.0**53]), np.array([2**53 + 1]), "value"),
    row("unsigned-next-to-signed", equal, np.array([2**63], np.uint64), np.array([2**63 - 1]), "value"),
    row("huge-count", equal, HUGE, HUGE - 1, "value"),
    row("tenth-is-no-float", equal, 0.1, Fraction(1, 10), "value"),
    row("true-is-not-one", equal, True, 1, "type"),
    row("one-is-not-true", equal, 1, True, "type"),
    row("text-with-a-space", equal, "yes ", "yes", "value"),
    row("text-in-capitals", equal, "Yes", "yes", "value"),
    row("number-for-text", equal, 3, "3", "type"),
    row("text-for-a-count", equal, "3", 3, "type"),
    row("none-for-text", equal, None, "no", "type"),
    row("list-for-text", equal, ["a", "b"], "ab", "type"),
    row("text-among-texts", equal, ["a", "c"], ["a", "b"], "value"),
    row("shape-as-a-column", equal, np.ones((3, 1)), [1, 1, 1], "shape"),
    row("empty-dict-for-empty-list", equal, {}, [], "type"),
    row("empty-list-for-none", equal, [], None, "type"),
    row("empty-of-another-shape", equal, np.ones((0, 3)), np.ones((0, 2)), "shape"),
    row("nan-for-a-count", equal, math.nan, 3, "NaN"),
]


@pytest.mark.parametrize(("compare", "got", "want", "kind"), KINDS)
def test_a_miss_names_its_kind_and_a_share_above_one(compare, got, want, kind):
    missed = failure(compare, got, want)
    assert missed.kind == kind
    assert missed.share > 1


AUTHOR = [
    row("zero", close, 0.0, 0.0, {}, "scale="),
    row("zeros", close, np.ones(3), np.zeros(3), {}, "scale="),
    row("zero-beside-infinity", close, [0.0, math.inf], [0.0, math.inf], {}, "scale="),
    row("empty", close, [], [], {}, "empty"),
    row("empty-dict", close, {}, {}, {}, "empty"),
    row("nan", close, 1.0, math.nan, {}, "NaN"),
    row("nan-in-a-count", equal, 1.0, math.nan, {}, "NaN"),
    row("words", close, 1.0, "about one", {}, "printed number"),
    row("word-nan", close, 1.0, "nan", {}, "printed number"),
    row("underscore", close, 1000.0, "1_000", {}, "printed number"),
    row("object", close, 1.0, Handle(1, "Net"), {}, "Net"),
    row("object-for-equal", equal, Handle(1, "Net"), Handle(1, "Net"), {}, "Net"),
    row("no-such-accuracy", close, 1.0, 1.0, {"accuracy": "bfloat16"}, "accuracy"),
    row("scale-zero", close, 1.0, 1.0, {"scale": 0}, "scale"),
    row("scale-infinite", close, 1.0, 1.0, {"scale": math.inf}, "scale"),
    row("scale-nan", close, 1.0, 1.0, {"scale": math.nan}, "scale"),
    row("scale-array", close, 1.0, 1.0, {"scale": [1.0, 2.0]}, "scale"),
    row("growth-infinite", close, 1.0, 1.0, {"growth": math.inf}, "growth"),
    row("growth-swallows-all", close, 1.0, 1.0, {"growth": 1e6}, "half"),
]  # fmt: skip


@pytest.mark.parametrize(("compare", "got", "want", "settings", "word"), AUTHOR)
def test_what_cannot_be_judged_is_the_authors_error_whatever_was_got(compare, got, want, settings, word):
    for answer in (got, None, "text"):
        with pytest.raises(AuthoringError, match=word):
            compare(answer, want, **settings)


def test_what_is_wanted_may_be_nested_only_so_deep():
    for compare in (close, equal):
        with pytest.raises(AuthoringError, match="deep"):
            compare(DEEP, DEEP)
    assert not agree(DEEP, DEEP)


def test_an_authors_error_inside_containers_names_the_path():
    with pytest.raises(AuthoringError, match=r"\['grad'\]\[1\]"):
        close({"grad": [np.ones(2), np.ones(3)]}, {"grad": [np.ones(2), np.zeros(3)]})


SENTENCES = [
    row("worst-of-a-matrix", close, [[1, 0.5], [0.25, 0.125]], np.array([[1, 0.5], [0.5, 0.1251]]),
        "value at [1, 0]: got 0.25, want 0.5 (off by 0.25, allowed 2.9e-06); 2 of 4 values are off"),
    row("number", close, 0.25, 0.125, "got 0.25, want 0.125 (off by 0.125, allowed 4.8e-07)"),
    row("digits-that-show-it", close, 1.00001234, 1.0,
        "got 1.000012, want 1 (off by 1.23e-05, allowed 3.8e-06)"),
    row("path", close, {"loss": [np.ones(2), [1.0, 3.0]]}, {"loss": [np.ones(2), [1.0, 2.0]]},
        "value at ['loss'][1][1]: got 3, want 2 (off by 1, allowed 7.6e-06); 1 of 2 values is off"),
    row("printed", close, [0.5, 0.519688], ["0.5", "0.519686"],
        "value at [1]: got 0.519688, want 0.519686 (off by 2e-06, allowed 5e-07); 1 of 2 values is off"),
    row("column", close, np.ones((4, 1)), np.ones(4),
        "got shape (4, 1), want shape (4,): the numbers are right, the shape is not"),
    row("wrong-column", close, np.zeros((4, 1)), np.ones(4), "got shape (4, 1), want shape (4,)"),
    row("transposed", close, np.arange(6.0).reshape(3, 2), np.arange(6.0).reshape(3, 2).T,
        "got shape (3, 2), want shape (2, 3): transposed, it would be right"),
    row("shape-at-a-path", close, {"w": 1.0}, {"w": np.ones(3)}, "got a number at ['w'], want shape (3,)"),
    row("nothing-returned", close, None, 1.0, "got None (is a return missing?), want a number"),
    row("nothing-in-a-list", close, [1.0, None], [1.0, 2.0],
        "value at [1]: got None (is a return missing?), want a number"),
    row("object", close, Handle(3, "ConvVAE"), np.ones(2),
        "got an object of type ConvVAE, want numbers of shape (2,)"),
    row("nan", close, [1.0, math.nan, math.inf], [1.0, 2.0, 3.0],
        "value at [1]: got nan, want 2; 2 of 3 values are off"),
    row("keys", close, {"a": 1, "c": 3}, {"a": 1, "b": 2}, "keys: missing 'b', not asked for 'c'"),
    row("lengths", equal, [[1], [1, 2]], [[1], [1, 2], []], "got 2 items, want 3"),
    row("counts", equal, [3, 4, 5], [3, 5, 5], "value at [1]: got 4, want 5; 1 of 3 values is off"),
    row("rationals", equal, Fraction(1, 3), Fraction(2, 3), "got 1/3, want 2/3"),
    row("text", equal, "it exists", "it exits", "got 'it exists', want 'it exits'; they differ from letter 7 on"),
    row("truth", equal, True, False, "got True, want False"),
]  # fmt: skip


@pytest.mark.parametrize(("compare", "got", "want", "sentence"), SENTENCES)
def test_a_miss_is_one_sentence_with_place_got_wanted_allowed_and_count(compare, got, want, sentence):
    assert str(failure(compare, got, want)) == sentence


HOSTILE = "\n\x1b[31m\u202e'\"\ud800" * 40_000


def far(number):
    return functools.reduce(lambda inner, _: {"k" * 60: inner}, range(12), number)


LONG = [
    row("hostile-text", equal, HOSTILE, "yes"),
    row("hostile-text-for-a-number", close, HOSTILE, 1.0),
    row("hostile-keys", close, {HOSTILE + str(i): 1 for i in range(50)}, {"a": 1.0}),
    row("hostile-type-name", close, Handle(1, HOSTILE), 1.0),
    row("hostile-list", close, [HOSTILE] * 100_000, 1.0),
    row("long-list", close, [0.0] * 100_000, np.ones(100_000)),
    row("long-list-of-rows", close, [[0.0]] * 100_000, np.ones(100_000)),
    row("long-digits", equal, Fraction(HUGE, HUGE - 1), 1),
    row("endless-digits", equal, 10**5000, 1),
    row("many-axes", close, np.ones((1,) * 30), np.ones((1,) * 31)),
    row("deep-keys", close, 1.0, {"k" * 1000: {"k" * 1000: 1.0}}),
    row("deep-wanted-keys", close, far(2.0), far(1.0)),
]


@pytest.mark.parametrize(("compare", "got", "want"), LONG)
def test_a_sentence_is_short_and_printable_whatever_was_got(compare, got, want):
    sentence = str(failure(compare, got, want))
    assert len(sentence) <= 400
    assert sentence.isprintable()


def test_long_texts_that_differ_in_the_middle_show_their_ends_and_the_place():
    sentence = str(failure(equal, "a" * 100 + "b" + "c" * 100, "a" * 100 + "d" + "c" * 100))
    assert "letter 101" in sentence


def test_observed_collects_passed_leaves_and_the_miss():
    with observed() as shares:
        close([1.0, 1.0 + 2 * EPS32], [1.0, 1.0])
        close({"a": 1.0, "b": (np.ones(2), True, None)}, {"a": 1.0, "b": [np.ones(2), True, None]})
        equal(3, 3)
        agree(1.0, 2.0)
        failure(close, [1.0, 2.0], [2.0, 2.0])
        failure(equal, 3, 4)
    assert shares[:4] == [2 * EPS32 / (16 * EPS32 * (1 + 1)), 0.0, 0.0, 0.0]
    assert shares[4:] == [1.0 / (16 * EPS32 * 4), math.inf]


def test_observed_ends_with_its_block_and_the_innermost_collects():
    with observed() as outer:
        with observed() as inner:
            close(1.0, 1.0)
        equal(1, 1)
    close(1.0, 1.0)
    assert (len(inner), len(outer)) == (1, 1)


AGREE = [
    row("zeros", np.zeros(3), [0, 0.0, -0.0], True),
    row("zero-and-nearly", 1e-300, 0.0, False),
    row("nan-in-place", [1.0, math.nan], [1.0, math.nan], True),
    row("nan-out-of-place", [math.nan, 1.0], [1.0, math.nan], False),
    row("infinities", [math.inf, -math.inf], [math.inf, -math.inf], True),
    row("empty", [], np.ones(0), True),
    row("empty-dicts", {}, {}, True),
    row("text", "0.5", "0.5", True),
    row("text-is-not-its-number", 0.5, "0.5", False),
    row("digits-as-text", "0.50", "0.5", False),
    row("counts", 10_000_001, 10_000_000, False),
    row("counts-in-arrays", np.array([10_000_001]), np.array([10_000_000]), False),
    row("counts-in-floats", 10_000_001.0, 10_000_000, True),
    row("objects-of-one-type", Handle(1, "Net"), Handle(7, "Net"), True),
    row("objects-of-two-types", Handle(1, "Net"), Handle(1, "Block"), False),
    row("text-named-as-a-type", "Net", Handle(1, "str"), False),
    row("half-precision", np.array([0.5, 2.0], np.float16), [0.5, 2.0], True),
    row("none", None, None, True),
    row("column", np.ones((3, 1)), np.ones(3), False),
    row("rounding", 0.1 + 0.2, 0.3, True),
    row("within-the-default-allowance", 1 + 31 * EPS32, 1.0, True),
    row("beyond-the-default-allowance", 1 + 33 * EPS32, 1.0, False),
    row("huge", HUGE, HUGE + 1, False),
    row("mixed", {"a": [1.0, None, "x", {}]}, {"a": (1.0, None, "x", {})}, True),
]


@pytest.mark.parametrize(("one", "other", "same"), AGREE)
def test_agree_tells_whether_two_answers_are_one(one, other, same):
    assert agree(one, other) is same


NUMBERS = st.one_of(
    st.integers(-(10**300) + 1, 10**300 - 1),
    st.floats(),
    st.complex_numbers(),
    st.fractions(),
    st.sampled_from([HUGE, Fraction(HUGE, 7), 0, 1, -0.0, 2**63, 5e-324, 1.7e308, complex(1.7e308, 1.7e308)]),
)
DTYPES = st.sampled_from(["?", "i1", "u1", "i4", "i8", "u8", "f2", "f4", "f8", "c8", "c16"])
ARRAYS = DTYPES.flatmap(
    lambda dtype: hnp.arrays(dtype, hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=3))
)
HANDLES = st.builds(Handle, st.integers(0, 9), st.sampled_from(["Net", "str", "ndarray"]))
LEAVES = st.one_of(
    st.none(), st.booleans(), NUMBERS, st.text(max_size=5), st.sampled_from(["0.5", "9e-3"]), ARRAYS, HANDLES
)
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.lists(inner, max_size=4).map(tuple),
        st.dictionaries(st.one_of(st.sampled_from("abc"), st.integers(0, 3)), inner, max_size=3),
    ),
    max_leaves=8,
)
PAIRS = st.one_of(st.tuples(VALUES, VALUES), VALUES.map(lambda value: (value, value)))


@hypothesis_settings(deadline=None, max_examples=300)
@given(pair=PAIRS, nan=st.booleans(), scale=st.sampled_from([None, 1.0, 1e300]))
def test_any_two_values_are_judged_or_refused_and_nothing_else_is_raised(pair, nan, scale):
    got, want = pair
    for compare in (lambda: close(got, want, nan=nan, scale=scale), lambda: equal(got, want)):
        with contextlib.suppress(Failure, AuthoringError):
            compare()
    assert agree(got, want) in {True, False}


@hypothesis_settings(deadline=None, max_examples=200)
@given(value=VALUES)
def test_every_value_agrees_with_itself(value):
    assert agree(value, value)


FINITE = DTYPES.filter(lambda dtype: dtype not in {"?", "f2"}).flatmap(
    lambda dtype: hnp.arrays(
        dtype,
        hnp.array_shapes(min_dims=0, max_dims=3, min_side=1, max_side=3),
        elements={"allow_nan": False, "allow_infinity": False} if dtype[0] in "fc" else None,
    )
)


@hypothesis_settings(deadline=None)
@given(want=FINITE.filter(np.any))
def test_a_finite_array_is_close_and_equal_to_itself(want):
    for accuracy in ("float16", "float32", "float64"):
        close(want, want, accuracy=accuracy)
    equal(want, want)
    close(want.tolist(), want)


@hypothesis_settings(deadline=None)
@given(
    want=hnp.arrays(float, hnp.array_shapes(max_dims=2), elements=st.floats(-1e6, 1e6, allow_subnormal=False)),
    accuracy=st.sampled_from([("float16", 2.0**-10), ("float32", EPS32), ("float64", 2.0**-52)]),
    growth=st.floats(1, 30),
    scale=st.one_of(st.none(), st.floats(1e-3, 1e6)),
    data=st.data(),
)
def test_an_allowance_admits_half_of_itself_and_refuses_twice(want, accuracy, growth, scale, data):
    if scale is None and np.abs(want).max() < 1e-100:
        want = want + 1.0
    name, eps = accuracy
    at = np.unravel_index(data.draw(st.integers(0, want.size - 1)), want.shape)
    allowed = 16 * eps * growth * (abs(want[at]) + (np.abs(want).max() if scale is None else scale))
    got, wrong = want.copy(), want.copy()
    got[at] += 0.49 * allowed
    wrong[at] -= 2 * allowed
    close(got, want, accuracy=name, growth=growth, scale=scale)
    missed = failure(close, wrong, want, accuracy=name, growth=growth, scale=scale)
    assert missed.share == pytest.approx(2, rel=0.1)
    assert missed.kind == "value"


@given(
    pair=PAIRS | st.tuples(st.floats(), st.floats()) | FINITE.map(lambda want: (want * (1 + 2.0**-24), want)),
    rule=st.builds(
        Rule, st.sampled_from(["close", "agree"]), scale=st.sampled_from([None, 1.0, 1e300]), nan=st.booleans()
    ),
)
def test_the_swift_way_says_what_the_long_way_says(pair, rule):
    """Where two floats or two arrays of floats are compared at once, the share is the same to the last bit."""
    share = swift(*pair, rule)
    if share is not None:
        leaf = read(pair[1], "", rule)
        assert leaf is not None
        assert share == measure(pair[0], leaf, "", rule)
    equal(math.pi, math.pi)
    assert swift(3, 3, Rule("equal")) == 0.0
    assert swift(3, 4, Rule("equal")) is swift(True, True, Rule("equal")) is swift(0.5, 1.5, Rule("close")) is None
