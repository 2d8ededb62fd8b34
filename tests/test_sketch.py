"""A picture shows where an array misses: which cells, which way and how much, in few bytes; and says when it cannot."""

from __future__ import annotations

import json
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader import Failure, close, equal, picture, sketch
from grader.compare import agree
from grader.documents import pack, unpack
from grader.verdict import CheckResult, Status, Verdict

LARGEST = 4096  # bytes of a picture
WANT = np.arange(1.0, 7).reshape(2, 3)
PAW = np.array([[0.0, 1, 1, 0], [1, 0, 1, 0], [1, 1, 0, 1], [0, 0, 1, 0]])


def missed(got, want, compare=close, **how):
    with pytest.raises(Failure) as caught:
        compare(got, want, **how)
    return caught.value.picture


def test_cells_say_which_way_and_how_far():
    """Under a hundredth of the worst miss, under a tenth, under half: three strengths; the fourth is beyond."""
    got = np.array([[1.0, 2.001, 2.95], [4.3, 4.0, 6.0]])
    made = missed(got, WANT)
    assert (made.lines(), made.off, made.shape) == ((".Ab", "Cd."), 4, (2, 3))
    assert made.size == 6


def test_what_no_number_measures_has_a_letter_of_its_own():
    got = np.array([[np.nan, 2, 3], [np.inf, 5, 7]])
    assert missed(got, WANT).lines() == ("x..", "x.D")
    assert missed(np.array([True, False] * 2), np.array([True] * 4), equal).cells == ".x.x"
    assert missed(np.full(4, 1 + 1j), np.array([1 + 1j, 1, 1, 1])).cells == ".xxx"


@pytest.mark.parametrize(
    ("got", "want"),
    [
        ([1, 2, 3, 5], [1, 2, 3, 4]),
        ([1, 2, 3, Fraction(9, 2)], (1, 2, 3, 4)),
        ([0.5, 2, 3, 5], ["0.50", "2", "3", "4"]),
    ],
)
def test_whatever_numbers_are_made_of_is_drawn(got, want):
    assert missed(got, want).cells == "...D"


@pytest.mark.parametrize(
    ("got", "want"), [(1.0, 2.0), ([1.0, 2, 4], [1.0, 2, 3]), (np.ones((3, 2)), WANT), (None, WANT), ("text", "other")]
)
def test_where_the_sentence_says_all_there_is_no_picture(got, want):
    assert missed(got, want, equal if isinstance(want, str) else close) is None


def test_it_says_where_in_the_answer_the_array_stands():
    assert missed({"loss": 1.0, "grad": [WANT, WANT + 1]}, {"loss": 1.0, "grad": [WANT, WANT]}).path == "['grad'][1]"


def test_of_more_axes_the_two_last_are_shown_where_the_worst_is():
    want = np.ones((2, 3, 4, 5))
    got = want.copy()
    got[1, 2, 3, 4], got[0, 0, 0, 0] = 9, 2
    made = missed(got, want)
    assert (made.place, made.off, made.lines()[3], set(made.cells)) == ((1, 2), 2, "....D", {".", "D"})


def test_a_large_array_is_shown_by_the_worst_of_its_blocks():
    want = np.ones((100, 100))
    got = want.copy()
    got[99, 99], got[0, 0], got[0, 1] = 9, 0, 1.5
    made = missed(got, want)
    assert (made.block, made.rows, made.columns, made.off) == ((5, 3), 20, 34, 3)
    assert made.lines()[0][0] == "c"
    assert made.lines()[-1][-1] == "D"
    assert made.cells.count(".") == 20 * 34 - 2


def test_a_row_of_numbers_is_kept_for_two_lines():
    made = missed([0.0, 1, 2, 3, 4, np.nan], [0.0, 1, 2, 3, 1 / 3, 5])
    assert made.got == (0, 1, 2, 3, 4, None)
    assert made.wanted == (0, 1, 2, 3, 0.3333, 5)
    assert missed(np.zeros(65), np.ones(65)).got == ()
    assert missed(np.zeros(5), np.ones(5)).got == ()


@given(st.lists(st.integers(1, 90), min_size=1, max_size=3), st.integers(0, 2**32 - 1), st.booleans())
def test_a_picture_is_small_whatever_the_array_and_is_kept_without_loss(shape, seed, spoiled):
    rng = np.random.default_rng(seed)
    want = rng.normal(size=shape)
    got = want + rng.normal(size=shape) * 10.0 ** rng.integers(-2, 300)
    if spoiled:
        got.flat[:: rng.integers(1, 9)] = np.nan
    made = missed(got, want)
    if want.size < sketch.LEAST:
        assert made is None
        return
    on = sketch.on_graph(made, [np.kron(np.eye(8), 1 - np.eye(2)), np.ones((want.shape[0],) * 2)])
    check = CheckResult("c", True, "p", Status.FAILED, 0.0, 1.0, "p", picture=on)
    verdict = Verdict.of("slug", (check,), manual_points=0, tier=2, device="cpu", dtype="float64")
    assert unpack(pack(verdict)) == verdict
    assert len(json.dumps(picture.data(on), allow_nan=False)) <= LARGEST
    assert len(made.cells) == made.rows * made.columns
    assert hash(on) == hash(on)


def test_a_largest_graph_with_all_that_a_picture_holds_is_small():
    nodes = sketch.NODES[1]
    joined = 1 - np.eye(nodes)
    joined[0, 1] = joined[1, 0] = 0
    made = sketch.on_graph(missed(np.full(nodes, -1.234e-300), np.full(nodes, 1.234e-300)), [joined])
    assert made.nodes == nodes
    assert len(json.dumps(picture.data(made))) <= LARGEST


def test_a_check_without_a_picture_is_kept_as_before():
    check = CheckResult("c", True, "p", Status.PASSED, 1.0, 1.0, "p")
    verdict = Verdict.of("slug", (check,), manual_points=0, tier=2, device="cpu", dtype="float64")
    older = json.loads(pack(verdict))
    del older["checks"][0]["picture"]
    assert unpack(json.dumps(older)) == unpack(pack(verdict)) == verdict


def test_rows_of_an_answer_are_nodes_of_the_graph_that_was_given():
    made = missed(np.ones((4, 2)), np.zeros((4, 2)), scale=1)
    normalised = (PAW + np.eye(4)) / 3
    assert sketch.on_graph(made, [2, np.eye(4), PAW]).edges == ((0, 1), (0, 2), (1, 2), (2, 3))
    assert sketch.on_graph(made, [normalised]).nodes == 4


@pytest.mark.parametrize(
    "given",
    [np.eye(4), np.ones((4, 4)), np.triu(PAW), -PAW, PAW[:3, :3], PAW * np.nan, PAW.tolist(), PAW.astype(str), None],
    ids=["no edges", "all joined", "one way", "negative", "other size", "nan", "list", "text", "none"],
)
def test_what_is_no_graph_is_not_drawn_as_one(given):
    made = missed(np.ones((4, 2)), np.zeros((4, 2)), scale=1)
    assert sketch.on_graph(made, [given]) == made


def test_who_only_asks_whether_gets_no_picture(monkeypatch):
    monkeypatch.setattr("grader.leaf.drawn", lambda *_: pytest.fail("drawn for nobody"))
    assert not agree(np.ones(9), np.zeros(9))
