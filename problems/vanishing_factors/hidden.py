"""Other numbers, signs and lengths, exact zeros, factors next to one, and chains that do not rest."""

from math import inf, log

import numpy as np
from hypothesis import strategies as st

from grader import check, close, equal, uniform

STATIONARY_SIGMOID = 0.6590460684074066  # the solution of sigmoid(x) = x, by bisection
NEXT_TO_ONE = 2.0**-20  # exact in either dtype, also when added to 1


def _either_sign(low, high):
    return st.one_of(st.floats(low, high), st.floats(-high, -low))


# Factors stay away from 1 and, where they are differences, from 0.
AT_REST = st.fixed_dictionaries(
    {
        "sigmoid": _either_sign(0.2, 2.5),
        "recurrence": st.one_of(_either_sign(0.3, 0.9), _either_sign(1.1, 1.6)),
        "carry": st.floats(0.05, 0.95),
        "residual": st.one_of(st.floats(-2.6, -2.1), st.floats(-1.8, -1.2), st.floats(-0.8, -0.1), st.floats(0.1, 1.5)),
    }
)
# From elsewhere a residual factor may not pass near zero on its way.
MOVING = st.fixed_dictionaries(
    {
        "sigmoid": _either_sign(0.3, 2.0),
        "recurrence": _either_sign(0.5, 1.4),
        "carry": st.floats(0.5, 0.95),
        "residual": st.one_of(st.floats(-0.7, -0.2), st.floats(0.2, 0.7)),
        "plain": st.just(0.0),
    }
)
# Every factor at rest is less than 0.01 in size, so that after 170 steps no float can hold the product. The plain
# stack has one of 0.2247 where it ends up and needs 510.
STRONG = st.fixed_dictionaries(
    {
        "sigmoid": _either_sign(4.65, 5.5),
        "recurrence": st.floats(-0.009, -0.002),
        "carry": st.floats(0.002, 0.009),
        "residual": st.floats(-0.998, -0.991),
        "plain": st.just(0.0),
    }
)


def _starts(others):
    """Starts on both sides of zero, at least 0.2 from each other and from zero."""
    return uniform((others,), 0.0, 0.3).map(lambda jitter: np.array([-1.2, 0.3, 0.8, 1.4])[:others] + jitter)


@check(points=0.5, examples=6, given={"numbers": AT_REST})
def factors_anywhere(student, reference, numbers):
    """The factors of one step are right at any point, weight, gate and branch."""
    for chain, p in numbers.items():
        close(student.step_factor(chain, p), reference.step_factor(chain, p), growth=2)


@check(points=1, examples=3, given={"numbers": AT_REST, "steps": st.integers(90, 150)})
def products_anywhere(student, reference, numbers, steps):
    """Derivatives are right after any number of steps, odd or even, none and one included, however small."""
    for place, (chain, p) in enumerate(numbers.items()):
        for length in ((steps + place) % 2, steps, steps + 1):
            close(student.derivative(chain, p, length), reference.derivative(chain, p, length), growth=length + 1)


@check(points=0.5, examples=2, given={"steps": st.integers(1, 12), "others": st.integers(1, 3)})
def a_factor_of_zero_ends_it(student, steps, others):
    """A factor of zero leaves exactly zero after any number of steps, in formulas and in torch, and 1 after none."""
    for chain, p in (("residual", -1.0), ("carry", 0.0), ("recurrence", 0.0)):
        equal(student.derivative(chain, p, steps), 0)
        equal(student.derivative(chain, p, 0), 1)
        x = np.zeros(others)
        _, slopes = _pair(student.through_chain(x, chain, p, steps))
        equal(slopes, np.zeros(others))
        close(student.long_chain(x, chain, p, steps), (np.zeros(others), np.full(others, -inf)), scale=1)


@check(
    points=0.5,
    examples=8,
    given={"p": st.integers(-3000, 3000).map(lambda count: count / 1024), "f": st.floats(0.01, 0.99)},
)
def limits_anywhere(student, reference, p, f):
    """The words are right for any number, for a gate as for a weight."""
    for chain in ("sigmoid", "recurrence", "residual"):
        equal(student.limit(chain, p), reference.limit(chain, p))
    equal(student.limit("carry", f), "0")


@check(points=0.5, examples=2, given={"near": st.integers(1, 8).map(lambda count: count * NEXT_TO_ONE)})
def next_to_one_is_not_one(student, near):
    """However close a factor is to 1 or to -1, only 1 and -1 themselves keep the size of the derivative."""
    for sign, word in ((1, "1"), (-1, "none")):
        equal(student.limit("recurrence", float(sign)), word)
        equal(student.limit("recurrence", sign * (1 - near)), "0")
        equal(student.limit("recurrence", sign * (1 + near)), "diverges")
    for a, word in ((-near, "0"), (near, "diverges"), (-2.0, "none"), (-2 + near, "0"), (-2 - near, "diverges")):
        equal(student.limit("residual", a), word)
    equal(student.limit("carry", 1 - near), "0")


@check(
    points=0.5,
    examples=3,
    given={"slope": st.floats(0.03, 0.2), "share": st.floats(0.02, 0.98), "beyond": st.floats(1.05, 3)},
)
def parameters_anywhere(student, reference, slope, share, beyond):
    """Any factor that a chain can have is reached, and None says so where it cannot."""
    close(student.parameter_for("sigmoid", slope), reference.parameter_for("sigmoid", slope))
    for chain in ("recurrence", "residual"):
        for target in (share, -share, beyond, -beyond):
            close(student.parameter_for(chain, target), reference.parameter_for(chain, target), scale=1)
    close(student.parameter_for("carry", share), share)
    close(student.parameter_for("carry", 0.0), 0.0, scale=1)
    for target in (0.2501 + share, beyond, 0.0, -slope):
        equal(student.parameter_for("sigmoid", target), None)
    for target in (-share, beyond):
        equal(student.parameter_for("carry", target), None)


def _no_tie(drawn):
    steps = log(drawn["size"]) / log(drawn["base"])
    return abs(steps - round(steps)) > 0.02


@check(
    points=0.5,
    examples=4,
    given=st.fixed_dictionaries({"base": st.floats(0.05, 0.97), "size": st.floats(1e-6, 0.6)}).filter(_no_tie),
)
def steps_anywhere(student, reference, base, size):
    """The number of steps is right for factors of either sign, and None says so where the size never falls."""
    wanted = reference.steps_until("carry", base, size)
    for chain, p in (("carry", base), ("recurrence", base), ("recurrence", -base), ("residual", base - 1)):
        equal(student.steps_until(chain, p, size), wanted)
    equal(student.steps_until("residual", -base - 1, size), wanted)
    for chain, p in (
        ("recurrence", -1.0),
        ("recurrence", 1 + base),
        ("carry", 1.0),
        ("residual", base),
        ("residual", -2.5),
    ):
        equal(student.steps_until(chain, p, size), None)


@check(
    points=0.5,
    examples=5,
    given={"exponents": uniform((st.integers(30, 60),), -15, 3), "signs": st.integers(0, 2**60 - 1)},
)
def logarithms_of_unequal_factors(student, exponents, signs):
    """Sign and log10 are right for factors of any sizes and signs, a single one included, and for a zero among them."""
    sign = np.array([1 - 2 * (signs >> place & 1) for place in range(len(exponents))])
    factors = sign * 10.0**exponents
    for some in (factors, factors[:1], np.append(factors[1:], -factors[0])):
        want = (np.prod(np.sign(some)), np.log10(np.abs(some)).sum())
        close(student.signed_log10(some), want, growth=4, scale=np.abs(exponents).max())
    close(student.signed_log10(np.append(factors, 0.0)), (0, -inf), scale=1)
    close(student.signed_log10(10.0 ** np.abs(exponents)), (1, np.abs(exponents).sum()), growth=4)


@check(
    points=1, examples=4, given={"numbers": MOVING, "steps": st.integers(2, 8), "x": st.integers(2, 4).flatmap(_starts)}
)
def chains_from_anywhere(student, reference, numbers, steps, x):
    """Ends and derivatives are right from any starts, where the factor changes from step to step."""
    for place, (chain, p) in enumerate(numbers.items()):
        for length in (steps, (steps + place) % 2):
            got = _pair(student.through_chain(x, chain, p, length))
            ends, slopes = reference.through_chain(x, chain, p, length)
            close(got[0], ends, growth=8)
            close(got[1], slopes, growth=8)


@check(points=0.5, examples=3, given={"numbers": AT_REST, "steps": st.integers(9, 20), "others": st.integers(1, 3)})
def a_resting_chain_is_a_power(student, reference, numbers, steps, others):
    """Started at its resting point a chain stays there, and torch finds the powers of part 1."""
    for chain, p in numbers.items():
        rest = np.full(others, p if chain == "sigmoid" else 0.0)
        ends, slopes = _pair(student.through_chain(rest, chain, p, steps))
        close(ends, rest, scale=1, growth=4)
        close(slopes, np.full(others, reference.derivative(chain, p, steps)), growth=steps)


@check(points=0.5, examples=3, given={"steps": st.integers(2, 9), "x": st.integers(2, 4).flatmap(_starts)})
def plain_sigmoids_drift(student, reference, steps, x):
    """Without recentring all starts end at the same place, and the slopes on the way there are what counts."""
    ends, slopes = reference.through_chain(x, "plain", 0.0, steps)
    got = _pair(student.through_chain(x, "plain", 0.0, steps))
    close(got[0], ends, growth=8)
    close(got[1], slopes, growth=8)
    ends, _ = _pair(student.through_chain(x, "plain", 0.0, 20))
    close(ends, np.full(len(x), STATIONARY_SIGMOID), growth=8)


@check(
    points=1,
    examples=1,
    given={"numbers": STRONG, "weight": _either_sign(0.5, 1.4), "steps": st.integers(85, 90), "x": _starts(3)},
)
def long_chains_from_anywhere(student, reference, *, numbers, weight, steps, x):
    """Sign and log10 are right from any starts where no float holds the derivative, after an odd number as well."""
    for chain, p in numbers.items():
        length = 2 * steps + {"recurrence": 1, "plain": 340}.get(chain, 0)
        signs, logarithms = reference.long_chain(x, chain, p, length)
        got = _pair(student.long_chain(x, chain, p, length))
        close(got[0], signs)
        close(got[1], logarithms, growth=8)
    # Weights as small as those hardly let the recurrence's factor change on the way; this one does.
    few = reference.long_chain(x, "recurrence", weight, 3)
    close(_pair(student.long_chain(x, "recurrence", weight, 3)), few, scale=1, growth=8)
    large = student.long_chain(np.zeros(2), "residual", 999.0, steps + 25)
    close(large, ([1, 1], [3.0 * (steps + 25)] * 2), growth=8)


def _pair(answer):
    first, second = answer.values() if isinstance(answer, dict) else answer  # a named tuple comes as a dict
    return first, second
