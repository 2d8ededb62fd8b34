"""The worked solution of `coin_flips` against exact fractions, enumeration of all flips, and the text's own numbers."""

from __future__ import annotations

import importlib.util
import math
from fractions import Fraction
from itertools import pairwise, product
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[1]
X = np.array([0.0, 1.0, 2.0, 3.0])
FLIPS = np.array([0.0, 1.0, 0.0, 1.0])
NEW = np.array([0.5, 1.5, 2.5])
GIVEN = (0.0, 1.0, np.array([1.0, 1.0]), np.array([-1.0, -2.0]), np.array([-2.0, 2.0]))


def _load(path):
    spec = importlib.util.spec_from_file_location(f"loaded_{path.stem}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


flips = _load(ROOT / "reference" / "coin_flips.py")


def _fractions(array):
    return [Fraction(number) for number in array.tolist()]


def _exact_slopes(x, y):
    points = list(zip(_fractions(x), _fractions(y), strict=True))
    return [(d - b) / (c - a) for (a, b), (c, d) in pairwise(points)]


def _exact_line(x, y):
    """The normal equations, solved by Cramer's rule."""
    x, y, n = _fractions(x), _fractions(y), len(x)
    sx, sy, sxx, sxy = sum(x), sum(y), sum(t * t for t in x), sum(t * u for t, u in zip(x, y, strict=True))
    below = n * sxx - sx * sx
    return (sxx * sy - sx * sxy) / below, (n * sxy - sx * sy) / below


def _over_all_flips(p, q):
    """Mean and variance of the loss over all rows of flips, exactly."""
    p, q = [Fraction(number) for number in p], Fraction(q)
    rows = list(product([0, 1], repeat=len(p)))
    chances = [math.prod(q if flip else 1 - q for flip in row) for row in rows]
    losses = [sum((t - flip) ** 2 for t, flip in zip(p, row, strict=True)) / len(p) for row in rows]
    mean = sum(chance * loss for chance, loss in zip(chances, losses, strict=True))
    return mean, sum(chance * (loss - mean) ** 2 for chance, loss in zip(chances, losses, strict=True))


def _drawn(seed, n=6):
    rng = np.random.default_rng(seed)
    x = rng.integers(-8, 9) / 4 + np.cumsum(2.0 ** rng.integers(-2, 3, n))
    return x, rng.integers(-4, 5, n) / 4


# The text's numbers


def test_the_given_network_meets_the_labels_with_slopes_one_minus_one_one():
    assert flips.forward(X, GIVEN).tolist() == [0, 1, 0, 1]
    assert flips.mse(flips.forward(X, GIVEN), FLIPS) == 0
    probes = flips.forward(np.array([-1, 0, 1.25, 1.75, 5, 6]), GIVEN)
    assert np.diff(probes)[::2].tolist() == [1, -0.5, 1]
    assert flips.slopes(X, FLIPS).tolist() == [1, -1, 1]


def test_three_changes_of_label_and_two_kinks():
    assert flips.counts(X, FLIPS) == {"label_changes": 3, "kinks": 2}


def test_the_reference_finds_the_network_of_the_text():
    a, b, w, c, v = flips.network(X, FLIPS)
    assert (a, b, w.tolist(), c.tolist(), v.tolist()) == (0, 1, [1, 1], [-1, -2], [-2, 2])


def test_the_line_its_residuals_and_its_loss():
    assert flips.least_squares(X, FLIPS) == pytest.approx((0.2, 0.2), abs=1e-14)
    assert flips.residuals(X, FLIPS) == pytest.approx([-0.2, 0.6, -0.6, 0.2], abs=1e-14)
    assert flips.mse(0.2 + 0.2 * X, FLIPS) == pytest.approx(0.2, abs=1e-14)


def test_predictions_and_expected_losses_at_the_new_inputs():
    assert flips.folded_line(X, FLIPS, NEW).tolist() == [0.5, 0.5, 0.5]
    assert flips.forward(NEW, (0.2, 0.2, *np.zeros((3, 0)))) == pytest.approx([0.3, 0.5, 0.7], abs=1e-14)
    losses = flips.report(X, FLIPS, NEW, 0.5)
    assert losses["network"] == {"training": 0, "expected": 0.25}
    assert losses["constant"] == {"training": 0.25, "expected": 0.25}
    assert losses["line"] == pytest.approx({"training": 0.2, "expected": 83 / 300}, abs=1e-14)
    assert f"{losses['line']['expected']:.6f}" == "0.276667"
    assert flips.ranking(X, FLIPS, NEW, 0.5)[2] == "line"


def test_the_line_varies_by_0_094_from_draw_to_draw_and_the_network_not_at_all():
    line = np.array([0.3, 0.5, 0.7])
    assert round(flips.standard_error(line, 0.5, 1), 3) == 0.094
    assert round(flips.standard_error(line, 0.5, 10_000), 4) == 0.0009
    assert flips.standard_error(np.full(3, 0.5), 0.5, 1) == 0
    assert {float(np.mean((0.5 - np.array(row)) ** 2)) for row in product([0, 1], repeat=3)} == {0.25}


def test_the_floor_is_one_quarter_on_fair_flips():
    assert flips.best_constant(0.5) == (0.5, 0.25)
    for p in np.linspace(-1, 2, 31):
        assert flips.expected_loss(np.array([p]), 0.5) >= 0.25


# Any points


@pytest.mark.parametrize("seed", range(12))
def test_slopes_and_counts_are_those_of_exact_arithmetic(seed):
    x, y = _drawn(seed)
    exact = _exact_slopes(x, y)
    assert [Fraction(slope) for slope in flips.slopes(x, y).tolist()] == exact
    kinks = sum(before != after for before, after in pairwise(exact))
    assert flips.counts(x, y) == {"label_changes": sum(a != b for a, b in pairwise(y.tolist())), "kinks": kinks}


@pytest.mark.parametrize("seed", range(12))
def test_the_folded_line_is_linear_interpolation_and_goes_on_beyond_the_ends(seed):
    x, y = _drawn(seed)
    new = np.random.default_rng(seed).permutation(np.linspace(x[0], x[-1], 17))
    assert flips.folded_line(x, y, new) == pytest.approx(np.interp(new, x, y), abs=1e-12)
    exact = _exact_slopes(x, y)
    outside = flips.folded_line(x, y, np.array([x[-1] + 2, x[0] - 3]))
    assert outside == pytest.approx([float(y[-1] + 2 * exact[-1]), float(y[0] - 3 * exact[0])], abs=1e-12)


@pytest.mark.parametrize("seed", range(12))
def test_the_network_is_the_folded_line_everywhere_with_one_unit_a_kink(seed):
    x, y = _drawn(seed, n=2 + seed % 6)
    net = flips.network(x, y)
    assert len(net[2]) == len(net[3]) == len(net[4]) == flips.counts(x, y)["kinks"]
    new = np.linspace(x[0] - 3, x[-1] + 3, 41)
    assert flips.forward(new, net) == pytest.approx(flips.folded_line(x, y, new), abs=1e-12)


@pytest.mark.parametrize("label", [0.0, 1.0])
def test_labels_all_alike_need_no_unit(label):
    assert flips.counts(X, np.full(4, label)) == {"label_changes": 0, "kinks": 0}
    assert flips.forward(NEW, flips.network(X, np.full(4, label))).tolist() == [label] * 3


def test_a_network_in_general_position_by_hand():
    net = (0.5, -2.0, np.array([2.0, -1.0]), np.array([-1.0, 3.0]), np.array([3.0, -0.5]))
    assert flips.forward(np.array([2.0, 0.0]), net).tolist() == [0.5 - 4 + 3 * 3 - 0.5 * 1, 0.5 - 0.5 * 3]


@pytest.mark.parametrize("seed", range(12))
def test_the_line_solves_the_normal_equations_exactly(seed):
    x, y = _drawn(seed)
    a, b = map(float, _exact_line(x, y))
    assert flips.least_squares(x, y) == pytest.approx((a, b), abs=1e-12)
    left = flips.residuals(x, y)
    assert left == pytest.approx(y - a - b * x, abs=1e-12)
    assert [left.sum(), left @ x] == pytest.approx([0, 0], abs=1e-11)


@pytest.mark.parametrize("seed", range(6))
def test_no_line_nearby_has_a_smaller_loss(seed):
    x, y = _drawn(seed)
    a, b = flips.least_squares(x, y)
    least = flips.mse(a + b * x, y)
    for da, db in product((-0.01, 0.0, 0.01), repeat=2):
        assert flips.mse(a + da + (b + db) * x, y) >= least


# Any coin


@pytest.mark.parametrize("q", [0.0, 0.125, 0.5, 0.8125, 1.0])
@pytest.mark.parametrize("size", [1, 2, 5])
def test_expected_losses_and_their_errors_over_all_flips(q, size):
    p = np.random.default_rng(size).uniform(-1, 2, size)
    mean, variance = _over_all_flips(p.tolist(), q)
    assert flips.expected_loss(p, q) == pytest.approx(float(mean), rel=1e-12)
    assert flips.standard_error(p, q, 1) == pytest.approx(math.sqrt(variance), abs=1e-12)
    assert flips.standard_error(p, q, 49) == pytest.approx(math.sqrt(variance) / 7, abs=1e-12)


@pytest.mark.parametrize("q", [0.0, 0.3, 0.5, 0.9, 1.0])
def test_the_best_constant_beats_every_other(q):
    prediction, loss = flips.best_constant(q)
    assert flips.expected_loss(np.array([prediction]), q) == pytest.approx(loss, abs=1e-15)
    others = [float(_over_all_flips([p / 20], q)[0]) for p in range(-20, 41) if p / 20 != q]
    assert min(others) > loss


@pytest.mark.parametrize("q", [0.1, 0.5, 0.85])
def test_one_half_expects_a_quarter_of_every_coin(q):
    assert flips.report(X, FLIPS, NEW, q)["constant"]["expected"] == pytest.approx(0.25, abs=1e-15)


@pytest.mark.parametrize("seed", range(8))
def test_the_report_on_any_points_over_all_flips(seed):
    (x, y), rng = _drawn(seed), np.random.default_rng(seed)
    new, q = rng.uniform(x[0], x[-1], 3), float(rng.uniform(0.1, 0.9))
    b, a = np.polyfit(x, y, 1)
    predictions = {"network": np.interp(new, x, y), "line": a + b * new, "constant": np.full(3, 0.5)}
    losses = flips.report(x, y, new, q)
    for name, p in predictions.items():
        assert losses[name]["expected"] == pytest.approx(float(_over_all_flips(p.tolist(), q)[0]), rel=1e-10)
    assert losses["network"]["training"] == pytest.approx(0, abs=1e-24)
    assert losses["line"]["training"] == pytest.approx(np.mean((y - a - b * x) ** 2), rel=1e-10)
    assert losses["constant"]["training"] == pytest.approx(np.mean((y - 0.5) ** 2), rel=1e-12)
    in_order = [losses[name]["expected"] for name in flips.ranking(x, y, new, q)]
    assert in_order == sorted(in_order)


# What the statement, the mark scheme and the checks rest on


def test_one_unit_meets_1_0_0_1_and_expects_more_at_the_middle():
    y = np.array([1.0, 0.0, 0.0, 1.0])
    one = (1.0, -1.0, np.array([1.0]), np.array([-1.5]), np.array([2.0]))
    assert flips.counts(X, y)["kinks"] == 2
    assert flips.forward(X, one).tolist() == y.tolist()
    middle = np.array([1.5])
    assert flips.expected_loss(flips.folded_line(X, y, middle), 0.5) == 0.5
    assert flips.expected_loss(flips.forward(middle, one), 0.5) == 1.25


def test_uneven_flips_have_more_kinks_than_changes_and_the_network_comes_last():
    x, y = np.array([-1.0, 0.0, 2.0, 3.0, 3.5, 4.5]), np.array([1.0, 1.0, 0.0, 0.0, 0.0, 1.0])
    assert flips.counts(x, y) == {"label_changes": 2, "kinks": 3}
    assert _exact_line(x, y) == (Fraction(13, 18), Fraction(-1, 9))
    assert flips.ranking(x, y, np.array([0.5, 2.5, 4.25]), 0.25) == ["constant", "line", "network"]


@pytest.mark.parametrize("seed", range(20))
def test_40_000_draws_stay_within_the_allowance_that_the_statement_states(seed):
    """0.03 deviations of one draw are six standard errors of 40,000 draws; leaving the variance out lies far beyond."""
    rng = np.random.default_rng(seed)
    p, q = np.array([0.3, 0.5, 0.7]), 0.5
    simulated = np.mean((p - (rng.random((40_000, 3)) < q)) ** 2)
    allowed = 0.03 * flips.standard_error(p, q, 1)
    assert allowed == pytest.approx(6 * flips.standard_error(p, q, 40_000))
    assert abs(simulated - flips.expected_loss(p, q)) < allowed
    assert abs(flips.expected_loss(p, q) - np.mean((p - q) ** 2)) > 2 * allowed


def test_the_picture_is_the_one_that_its_script_draws():
    script = _load(ROOT / "docs" / "pictures" / "make_coin_flips.py")
    assert script.PICTURE.read_text(encoding="utf-8") == script.picture()
