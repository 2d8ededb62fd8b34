"""Two arrays are shown so that the wrong place can be seen, by a mark as well as by colour, in the width there is."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from rich.cells import cell_len

from grader import close, equal
from grader.errors import Failure
from grader.excerpt import COLUMNS, ROWS
from grader.report import figures
from grader.student import Call


def missed(compare, got, want, **how):
    with pytest.raises(Failure) as caught:
        compare(got, want, **how)
    return caught.value.miss


def shown(miss, width=74):
    lines = figures.side_by_side(miss.excerpt, width)
    assert all(cell_len(line.plain) <= width for line in lines)
    assert all(line.plain == line.plain.rstrip() for line in lines)
    return [line.plain for line in lines]


def spoilt(shape, *places, by=1.0):
    want = np.arange(1.0, 1 + math.prod(shape)).reshape(shape)
    got = want.copy()
    for place in places:
        got[place] += by
    return got, want


def test_a_line_of_numbers_is_shown_under_its_places():
    assert shown(missed(close, [1.0, 2.0, 4.0, 4.0], [1.0, 2.0, 3.0, 4.0])) == [
        "        [0]  [1]  [2]  [3]",
        "got       1    2    4*   4",
        "wanted    1    2    3    4",
    ]


def test_a_matrix_is_shown_beside_what_was_wanted():
    assert shown(missed(close, *spoilt((2, 3), (0, 1), (1, 2)))) == [
        "got  [0]  [1]  [2]   wanted  [0]  [1]  [2]",
        "[0]    1    3*   3   [0]       1    2    3",
        "[1]    4    5    7*  [1]       4    5    6",
    ]


def test_a_matrix_too_wide_for_that_is_shown_above_it_and_one_too_wide_altogether_is_cut():
    got, want = spoilt((2, 8), (1, 7), by=1e-3)
    lines = shown(missed(close, got / 7, want / 7), width=60)
    assert [line.split()[0] for line in lines if "[7]" in line] == ["got", "wanted"]
    narrow = shown(missed(close, got / 7, want / 7), width=30)
    assert narrow[0].startswith("(columns ")
    assert narrow[0].endswith(" to 7 of 8)")
    assert "*" in "".join(narrow)


def test_so_many_digits_are_shown_as_tell_the_wrong_from_the_right():
    lines = shown(missed(close, [1.0, 2.00001], [1.0, 2.0], accuracy="float64"))
    assert lines[1].split() == ["got", "1", "2.00001*"]
    assert lines[2].split() == ["wanted", "1", "2"]


def test_of_a_large_array_the_rows_around_the_first_miss_are_shown():
    miss = missed(close, *spoilt((40, 30), (20, 10), (39, 29)))
    lines = shown(miss)
    assert miss.first == "[20, 10]"
    assert lines[0].startswith("(rows 18 to 24 of 40, columns 8 to ")
    assert next(line for line in lines if line.startswith("[20]")).split()[3] == "612*"
    assert (len(miss.excerpt.rows), len(miss.excerpt.columns)) == (ROWS, COLUMNS)


def test_of_an_array_of_more_axes_the_last_two_are_shown_where_the_first_miss_is():
    lines = shown(missed(close, *spoilt((3, 2, 2, 2), (2, 1, 0, 1))))
    assert lines[0] == "(at [2, 1, ...])"
    assert lines[2].split()[:3] == ["[0]", "21", "23*"]


@pytest.mark.parametrize(
    ("compare", "got", "want", "cells"),
    [
        (close, [1.0, math.nan], [1.0, 2.0], ["nan*"]),
        (equal, [True, False], [True, True], ["False*"]),
        (equal, [3, 10**30], [3, 4], ["1000000000000000000000000000000*"]),
        (equal, [Fraction(1, 3), 1], [Fraction(1, 2), 1], ["1/3*"]),
        (close, [1.0, 1 + 2j], [1.0, 1 + 1j], ["1+2j*"]),
    ],
    ids=["nan", "booleans", "long integers", "fractions", "complex"],
)
def test_numbers_of_every_kind_are_shown(compare, got, want, cells):
    assert [cell for cell in shown(missed(compare, got, want))[1].split() if "*" in cell] == cells


def test_one_number_alone_needs_no_picture():
    assert missed(close, 1.0, 2.0).excerpt is None
    assert missed(close, [1.0], [2.0]).excerpt is None


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (np.array([[1.0, 0.5], [-2.0, 1e-9]]), "[[1, 0.5], [-2, 1e-09]], shape (2, 2), float64"),
        (np.array(2, dtype=np.int64), "2, int64"),
        ((np.array([1.0]), "text"), "([1], shape (1,), float64, 'text')"),
        ({"w": np.array([True])}, "{'w': [True], shape (1,), bool}"),
        (np.zeros((100, 100)), "[[0, 0, ..., 0, 0], [0, 0, ..., 0, 0…, shape (100, 100), float64"),
        ("a" * 200, "'" + "a" * 72 + "…"),
        (None, "None"),
    ],
    ids=["matrix", "number", "tuple", "dict", "large", "long text", "none"],
)
def test_a_value_is_written_in_short_with_shape_and_dtype(value, text):
    assert figures.written(value, 74) == text


def test_a_call_is_spelled_with_what_came_of_it():
    call = Call(("f",), (np.array([1.0]),), {"n": 2}, tensors=False, value=[0.5])
    assert figures.spelled(call, 74) == "f([1], shape (1,), float64, n=2) -> [0.5]"
