"""The reference of batch_reduction agrees with exact fractions, simulation, autograd and the text's own numbers."""

import importlib.util
import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="the problem is half in torch")

REDUCTIONS = ("mean", "sum")
TRIALS = 40_000
SIX_ERRORS_OF_A_VARIANCE = 6 * math.sqrt(2 / (TRIALS - 1))  # relative; a right answer misses it once in 5e8 runs


@pytest.fixture(scope="module")
def reference():
    path = Path(__file__).parents[1] / "reference" / "batch_reduction.py"
    spec = importlib.util.spec_from_file_location("reference_batch_reduction", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def data():
    generator = torch.Generator().manual_seed(7)
    w, x, y = (torch.randn(*shape, generator=generator, dtype=torch.float64) for shape in ((3,), (11, 3), (11,)))
    return w, x, y


def autograd_gradient(w, x, y, reduction):
    leaf = w.clone().requires_grad_()
    losses = torch.stack([(row @ leaf - target) ** 2 / 2 for row, target in zip(x, y, strict=True)])
    (losses.sum() / (len(y) if reduction == "mean" else 1)).backward()
    return leaf.grad


def exact_gradient_sum(w, x, y):
    w, x, y = ([Fraction(v) for v in w], [[Fraction(v) for v in row] for row in x], [Fraction(v) for v in y])
    residuals = [sum(a * b for a, b in zip(row, w, strict=True)) - t for row, t in zip(x, y, strict=True)]
    return [sum(r * row[j] for r, row in zip(residuals, x, strict=True)) for j in range(len(w))]


def test_every_printed_number_of_the_text_is_reproduced(reference):
    assert reference.gradient_variance(4.0, 32, "sum") == 128
    assert reference.gradient_variance(4.0, 32, "mean") == 0.125
    assert reference.gradient_variance(4.0, 128, "mean") == 0.03125
    assert f"{reference.step_deviation(0.1, 4.0, 32, 'mean'):.6f}" == "0.035355"
    assert f"{reference.step_deviation(0.1, 4.0, 32, 'sum'):.6f}" == "1.131371"
    assert reference.matching_rate(0.1, 32) == pytest.approx(0.003125, rel=1e-15)


def test_the_deviations_of_the_text_stand_as_32_to_1(reference):
    ratio = reference.step_deviation(0.1, 4.0, 32, "sum") / reference.step_deviation(0.1, 4.0, 32, "mean")
    assert ratio == pytest.approx(32, rel=1e-15)


def test_the_expected_steps_of_the_text_stand_as_32_to_1_and_point_downhill(reference):
    of_the_mean, of_the_sum = (reference.expected_step(0.1, 0.75, 32, reduction) for reduction in REDUCTIONS)
    assert of_the_mean == pytest.approx(-0.075)
    assert of_the_sum / of_the_mean == pytest.approx(32)


def test_four_times_the_batch_quarters_the_variance_halves_the_deviation_and_keeps_the_expectation(reference):
    factors = reference.batch_change(32, 128, "mean")
    assert factors == {
        "gradient_variance": 0.25,
        "step_deviation": 0.5,
        "expected_step": 1.0,
        "relative_deviation": 0.5,
    }


@pytest.mark.parametrize("reduction", REDUCTIONS)
@pytest.mark.parametrize("batch", [1, 2, 7, 300])
def test_the_variance_is_that_of_a_linear_combination_in_fractions(reference, batch, reduction):
    factor = Fraction(1) if reduction == "sum" else Fraction(1, batch)
    exact = sum(factor**2 * Fraction(9, 4) for _ in range(batch))
    assert reference.gradient_variance(2.25, batch, reduction) == pytest.approx(float(exact), rel=1e-14)


@pytest.mark.parametrize("reduction", REDUCTIONS)
def test_simulated_steps_have_the_promised_variance_deviation_and_expectation(reference, reduction):
    eta, mu, sigma2, batch = 0.3, -0.8, 2.5, 6
    gradients = np.random.default_rng(20).normal(mu, math.sqrt(sigma2), (TRIALS, batch))
    of_batches = getattr(gradients, reduction)(axis=1)
    steps = -eta * of_batches
    deviation = reference.step_deviation(eta, sigma2, batch, reduction)
    assert of_batches.var(ddof=1) == pytest.approx(
        reference.gradient_variance(sigma2, batch, reduction), rel=SIX_ERRORS_OF_A_VARIANCE
    )
    assert steps.std(ddof=1) == pytest.approx(deviation, rel=SIX_ERRORS_OF_A_VARIANCE / 2)
    assert steps.mean() == pytest.approx(
        reference.expected_step(eta, mu, batch, reduction), abs=6 * deviation / math.sqrt(TRIALS)
    )


@pytest.mark.parametrize("reduction", REDUCTIONS)
@pytest.mark.parametrize(("batch", "new_batch"), [(32, 128), (50, 18), (1, 3)])
def test_the_factors_are_quotients_of_the_other_functions(reference, batch, new_batch, reduction):
    variances = [reference.gradient_variance(2.5, size, reduction) for size in (batch, new_batch)]
    deviations = [reference.step_deviation(0.3, 2.5, size, reduction) for size in (batch, new_batch)]
    expected = [reference.expected_step(0.3, -0.8, size, reduction) for size in (batch, new_batch)]
    relative = [deviation / abs(step) for deviation, step in zip(deviations, expected, strict=True)]
    factors = reference.batch_change(batch, new_batch, reduction)
    assert factors["gradient_variance"] == pytest.approx(variances[1] / variances[0])
    assert factors["step_deviation"] == pytest.approx(deviations[1] / deviations[0])
    assert factors["expected_step"] == pytest.approx(expected[1] / expected[0])
    assert factors["relative_deviation"] == pytest.approx(relative[1] / relative[0])


@pytest.mark.parametrize("reduction", REDUCTIONS)
def test_a_step_by_hand_is_a_step_by_autograd(reference, data, reduction):
    w, x, y = data
    wanted = w - 0.07 * autograd_gradient(w, x, y, reduction)
    torch.testing.assert_close(reference.sgd_step(w, x, y, 0.07, reduction), wanted, rtol=1e-12, atol=1e-12)


def test_a_step_agrees_with_exact_fractions(reference, data):
    w, x, y = data
    sums = exact_gradient_sum(w.tolist(), x.tolist(), y.tolist())
    exact = [float(Fraction(v) - Fraction(1, 16) * s) for v, s in zip(w.tolist(), sums, strict=True)]
    assert reference.sgd_step(w, x, y, 1 / 16, "sum").tolist() == pytest.approx(exact, rel=1e-12)


def test_at_the_matching_rate_the_sum_and_the_mean_make_one_update(reference, data):
    w, x, y = data
    of_the_sum = reference.sgd_step(w, x, y, reference.matching_rate(0.1, len(y)), "sum")
    torch.testing.assert_close(of_the_sum, reference.sgd_step(w, x, y, 0.1, "mean"), rtol=1e-14, atol=1e-14)


def test_micro_weights_are_the_shares_of_the_examples(reference):
    assert reference.micro_weights([5, 3, 2]) == pytest.approx([0.5, 0.3, 0.2])
    assert sum(map(Fraction, reference.micro_weights([1, 1, 2, 4]))) == 1


@pytest.mark.parametrize("sizes", [[11], [4, 4, 3], [1, 10], [1] * 11, [2, 6, 1, 2]])
def test_any_cut_gives_the_gradient_of_the_whole_batch(reference, data, sizes):
    w, x, y = data
    wanted = autograd_gradient(w, x, y, "mean")
    torch.testing.assert_close(reference.accumulated_gradient(w, x, y, sizes), wanted, rtol=1e-12, atol=1e-12)


def test_micro_weights_turn_mean_losses_into_the_gradient_of_the_whole_batch(reference, data):
    w, x, y = data
    sizes = [2, 6, 1, 2]
    parts = zip(reference.micro_weights(sizes), x.split(sizes), y.split(sizes), strict=True)
    weighted = sum(weight * autograd_gradient(w, rows, targets, "mean") for weight, rows, targets in parts)
    torch.testing.assert_close(weighted, autograd_gradient(w, x, y, "mean"), rtol=1e-12, atol=1e-12)


def test_inputs_are_left_as_they_were(reference, data):
    copies = [tensor.clone() for tensor in data]
    reference.sgd_step(*data, 0.1, "mean")
    reference.accumulated_gradient(*data, [4, 7])
    assert all(torch.equal(tensor, copy) for tensor, copy in zip(data, copies, strict=True))


def test_the_visible_instance_is_right_in_exact_fractions():
    x = [[1, 2, -1], [0, -1, 3], [2, 1, 1], [-1, 3, 0], [1, 1, 2]]
    sums = exact_gradient_sum([0.5, -1.0, 2.0], x, [1.0, -2.0, 0.5, 3.0, -1.0])
    assert sums == [Fraction(19, 2), Fraction(-63, 2), Fraction(42)]
    mean_step = [
        w - Fraction(1, 10) * s / 5 for w, s in zip([Fraction(1, 2), Fraction(-1), Fraction(2)], sums, strict=True)
    ]
    sum_step = [w - Fraction(1, 10) * s for w, s in zip([Fraction(1, 2), Fraction(-1), Fraction(2)], sums, strict=True)]
    assert mean_step == [Fraction("0.31"), Fraction("-0.37"), Fraction("1.16")]
    assert sum_step == [Fraction("-0.45"), Fraction("2.15"), Fraction("-2.2")]
