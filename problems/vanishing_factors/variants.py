import math
from fractions import Fraction

import numpy as np
import torch

from grader import right, wrong


@right(replaces="step_factor")
def by_autograd_at_rest(chain, p):
    at = torch.tensor([p if chain == "sigmoid" else 0.0], dtype=torch.float64)
    return _differentiated(at, chain, p, 1)[1]


@right(replaces="step_factor")
def by_hyperbolic_functions(chain, p):
    return _usual_factors(p)[chain]


@right(replaces="derivative")
def as_a_running_product(chain, p, steps):
    return np.prod(np.full(steps, step_factor(chain, p)))


@right(replaces="derivative")
def through_logarithms(chain, p, steps):
    base = step_factor(chain, p)
    if base == 0:
        return 0 if steps else 1
    return torch.tensor(math.copysign(1, base) ** steps * math.exp(steps * math.log(abs(base))), dtype=torch.float64)


@right(replaces="signed_log10")
def by_mantissas_and_exponents(factors):
    mantissa, exponent = 1.0, 0
    for factor in factors.tolist():
        mantissa, power = math.frexp(mantissa * math.frexp(factor)[0])
        exponent += power + math.frexp(factor)[1]
    return np.sign(mantissa), math.log10(abs(mantissa)) + exponent * math.log10(2) if mantissa else -math.inf


@right(replaces="signed_log10")
def by_tensors(factors):
    tensor = torch.tensor(factors)
    return [tensor.sign().prod(), tensor.abs().log().sum() / math.log(10)]


@right(replaces="limit")
def from_the_numbers_themselves(chain, p):
    if chain == "sigmoid":
        return "0"
    kept, flipped = (0.0, -2.0) if chain == "residual" else (1.0, -1.0)
    if p in {kept, flipped}:
        return "1" if p == kept else "none"
    return "0" if flipped < p < kept else "diverges"


@right(replaces="parameter_for")
def by_the_inverse_of_cosh(chain, target):
    return _usual_parameter(chain, target)


@right(replaces="steps_until")
def by_a_quotient_of_logarithms(chain, p, size):
    return _count(abs(step_factor(chain, p)), size, np.ceil)


@right(replaces="through_chain")
def by_backward_on_every_end(x, chain, p, steps):
    starts = [start.clone().requires_grad_() for start in x]
    ends = list(starts)
    for _ in range(steps):
        ends = [_one_step(end, chain, p) for end in ends]
    for end in ends:
        end.backward()
    return ends, [start.grad for start in starts]


@right(replaces="through_chain")
def in_plain_python(x, chain, p, steps):
    ends, slopes = x.tolist(), [1.0] * len(x)
    for _ in range(steps):
        pairs = [_by_hand(end, chain, p) for end in ends]
        ends = [end for end, _ in pairs]
        slopes = [slope * factor for slope, (_, factor) in zip(slopes, pairs, strict=True)]
    return ends, slopes


@right(replaces="long_chain")
def step_by_step(x, chain, p, steps):
    signs, sizes = torch.ones_like(x), torch.zeros_like(x)
    for _ in range(steps):
        x, factor = through_chain(x, chain, p, 1)
        signs, sizes = signs * torch.sign(factor), sizes + torch.log10(torch.abs(factor))
    return signs, sizes


@wrong(
    replaces="step_factor",
    caught_by="factors_at_sight",
    hint="For the sigmoid you give the height of the curve. Which of its properties does the chain rule multiply by?",
)
def height_of_the_sigmoid(chain, p):
    return 1 / (1 + math.exp(-p)) if chain == "sigmoid" else _usual_factors(p)[chain]


@wrong(
    replaces="step_factor",
    caught_by="factors_anywhere",
    hint="A residual step has two terms, and you differentiated one of them. What is the derivative of the other?",
)
def branch_alone(chain, p):
    return p if chain == "residual" else _usual_factors(p)[chain]


@wrong(
    replaces="derivative",
    caught_by="products_anywhere",
    hint="Your product has one factor too few. How many steps lie between the start and the value after L of them?",
)
def one_step_short(chain, p, steps):
    return step_factor(chain, p) ** max(steps - 1, 0)


@wrong(
    replaces="derivative",
    caught_by="products_at_sight",
    hint="You answer zero where the product is tiny: zero as a rounding. How small a number can your dtype hold?",
)
def in_single_precision(chain, p, steps):
    return float(np.prod(np.full(steps, step_factor(chain, p)), dtype=np.float32))


@wrong(
    replaces="derivative",
    caught_by="products_at_sight",
    hint="Your sigmoid stack moves off and meets other slopes. Where does the statement say that it stays?",
)
def a_stack_that_moves(chain, p, steps):
    product = 1.0
    for _ in range(steps):
        product *= step_factor(chain, p)
        p = 1 / (1 + math.exp(-p)) if chain == "sigmoid" else p
    return product


@wrong(
    replaces="derivative",
    caught_by="products_anywhere",
    hint="The sizes are right. Which sign has an odd power of a negative factor?",
)
def size_of_the_product(chain, p, steps):
    return abs(step_factor(chain, p)) ** steps


@wrong(
    replaces="derivative",
    caught_by="a_factor_of_zero_ends_it",
    hint="Where the factor is zero you answer zero before the first step is taken. What is a product over no steps?",
)
def zero_before_the_first_step(chain, p, steps):
    base = step_factor(chain, p)
    return base**steps if base else 0.0


@wrong(
    replaces="signed_log10",
    caught_by="logarithms_at_sight",
    hint="You took the logarithm of a product that had left the range of a float. What about its parts?",
)
def logarithm_of_the_product(factors):
    with np.errstate(all="ignore"):
        return np.sign(np.prod(factors, dtype=float)), np.log10(abs(np.prod(factors, dtype=float)))


@wrong(
    replaces="signed_log10",
    caught_by="logarithms_of_unequal_factors",
    hint="You leave out the factors that are zero. What does one such factor do to the product?",
)
def zeros_left_out(factors):
    some = factors[factors != 0]
    return int(np.prod(np.sign(some))), float(np.log10(np.abs(some)).sum())


@wrong(
    replaces="signed_log10",
    caught_by="logarithms_of_unequal_factors",
    hint="Your sign does not depend on how many factors are negative. What does each of them do to it?",
)
def sign_forgotten(factors):
    return (1, float(np.log10(np.abs(factors)).sum())) if factors.all() else (0, -math.inf)


@wrong(
    replaces="limit",
    caught_by="limits_anywhere",
    hint="You let the carry line survive every depth. What becomes of a fixed number below 1, raised high enough?",
)
def a_gate_that_keeps_everything(chain, p):
    return "1" if chain == "carry" else _word(step_factor(chain, p))


@wrong(
    replaces="limit",
    caught_by="next_to_one_is_not_one",
    hint="You take a factor that is nearly 1 for 1. What does the statement say about factors close to 1?",
)
def nearly_one_counts_as_one(chain, p):
    return _word(round(step_factor(chain, p), 3))


@wrong(
    replaces="limit",
    caught_by="limits_at_sight",
    hint="With a factor of -1 you see a limit. Write down the derivative after one, two, three and four steps.",
)
def size_one_counts_as_one(chain, p):
    return _word(abs(step_factor(chain, p)))


@wrong(
    replaces="limit",
    caught_by="limits_anywhere",
    hint="You let every residual stack keep its signal. What does its branch add to the derivative, step after step?",
)
def an_identity_that_keeps_everything(chain, p):
    base = step_factor(chain, p)
    return "1" if chain == "residual" and base else _word(base)


@wrong(
    replaces="parameter_for",
    caught_by="parameters_at_sight",
    hint="You answer with the centre of the sigmoid where no point will do. Is its slope there what was asked for?",
)
def the_best_that_a_sigmoid_can_do(chain, target):
    return _usual_parameter(chain, min(target, 0.25) if chain == "sigmoid" else target)


@wrong(
    replaces="parameter_for",
    caught_by="parameters_anywhere",
    hint="Your gate would have to be open by more than all the way, or by less than nothing. Where does f end?",
)
def a_gate_without_ends(chain, target):
    return target if chain == "carry" else _usual_parameter(chain, target)


@wrong(
    replaces="steps_until",
    caught_by="steps_at_sight",
    hint="You stop one step too early: the derivative is still larger than asked. Which way is a count rounded here?",
)
def one_step_too_early(chain, p, size):
    return _count(abs(step_factor(chain, p)), size, np.floor)


@wrong(
    replaces="steps_until",
    caught_by="steps_anywhere",
    hint="You say that the carry line never gets that small. Multiply 0.95 by itself a few dozen times.",
)
def a_gate_that_never_lets_go(chain, p, size):
    return None if chain == "carry" else _count(abs(step_factor(chain, p)), size, np.ceil)


@wrong(
    replaces="through_chain",
    caught_by="a_resting_chain_is_a_power",
    hint="Your recentred sigmoid stack does not stay at its resting point. What follows the sigmoid in each step?",
)
def never_recentred(x, chain, p, steps):
    return _differentiated(x, "plain" if chain == "sigmoid" else chain, p, steps)


@wrong(
    replaces="through_chain",
    caught_by="plain_sigmoids_at_sight",
    hint="You hold the plain sigmoid stack in place, like the recentred one. What is its value after one step?",
)
def always_recentred(x, chain, p, steps):
    return _differentiated(x.double(), "sigmoid" if chain == "plain" else chain, p, steps)


@wrong(
    replaces="through_chain",
    caught_by="chains_at_sight",
    hint="Look at a single step of your residual stack. What happens to the value that comes in?",
)
def only_the_branch(x, chain, p, steps):
    return _differentiated(x, "weight outside" if chain == "residual" else chain, p, steps)


@wrong(
    replaces="through_chain",
    caught_by="chains_from_anywhere",
    hint="Your recurrence has its weight outside of the tanh. At zero that makes no difference; where does it?",
)
def weight_outside_of_the_tanh(x, chain, p, steps):
    return _differentiated(x, "weight outside" if chain == "recurrence" else chain, p, steps)


@wrong(
    replaces="through_chain",
    caught_by="plain_sigmoids_drift",
    hint="You raise the first slope to a power. Does the chain stay at the point where that slope was taken?",
)
def first_slope_to_a_power(x, chain, p, steps):
    return _differentiated(x, chain, p, steps)[0], _differentiated(x, chain, p, 1)[1] ** steps


@wrong(
    replaces="through_chain",
    caught_by="chains_at_sight",
    hint="Your derivatives shrink when more starts are given at once. Of which number did you take the gradient?",
)
def gradient_of_the_mean(x, chain, p, steps):
    ends, slopes = _differentiated(x, chain, p, steps)
    return ends, slopes / len(x)


@wrong(
    replaces="long_chain",
    caught_by="long_chains_at_sight",
    hint="You took the logarithm of a derivative that had been rounded to 0 or to infinity. Of what can it be taken?",
)
def logarithm_of_what_is_left(x, chain, p, steps):
    _, slopes = through_chain(x, chain, p, steps)
    return slopes.sign(), slopes.abs().log10()


@wrong(
    replaces="long_chain",
    caught_by="long_chains_from_anywhere",
    hint="You multiply the logarithm of the first slope by the number of steps. Is it the same after the chain moves?",
)
def first_slope_every_time(x, chain, p, steps):
    _, slopes = through_chain(x, chain, p, 1)
    return slopes.sign() ** steps, steps * slopes.abs().log10()


@wrong(
    replaces="long_chain",
    caught_by="long_chains_at_sight",
    hint="Your signs are all positive. What does a negative weight do to the sign at every step?",
)
def sizes_only(x, chain, p, steps):
    sizes = torch.zeros_like(x, dtype=torch.float64)
    for _ in range(steps):
        x, factor = through_chain(x, chain, p, 1)
        sizes += factor.abs().log10()
    return torch.ones_like(x), sizes


def _usual_factors(p):
    return {"sigmoid": 0.25 / np.cosh(p / 2) ** 2, "recurrence": p, "carry": p, "residual": float(1 + Fraction(p))}


def _usual_parameter(chain, target):
    if chain == "sigmoid":
        return 2 * np.arccosh(1 / (2 * np.sqrt(target))) if 0 < target <= 0.25 else None
    if chain == "carry":
        return target if 0 <= target <= 1 else None
    return np.array([target - (chain == "residual")])


def _count(base, size, rounding):
    return None if base >= 1 else np.int64(rounding(np.log(size) / np.log(base) if base else 0.5))


def _word(base):
    return {1: "1", -1: "none"}.get(base, "0" if abs(base) < 1 else "diverges")


def _one_step(x, chain, p):
    if chain in {"plain", "sigmoid"}:
        return torch.sigmoid(x) + (0 if chain == "plain" else p - 1 / (1 + math.exp(-p)))
    branch = p * torch.tanh(x)
    return {"recurrence": torch.tanh(p * x), "weight outside": branch, "carry": x * p, "residual": x + branch}[chain]


def _differentiated(x, chain, p, steps):
    start = x.detach().clone().requires_grad_()
    end = start
    for _ in range(steps):
        end = _one_step(end, chain, p)
    return end.detach(), torch.autograd.grad(end.sum(), start)[0]


def _by_hand(x, chain, p):
    if chain in {"plain", "sigmoid"}:
        s = 1 / (1 + math.exp(-x))
        return s + (0 if chain == "plain" else p - 1 / (1 + math.exp(-p))), s * (1 - s)
    if chain == "carry":
        return p * x, p
    t = math.tanh(p * x if chain == "recurrence" else x)
    return (t, p * (1 - t * t)) if chain == "recurrence" else (x + p * t, 1 + p * (1 - t * t))
