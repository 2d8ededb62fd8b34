"""The reference of vanishing_factors agrees with exact fractions, central differences and the text's own numbers."""

import importlib.util
import math
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="the problem is half in torch")

ROOT = Path(__file__).parents[1]
RESTS = [("sigmoid", 0.7), ("sigmoid", -1.4), ("recurrence", -1.3), ("carry", 0.35), ("residual", -2.2)]
MOVING = [
    ("sigmoid", 0.7),
    ("recurrence", -1.3),
    ("carry", 0.35),
    ("residual", 0.6),
    ("residual", -0.6),
    ("plain", 0.0),
]


def module_at(path):
    spec = importlib.util.spec_from_file_location(f"{path.parent.name}_{path.stem}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def reference():
    return module_at(ROOT / "reference" / "vanishing_factors.py")


@pytest.fixture
def starts():
    return torch.tensor([-1.3, 0.2, 0.9, 1.6], dtype=torch.float64)


def sigmoid(x):
    return 1 / (1 + math.exp(-x))


def one_step(x, chain, p):
    """A step in plain Python, written down from the statement's table once more."""
    table = {
        "plain": lambda: sigmoid(x),
        "sigmoid": lambda: sigmoid(x) - sigmoid(p) + p,
        "recurrence": lambda: math.tanh(p * x),
        "carry": lambda: p * x,
        "residual": lambda: x + p * math.tanh(x),
    }
    return table[chain]()


def run(x, chain, p, steps):
    for _ in range(steps):
        x = one_step(x, chain, p)
    return x


def central_difference(function, x, h=1e-5):
    return (function(x + h) - function(x - h)) / (2 * h)


@pytest.mark.parametrize(
    ("chain", "p", "factor", "products"),
    [
        ("sigmoid", 0.0, 0.25, ["9.095e-13", "6.223e-61"]),
        ("recurrence", 0.9, 0.9, ["1.216e-01", "2.656e-05"]),
        ("carry", 0.95, 0.95, ["3.585e-01", "5.921e-03"]),
        ("residual", 0.05, 1.05, ["2.653e+00", "1.315e+02"]),
        ("residual", -0.05, 0.95, ["3.585e-01", "5.921e-03"]),
    ],
)
def test_the_products_table_of_the_text(reference, chain, p, factor, products):
    assert reference.step_factor(chain, p) == pytest.approx(factor, rel=1e-15)
    assert [f"{reference.derivative(chain, p, steps):.3e}" for steps in (20, 100)] == products


def test_the_carry_line_keeps_36_per_cent_and_the_recurrence_12(reference):
    kept = reference.derivative("carry", 0.95, 20), reference.derivative("recurrence", 0.9, 20)
    assert [round(100 * share) for share in kept] == [36, 12]


def test_a_branch_that_cancels_the_identity_leaves_exactly_nothing_after_one_step(reference):
    assert [reference.derivative("residual", -1.0, steps) for steps in (0, 1, 2, 100)] == [1, 0, 0, 0]
    assert reference.limit("residual", -1.0) == "0"


def test_the_limits_of_the_text(reference):
    chains = [("sigmoid", 0.0), ("recurrence", 0.9), ("carry", 0.95), ("residual", 0.05), ("residual", -0.05)]
    assert [reference.limit(*chain) for chain in chains] == ["0", "0", "0", "diverges", "0"]


def test_no_point_of_the_sigmoid_has_a_slope_above_one_quarter(reference):
    slopes = [reference.step_factor("sigmoid", z) for z in np.linspace(-6, 6, 2001)]
    assert max(slopes) == reference.step_factor("sigmoid", 0.0) == 0.25


@pytest.mark.parametrize(("chain", "p"), RESTS)
def test_factors_are_central_differences_of_a_step_at_rest(reference, chain, p):
    rest = p if chain == "sigmoid" else 0.0
    assert one_step(rest, chain, p) == pytest.approx(rest)
    wanted = central_difference(lambda x: one_step(x, chain, p), rest)
    assert reference.step_factor(chain, p) == pytest.approx(wanted, rel=1e-9)


@pytest.mark.parametrize(("chain", "p"), [("sigmoid", 0.0), ("recurrence", -0.75), ("carry", 0.5), ("residual", -1.75)])
def test_derivatives_are_products_in_exact_fractions(reference, chain, p):
    exact = Fraction(reference.step_factor(chain, p)) ** 31
    assert reference.derivative(chain, p, 31) == pytest.approx(float(exact), rel=1e-14)


def exact_log10(product):
    """The logarithm of a positive fraction of any size, by its count of digits and its leading ones."""
    whole = len(str(product.numerator)) - len(str(product.denominator))
    return whole + math.log10(product / Fraction(10) ** whole)


def test_signs_and_logarithms_agree_with_products_in_exact_fractions(reference):
    rng = np.random.default_rng(3)
    for count in (1, 2, 45, 80):
        factors = rng.choice([-1.0, 1.0], count) * 10 ** rng.uniform(-14, 2, count)
        product = math.prod(map(Fraction, factors.tolist()), start=Fraction(1))
        sign, logarithm = reference.signed_log10(factors)
        assert sign == (product > 0) - (product < 0)
        assert logarithm == pytest.approx(exact_log10(abs(product)), rel=1e-13)


def test_a_product_too_small_for_a_float_keeps_its_sign_and_a_zero_among_the_factors_has_none(reference):
    assert reference.signed_log10(np.full(1001, -0.25)) == (-1, pytest.approx(1001 * math.log10(0.25), rel=1e-13))
    assert reference.signed_log10(np.array([0.5, 0.0, -1e-300])) == (0, -math.inf)


@pytest.mark.parametrize("p", [-3.0, -2.0, -1.5, -1.0, -0.5, 0.0, 0.5, 1.0, 1.5, 1 - 2**-20, 2**-20, -(2**-20)])
@pytest.mark.parametrize("chain", ["sigmoid", "recurrence", "residual"])
def test_words_say_what_exact_powers_do(reference, chain, p):
    base = Fraction(reference.step_factor(chain, p))
    powers = [base**exponent for exponent in range(1, 8)]
    if len(set(powers)) == 1:
        wanted = "1" if base else "0"
    elif len(set(map(abs, powers))) == 1:
        wanted = "none"
    else:
        wanted = "0" if abs(powers[-1]) < abs(powers[0]) else "diverges"
    assert reference.limit(chain, p) == wanted


def test_what_brings_a_factor_to_one(reference):
    chains = ("sigmoid", "recurrence", "carry", "residual")
    assert [reference.parameter_for(chain, 1.0) for chain in chains] == [None, 1, 1, 0]


@pytest.mark.parametrize("target", [-1.7, -0.2, 0.0, 0.01, 0.1, 0.2, 0.25, 0.2501, 0.9, 1.0, 1.05, 4.0])
@pytest.mark.parametrize("chain", ["sigmoid", "recurrence", "carry", "residual"])
def test_parameters_lead_back_to_the_target_or_there_is_none(reference, chain, target):
    reachable = {"sigmoid": 0 < target <= 0.25, "carry": 0 <= target <= 1}.get(chain, True)
    p = reference.parameter_for(chain, target)
    assert (p is not None) == reachable
    if reachable:
        assert reference.step_factor(chain, p) == pytest.approx(target, rel=1e-12, abs=1e-15)
        assert p >= 0 or chain not in {"sigmoid", "carry"}


@pytest.mark.parametrize("size", [0.5, 0.1, 1e-3])
@pytest.mark.parametrize(("chain", "p"), [("sigmoid", 0.7), ("recurrence", -0.9), ("carry", 0.95), ("residual", -1.6)])
def test_one_step_less_would_not_do(reference, chain, p, size):
    steps = reference.steps_until(chain, p, size)
    assert abs(reference.derivative(chain, p, steps)) <= size < abs(reference.derivative(chain, p, steps - 1))


def test_sizes_that_never_fall_have_no_number_of_steps(reference):
    kept = [("recurrence", -1.0), ("carry", 1.0), ("residual", 0.05), ("residual", -2.0)]
    assert [reference.steps_until(chain, p, 0.9) for chain, p in kept] == [None] * 4
    assert reference.steps_until("residual", -1.0, 1e-9) == 1


@pytest.mark.parametrize("steps", [0, 1, 2, 6])
@pytest.mark.parametrize(("chain", "p"), MOVING)
def test_the_real_chain_agrees_with_plain_python_and_central_differences(reference, starts, chain, p, steps):
    ends, slopes = reference.through_chain(starts, chain, p, steps)
    assert ends.tolist() == pytest.approx([run(x, chain, p, steps) for x in starts.tolist()], rel=1e-12)
    wanted = [central_difference(lambda x: run(x, chain, p, steps), x) for x in starts.tolist()]
    assert slopes.tolist() == pytest.approx(wanted, rel=1e-5, abs=1e-9)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize(("chain", "p"), RESTS)
def test_at_rest_the_real_chain_is_the_power(reference, chain, p, dtype):
    rest = torch.full((2,), p if chain == "sigmoid" else 0.0, dtype=dtype)
    ends, slopes = reference.through_chain(rest, chain, p, 20)
    assert ends.dtype == slopes.dtype == dtype
    assert ends.tolist() == pytest.approx(rest.tolist(), rel=1e-6)
    wanted = reference.derivative(chain, p, 20)
    assert slopes.tolist() == pytest.approx([wanted] * 2, rel=1e-12 if dtype == torch.float64 else 1e-5)


def test_the_plain_stack_drifts_to_0_659_where_the_slope_is_0_2247(reference):
    ends, slopes = reference.through_chain(torch.zeros(1, dtype=torch.float64), "plain", 0.0, 20)
    assert f"{ends.item():.3f}" == "0.659"
    assert f"{slopes.item():.3e}" == "1.272e-13"
    assert f"{reference.step_factor('sigmoid', ends.item()):.4f}" == "0.2247"


def test_the_stationary_point_of_the_plain_stack_in_the_hidden_checks_is_one():
    hidden = module_at(ROOT / "problems" / "vanishing_factors" / "hidden.py")
    assert sigmoid(hidden.STATIONARY_SIGMOID) == pytest.approx(hidden.STATIONARY_SIGMOID, abs=1e-15)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_a_cancelled_identity_is_exactly_zero_in_torch(reference, dtype):
    start = torch.zeros(3, dtype=dtype)
    assert reference.through_chain(start, "residual", -1.0, 5)[1].tolist() == [0, 0, 0]
    signs, logarithms = reference.long_chain(start, "residual", -1.0, 5)
    assert signs.tolist() == [0, 0, 0]
    assert logarithms.tolist() == [-math.inf] * 3


@pytest.mark.parametrize("steps", [1, 2, 9])
@pytest.mark.parametrize(("chain", "p"), MOVING)
def test_signs_and_logarithms_are_those_of_the_derivative_while_it_fits(reference, starts, chain, p, steps):
    _, slopes = reference.through_chain(starts, chain, p, steps)
    signs, logarithms = reference.long_chain(starts, chain, p, steps)
    torch.testing.assert_close(signs * 10**logarithms, slopes, rtol=1e-12, atol=0)


def test_a_long_chain_goes_on_where_floats_end(reference, starts):
    for dtype, steps in ((torch.float32, 100), (torch.float64, 600)):
        x = starts.to(dtype)
        assert reference.through_chain(x, "sigmoid", 0.0, steps)[1].tolist() == [0.0] * 4
        _, halves = reference.long_chain(x, "sigmoid", 0.0, steps // 2)
        middle, _ = reference.through_chain(x, "sigmoid", 0.0, steps // 2)
        _, rest = reference.long_chain(middle, "sigmoid", 0.0, steps - steps // 2)
        _, whole = reference.long_chain(x, "sigmoid", 0.0, steps)
        torch.testing.assert_close(whole, halves + rest, rtol=1e-6, atol=0)


def decimal_step(x, chain, p):
    """One step and its factor, from the formulas, in as many digits as the context has."""
    if chain == "sigmoid":
        s = 1 / (1 + (-x).exp())
        return s - 1 / (1 + (-p).exp()) + p, s * (1 - s)
    t = 1 - 2 / ((2 * p * x).exp() + 1)
    return t, p * (1 - t * t)


def decimal_chain(starts, chain, p, steps):
    signs, logarithms = [], []
    for start in starts:
        x, sign, logarithm = Decimal(start), 1, Decimal(0)
        for _ in range(steps):
            x, factor = decimal_step(x, chain, Decimal(str(p)))
            sign, logarithm = sign * int(factor.compare(0)), logarithm + abs(factor).log10()
        signs.append(sign)
        logarithms.append(float(logarithm))
    return signs, logarithms


def test_the_visible_long_chains_are_those_of_forty_digits():
    visible = module_at(ROOT / "problems" / "vanishing_factors" / "visible.py")
    with localcontext(prec=40):
        visible.long_chains_at_sight(SimpleNamespace(long_chain=decimal_chain))


@pytest.mark.parametrize(
    ("chain", "p", "steps"),
    [
        ("sigmoid", 4.65, 170),
        ("sigmoid", -4.65, 170),
        ("recurrence", 0.009, 171),
        ("carry", 0.009, 170),
        ("residual", -0.991, 170),
        ("plain", 0.0, 510),
    ],
)
def test_no_float_holds_the_derivatives_of_the_hidden_long_chains(reference, starts, chain, p, steps):
    """These are the shortest chains and the largest factors that may be drawn."""
    _, logarithms = reference.long_chain(starts, chain, p, steps)
    assert logarithms.max() < math.log10(math.ulp(0.0)) - 1


def test_a_negative_weight_turns_the_sign_at_every_step(reference, starts):
    signs = [reference.long_chain(starts, "recurrence", -0.2, steps)[0] for steps in range(1, 6)]
    assert all(torch.equal(one, -other) for one, other in pairwise(signs))


def test_inputs_are_left_as_they_were(reference, starts):
    before = starts.clone()
    reference.through_chain(starts, "plain", 0.0, 3)
    reference.long_chain(starts, "plain", 0.0, 3)
    assert torch.equal(starts, before)
    assert not starts.requires_grad


def test_the_picture_is_what_its_script_draws():
    script = module_at(ROOT / "docs" / "pictures" / "make_vanishing_factors.py")
    assert script.TARGET.read_text(encoding="utf-8") == script.svg()
