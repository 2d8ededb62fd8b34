"""The worked solution of `xor` against enumeration, exact rational arithmetic and the text's own numbers."""

from __future__ import annotations

import importlib.util
from fractions import Fraction
from itertools import product
from pathlib import Path

import numpy as np
import pytest

CORNERS = [[0, 0], [0, 1], [1, 0], [1, 1]]
X = np.array(CORNERS, dtype=float)
T = np.array([0.0, 1.0, 1.0, 0.0])
C = np.array([0.0, -1.0])
V = np.array([1.0, -2.0])
DISTURBED = np.array([1.0, -1.8])
SIXTEEN = [list(labels) for labels in product([0, 1], repeat=4)]


def _load():
    path = Path(__file__).parents[1] / "reference" / "xor.py"
    spec = importlib.util.spec_from_file_location("reference_xor", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


xor = _load()


def _unit(numbers, point):
    """What the threshold unit of the statement answers, in exact arithmetic."""
    return int(sum((Fraction(w) * a for w, a in zip(numbers, [*point, 1], strict=True)), Fraction(0)) > 0)


def _rules_out(points, labels, multipliers):
    """The definition of a proof by multipliers, written out side by side."""
    side = {0: [Fraction(0)] * (len(points[0]) + 1), 1: [Fraction(0)] * (len(points[0]) + 1)}
    for point, label, m in zip(points, labels, multipliers, strict=True):
        side[label] = [total + m * a for total, a in zip(side[label], [*point, 1], strict=True)]
    return min(multipliers) >= 0 and side[0] == side[1] and side[1][-1] > 0


def _exact_loss(x, t, c, v):
    """The loss as an exact fraction, example by example."""
    total = Fraction(0)
    for row, target in zip(x.tolist(), t.tolist(), strict=True):
        s = sum(map(Fraction, row))
        y = sum(Fraction(w) * max(s + Fraction(bias), Fraction(0)) for w, bias in zip(v, c, strict=True))
        total += (y - Fraction(target)) ** 2
    return total / len(t)


def _exact_difference(x, t, c, v, *, name, eps):
    up, down = ({"c": [*c], "v": [*v]} for _ in range(2))
    place = int(name[1]) - 1
    up[name[0]][place] = Fraction(up[name[0]][place]) + eps
    down[name[0]][place] = Fraction(down[name[0]][place]) - eps
    return (_exact_loss(x, t, **up) - _exact_loss(x, t, **down)) / (2 * eps)


def _off_kinks(seed, *, n=5, width=3):
    """Arrays whose every argument lies at least 1/8 from zero."""
    rng = np.random.default_rng(seed)
    c = rng.choice(np.arange(-4, 5), 2, replace=False) / 2 + 0.25
    x = rng.integers(-3, 4, (n, width)) + rng.uniform(-0.04, 0.04, (n, width))
    return x, rng.normal(0, 2, n), c, rng.normal(0, 2, 2)


@pytest.mark.parametrize("labels", SIXTEEN, ids=str)
@pytest.mark.parametrize("order", [(0, 1, 2, 3), (2, 0, 3, 1)], ids=str)
def test_every_certificate_holds_by_the_definitions(labels, order):
    points = [CORNERS[place] for place in order]
    kind, numbers = xor.certificate(points, labels)
    if kind == "weights":
        assert [_unit(numbers, point) for point in points] == labels
    else:
        assert _rules_out(points, labels, numbers)


def test_fourteen_functions_are_separable_and_two_are_not():
    kinds = {tuple(labels): xor.certificate(CORNERS, labels)[0] for labels in SIXTEEN}
    assert [labels for labels, kind in kinds.items() if kind == "multipliers"] == [(0, 1, 1, 0), (1, 0, 0, 1)]


def test_weights_are_judged_as_the_unit_answers():
    for numbers in product(range(-2, 3), repeat=3):
        answers = [_unit(numbers, point) for point in CORNERS]
        for labels in SIXTEEN:
            assert xor.verifies(CORNERS, labels, "weights", list(numbers)) is (answers == labels)


@pytest.mark.parametrize("seed", range(20))
def test_multipliers_are_judged_as_the_definition_says(seed):
    rng = np.random.default_rng(seed)
    points = rng.integers(-1, 2, (4, int(rng.integers(1, 3)))).tolist()
    labels = rng.integers(0, 2, 4).tolist()
    for numbers in product((Fraction(-1, 2), 0, Fraction(1, 3), Fraction(2, 3), 1), repeat=4):
        assert xor.verifies(points, labels, "multipliers", list(numbers)) is _rules_out(points, labels, numbers)


@pytest.mark.parametrize("seed", range(20))
def test_no_points_have_both_kinds_of_certificate(seed):
    rng = np.random.default_rng(seed)
    points, labels = rng.integers(-1, 2, (4, 2)).tolist(), rng.integers(0, 2, 4).tolist()
    weights = any(xor.verifies(points, labels, "weights", numbers) for numbers in product(range(-2, 3), repeat=3))
    against = any(xor.verifies(points, labels, "multipliers", numbers) for numbers in product(range(3), repeat=4))
    assert not (weights and against)


def test_a_margin_of_ten_to_minus_thirty_counts():
    tiny = Fraction(1, 10**30)
    assert xor.verifies([[7]], [1], "weights", [1, tiny - 7])
    assert not xor.verifies([[7]], [0], "weights", [1, tiny - 7])
    assert not xor.verifies([[7], [7]], [1, 0], "multipliers", [1, 1 + tiny])


def test_the_network_computes_xor_exactly():
    w, c, v, b = xor.network()
    hidden = [[max(0, p * w1 + q * w2 + bias) for (w1, w2), bias in zip(w, c, strict=True)] for p, q in CORNERS]
    assert [v[0] * h1 + v[1] * h2 + b for h1, h2 in hidden] == [0, 1, 1, 0]


def test_hidden_values_and_outputs_of_the_text():
    h, y = xor.forward(X, C, V)
    assert h.tolist() == [[0, 0], [1, 0], [1, 0], [2, 1]]
    assert y.tolist() == [0, 1, 1, 0]


def test_disturbing_v2_gives_the_numbers_of_the_text():
    _, y = xor.forward(X, C, DISTURBED)
    assert y == pytest.approx([0, 1, 1, 0.2], abs=1e-12)
    assert xor.loss(y, T) == pytest.approx(0.01, abs=1e-12)
    assert xor.gradients(X, T, C, DISTURBED) == pytest.approx({"v2": 0.1, "c2": -0.18, "c1": 0.1}, abs=1e-12)


@pytest.mark.parametrize("seed", range(12))
def test_outputs_and_loss_are_those_of_exact_arithmetic(seed):
    x, t, c, v = _off_kinks(seed, n=1 + seed % 5, width=1 + seed % 4)
    _, y = xor.forward(x, c, v)
    assert xor.loss(y, t) == pytest.approx(float(_exact_loss(x, t, c, v)), rel=1e-12)


@pytest.mark.parametrize("seed", range(12))
def test_gradients_are_exact_difference_quotients_off_the_kinks(seed):
    """The loss is a parabola between kinks, so the central difference has no error of its own."""
    x, t, c, v = _off_kinks(seed)
    found = xor.gradients(x, t, c, v)
    for name, got in found.items():
        wanted = _exact_difference(x, t, c, v, name=name, eps=Fraction(1, 8))
        assert got == pytest.approx(float(wanted), rel=1e-10, abs=1e-10)


@pytest.mark.parametrize("eps", [1e-4, 0.1, 0.5])
def test_central_differences_of_the_text_are_bent_by_the_kinks(eps):
    """dL/dv2 is confirmed; the biases are off by 0.81 eps and by eps / 8."""
    found = {name: xor.central_difference(X, T, C, DISTURBED, name=name, eps=eps) for name in ("v2", "c2", "c1")}
    assert found == pytest.approx({"v2": 0.1, "c2": -0.18 + 0.81 * eps, "c1": 0.1 + eps / 8}, abs=1e-10)


@pytest.mark.parametrize("name", ["v2", "c2", "c1"])
def test_central_difference_takes_the_loss_at_two_places_and_leaves_its_arguments_alone(name):
    x, t, c, v = _off_kinks(3)
    kept = c.copy(), v.copy()
    wanted = _exact_difference(x, t, c, v, name=name, eps=Fraction(3, 4))
    assert xor.central_difference(x, t, c, v, name=name, eps=0.75) == pytest.approx(float(wanted), rel=1e-10)
    assert np.array_equal(c, kept[0])
    assert np.array_equal(v, kept[1])


def test_kinks_of_the_text():
    assert xor.kinks(X, C).tolist() == [[True, False], [False, True], [False, True], [False, False]]


def test_steps_of_the_text():
    assert xor.descend(X, T, C, DISTURBED, eta=1.0, steps=3) == pytest.approx([-1.9, -1.95, -1.975], abs=1e-12)


@pytest.mark.parametrize(("eta", "wanted"), [(2.0, [-2, -2]), (4.0, [-2.2, -1.8]), (3.0, [-2.1, -1.95])])
def test_step_sizes_that_arrive_oscillate_and_overshoot(eta, wanted):
    assert xor.descend(X, T, C, DISTURBED, eta=eta, steps=2) == pytest.approx(wanted, abs=1e-12)


@pytest.mark.parametrize("seed", range(6))
def test_only_v2_moves(seed):
    x, t, c, v = _off_kinks(seed)
    kept = v.copy()
    path = xor.descend(x, t, c, v, eta=0.05, steps=3)
    v2 = Fraction(v[1])
    for got in path:
        v2 -= Fraction(0.05) * _exact_difference(x, t, c, [v[0], v2], name="v2", eps=Fraction(1))
        assert got == pytest.approx(float(v2), rel=1e-10)
    assert np.array_equal(v, kept)
