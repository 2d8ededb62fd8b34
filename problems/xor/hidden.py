"""Certificates in any dimension, networks in general position, other steps, and what is exactly zero."""

import math
from fractions import Fraction
from itertools import product

import numpy as np
from hypothesis import strategies as st

from grader import Failure, check, close, equal, normal

CORNERS = [[0, 0], [0, 1], [1, 0], [1, 1]]
X = np.array(CORNERS, dtype=float)
T = np.array([0.0, 1.0, 1.0, 0.0])
C = np.array([0.0, -1.0])
TINY = Fraction(1, 10**30)

seeds = st.integers(0, 2**32 - 1)


def _exact(value, length):
    array = np.asarray(value)
    if array.shape != (length,):
        raise Failure(f"{length} numbers are wanted; got shape {array.shape}", kind="shape")
    numbers = array.tolist()
    if not all(isinstance(number, (int, float, Fraction)) and abs(number) < math.inf for number in numbers):
        raise Failure("every entry must be a finite number: an int, a float or a Fraction", kind="type")
    return [Fraction(number) for number in numbers]


@check(
    points=1,
    examples=2,
    given={"order": st.permutations(range(4)).filter(lambda order: list(order) != sorted(order))},
    free={"certificate": "every multiple of a certificate is one, and there are many lines"},
)
def all_sixteen_functions_have_certificates(student, reference, order):
    """Each of the sixteen functions of two inputs gets a certificate that holds, in any order of the corners."""
    points = [CORNERS[place] for place in order]
    for labels in map(list, product([0, 1], repeat=4)):
        answer = student.certificate(points, labels)
        kind, numbers = answer.values() if isinstance(answer, dict) else answer  # a named tuple comes as a dict
        if kind not in {"weights", "multipliers"}:
            raise Failure('the first entry of a certificate is "weights" or "multipliers"', kind="value")
        numbers = _exact(numbers, 3 if kind == "weights" else 4)
        if not reference.verifies(points, labels, kind, numbers):
            raise Failure(f"on {points} with labels {labels} these {kind} prove nothing: {numbers}", kind="value")


def _line(seed, rows, width):
    """Integer points around a plane: the first lies on it, the second on its positive side."""
    rng = np.random.default_rng(seed)
    weights = rng.integers(1, 4, width) * rng.choice([-1, 1], width)
    points = rng.integers(-5, 6, (rows, width))
    points[0] = rng.choice([-1, 1]) * np.sign(weights) * rng.integers(1, 6, width)
    points[1] = points[0] + weights
    bias = -weights @ points[0]
    points = rng.permutation(points)
    return {"points": points.tolist(), "weights": weights.tolist(), "bias": int(bias)}


lines = st.builds(_line, seeds, st.integers(2, 7), st.integers(1, 4))


def _arguments(points, weights, bias):
    return [sum(w * a for w, a in zip(weights, point, strict=True)) + bias for point in points]


@check(points=0.5, examples=8, given=lines)
def weights_are_judged_in_any_dimension(student, points, weights, bias):
    """A negative example on the boundary is allowed, a positive one is not, and a reversed line fits nothing."""
    z = _arguments(points, weights, bias)
    labels = [int(argument > 0) for argument in z]
    on_line_positive = [int(argument >= 0) for argument in z]
    third = [Fraction(number, 3) for number in [*weights, bias]]
    equal(student.verifies(points, on_line_positive, "weights", third), False)
    equal(student.verifies(points, labels, "weights", third), True)
    equal(student.verifies(points, labels, "weights", [-number for number in third]), False)
    equal(student.verifies(points, labels, "weights", [*weights, bias + 1]), False)


def _contradiction(seed, others, width):
    """Two positive and two negative points whose connecting lines cross, and bystanders."""
    rng = np.random.default_rng(seed)
    total = int(rng.integers(3, 8))
    first, second = rng.integers(1, total, 2)
    centre, along, across = rng.integers(1, 4, (3, width)) * rng.choice([-1, 1], (3, width))
    crossing = [centre + (total - first) * along, centre - first * along]
    crossing += [centre + (total - second) * across, centre - second * across]
    points = np.array([*crossing, *rng.integers(-5, 6, (others, width))])
    labels = np.array([1, 1, 0, 0, *rng.integers(0, 2, others)])
    multipliers = np.array([first, total - first, second, total - second, *[0] * others])
    order = rng.permutation(len(points))
    return {
        "points": points[order].tolist(),
        "labels": labels[order].tolist(),
        "multipliers": multipliers[order].tolist(),
        "centre": centre.tolist(),
        "along": along.tolist(),
    }


contradictions = st.builds(_contradiction, seeds, st.integers(0, 3), st.integers(1, 4))


@check(points=0.5, examples=8, given={"crossing": contradictions})
def multipliers_are_judged_in_any_dimension(student, crossing):
    """Multipliers count if none is negative, a positive example's is above zero, and every sum balances."""
    points, labels, centre = crossing["points"], crossing["labels"], crossing["centre"]
    scaled = [Fraction(m, 7) for m in crossing["multipliers"]]
    ahead, double = ([p + k * a for p, a in zip(centre, crossing["along"], strict=True)] for k in (1, 2))
    equal(student.verifies(points, labels, "multipliers", [0] * len(points)), False)
    equal(student.verifies([ahead, double, centre], [1, 1, 0], "multipliers", [2, -1, 1]), False)
    equal(student.verifies([centre, [2 * p for p in centre]], [1, 0], "multipliers", [2, 1]), False)
    equal(student.verifies(points, labels, "multipliers", [scaled[0] + 1, *scaled[1:]]), False)
    equal(student.verifies(points, labels, "multipliers", [-m for m in scaled]), False)
    equal(student.verifies(points, labels, "multipliers", scaled), True)


def _only(strategy, *names):
    return strategy.map(lambda drawn: {name: drawn[name] for name in names})


@check(
    points=1,
    examples=8,
    given={"line": lines, "crossing": _only(contradictions, "points", "labels", "multipliers")},
)
def verification_is_exact(student, line, crossing):
    """A point 10^-30 above the boundary is above it, and sums that miss each other by 10^-30 do not balance."""
    points, z = line["points"], _arguments(**line)
    above, below = [int(argument >= 0) for argument in z], [int(argument > 0) for argument in z]
    raised = [*line["weights"], line["bias"] + TINY]
    equal(student.verifies(points, above, "weights", raised), True)
    equal(student.verifies(points, below, "weights", raised), False)
    points, labels, multipliers = crossing["points"], crossing["labels"], crossing["multipliers"]
    place = multipliers.index(max(multipliers))
    disturbed = [*multipliers[:place], multipliers[place] + TINY, *multipliers[place + 1 :]]
    equal(student.verifies(points, labels, "multipliers", disturbed), False)
    equal(student.verifies(points, labels, "multipliers", [m * TINY for m in multipliers]), True)


def _network(seed, others, width):
    """Examples at least 0.4 off both kinks: the first has both units on, the second one, the third none.

    All errors have one sign, so that no sum over the examples cancels.
    """
    rng = np.random.default_rng(seed)
    c = rng.permutation(rng.choice([-1.5, -0.5, 0.5, 1.5], 2, replace=False))
    s = np.array([2, -c.min() - 0.5, -2, *rng.integers(-2, 3, others)]) + rng.uniform(-0.1, 0.1, others + 3)
    x = rng.normal(0, 1, (others + 3, width))
    x[:, -1] += s - x.sum(axis=1)
    v = rng.uniform(0.5, 2, 2) * rng.choice([-1, 1], 2)
    v[c.argmax()] = -abs(v[c.argmax()])
    y = np.maximum(s[:, None] + c, 0) @ v
    t = y + rng.choice([-1, 1]) * rng.uniform(1, 3, others + 3)
    return {"x": x, "t": t, "c": c, "v": v}


networks = st.builds(_network, seeds, st.integers(0, 4), st.integers(1, 4))


@check(points=0.5, examples=8, given=_only(networks, "x", "c", "v"))
def forward_at_any_weights(student, reference, x, c, v):
    """Hidden values and outputs are right for any number of inputs and of examples, a single one included."""
    for some in (x, x[1:2]):
        close(student.forward(some, c, v), reference.forward(some, c, v), growth=4)


@check(points=0.5, examples=8, given={"pairs": normal((st.integers(1, 9), 2), 2)})
def loss_of_any_number_of_examples(student, pairs):
    """The loss is a mean: any number of examples, and every example twice gives the same."""
    y, t = pairs.T
    mean = math.fsum((pairs[:, 0] - pairs[:, 1]) ** 2) / len(pairs)
    close(student.loss(y, t), mean, growth=4)
    close(student.loss(np.tile(y, 2), np.tile(t, 2)), mean, growth=4)


def _given(network):
    return network["x"], network["t"], network["c"], network["v"]


@check(points=1, given={"network": networks})
def gradients_at_any_weights(student, reference, network):
    """The three derivatives are right wherever no example sits on a kink, for any number of examples."""
    given = _given(network)
    close(student.gradients(*given), reference.gradients(*given), growth=4)


@check(points=0.5, examples=8, given={"network": networks})
def a_unit_that_is_off_passes_nothing_back(student, reference, network):
    """Where h2 is off on every example dL/dv2 and dL/dc2 are zero and dL/dc1 is not, for a single example as well."""
    x, t, c, v = _given(network)
    off = np.array([max(c), -9.0])
    for some in (slice(None), slice(0, 1)):
        given = x[some], t[some], off, v
        close(student.gradients(*given), reference.gradients(*given), scale=1, growth=4)


@check(points=0.5, examples=8, given={"network": networks, "eps": st.floats(0.2, 0.3)})
def central_differences_agree_off_the_kinks(student, reference, network, eps):
    """Where no example comes near a kink, the central difference of each parameter is its derivative."""
    given = _given(network)
    wanted = reference.gradients(*given)
    for name in ("v2", "c2", "c1"):
        close(student.central_difference(*given, name=name, eps=eps), wanted[name], growth=64)


def _kinked(seed, width):
    rng = np.random.default_rng(seed)
    c = rng.choice(np.arange(1, 9), 2, replace=False) * rng.choice([-1, 1], 2) / 4
    s = rng.permutation(np.array([-c[0], -c[1], 0.0, *rng.integers(-8, 9, 4) / 4]))
    x = rng.integers(-8, 9, (7, width)) / 4
    x[:, -1] += s - x.sum(axis=1)
    return {"x": x, "c": c}


@check(points=0.5, examples=8, given=st.builds(_kinked, seeds, st.integers(1, 4)))
def kinks_are_where_an_argument_is_zero(student, x, c):
    """A unit is on its kink where its own argument is exactly zero, not where it is off and not where s is zero."""
    equal(student.kinks(x, c), np.array([[sum(row) + bias == 0 for bias in c] for row in x.tolist()]))


@check(points=0.5, examples=8, given={"network": networks, "rate": st.floats(0.2, 1.5), "steps": st.integers(2, 5)})
def only_v2_moves(student, reference, network, rate, steps):
    """Every step is taken at the v2 that the last one left, and nothing else moves."""
    given = _given(network)
    h, _ = reference.forward(network["x"], network["c"], network["v"])
    eta = rate * len(h) / (2 * float(h[:, 1] @ h[:, 1]))
    wanted = reference.descend(*given, eta=eta, steps=steps)
    close(student.descend(*given, eta=eta, steps=steps), wanted, growth=8)


@check(points=0.5, examples=8, given={"v2": st.floats(-3, 3), "eta": st.floats(0.1, 4), "steps": st.integers(1, 4)})
def each_step_scales_the_distance(student, v2, eta, steps):
    """On the four XOR examples one step multiplies the distance of v2 from -2 by 1 - eta/2, whatever eta is."""
    wanted = -2 + (v2 + 2) * (1 - eta / 2) ** np.arange(1, steps + 1)
    close(student.descend(X, T, C, np.array([1.0, v2]), eta=eta, steps=steps), wanted, growth=8, scale=2)
