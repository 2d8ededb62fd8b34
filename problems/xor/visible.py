"""The text's own numbers, and one network in general position."""

import math
from fractions import Fraction

import numpy as np

from grader import Failure, check, close, equal, settings

limits = settings(
    seconds=4,
    dtype="float64",  # difference quotients: in float32 their rounding would hide a mistake of the fourth digit
    by_hand=True,
    source="Where the chapters meet, problem 1",
)

CORNERS = [[0, 0], [0, 1], [1, 0], [1, 1]]
AND, XOR = [0, 0, 0, 1], [0, 1, 1, 0]

X = np.array(CORNERS, dtype=float)
T = np.array([0.0, 1.0, 1.0, 0.0])
C = np.array([0.0, -1.0])
V = np.array([1.0, -2.0])
DISTURBED = np.array([1.0, -1.8])
HIDDEN = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 0.0], [2.0, 1.0]])


def _exact(value, shape):
    array = np.asarray(value)
    if array.shape != shape:
        raise Failure(f"numbers of shape {shape} are wanted here; got shape {array.shape}", kind="shape")
    numbers = array.ravel().tolist()
    if not all(isinstance(number, (int, float, Fraction)) and abs(number) < math.inf for number in numbers):
        raise Failure("every entry must be a finite number: an int, a float or a Fraction", kind="type")
    return [Fraction(number) for number in numbers]


def _members(answer):
    return tuple(answer.values()) if isinstance(answer, dict) else answer  # a named tuple comes as a dict


def _prove(labels, answer):
    kind, numbers = _members(answer)
    signs = [1 if label else -1 for label in labels]
    if kind == "weights":
        w1, w2, b = _exact(numbers, (3,))
        holds = all((w1 * p + w2 * q + b > 0) == (sign > 0) for (p, q), sign in zip(CORNERS, signs, strict=True))
    elif kind == "multipliers":
        found = _exact(numbers, (4,))
        rows = [(sign, sign * p, sign * q) for (p, q), sign in zip(CORNERS, signs, strict=True)]
        sums = [sum(m * a for m, a in zip(found, column, strict=True)) for column in zip(*rows, strict=True)]
        holds = min(found) >= 0 and max(found) > 0 and not any(sums)
    else:
        raise Failure('the first entry of a certificate is "weights" or "multipliers"', kind="value")
    if not holds:
        raise Failure(f"for the labels {labels} these {kind} prove nothing: {numbers}", kind="value")


@check(points=0.5, free={"certificate": "every multiple of a certificate is one, and there are many lines"})
def and_and_xor_have_certificates(student):
    """AND gets weights that separate it, XOR gets multipliers that rule every line out."""
    _prove(AND, student.certificate(CORNERS, AND))
    _prove(XOR, student.certificate(CORNERS, XOR))


@check(points=0.5)
def given_certificates_are_judged(student):
    """Certificates for AND, for XOR and for five points in space are judged rightly, the boundary included."""
    equal(student.verifies(CORNERS, AND, "weights", [2, 2, -4]), False)
    equal(student.verifies(CORNERS, AND, "weights", [1, 1, -1]), True)
    equal(student.verifies(CORNERS, XOR, "weights", [1, 1, 0]), False)
    equal(student.verifies(CORNERS, XOR, "multipliers", [0, 0, 0, 0]), False)
    equal(student.verifies(CORNERS, XOR, "multipliers", [Fraction(1, 2)] * 4), True)
    space, weights = [[3, 1, 0], [0, 1, 3], [2, 0, 0], [1, -1, 3], [2, 5, 1]], [Fraction(1, 2), -1, Fraction(1, 3)]
    equal(student.verifies(space, [1, 0, 1, 1, 0], "weights", [*weights, Fraction(-1, 2)]), False)
    equal(student.verifies(space, [0, 0, 1, 1, 0], "weights", [*weights, Fraction(-1, 2)]), True)
    between = [[3, 1, 0], [0, 1, 3], [2, 1, 1]]
    equal(student.verifies(between, [1, 1, 0], "multipliers", [1, 2, 3]), False)
    equal(student.verifies(between, [1, 1, 0], "multipliers", [2, 1, 3]), True)


@check(points=1, free={"network": "many networks of two units compute XOR"})
def two_units_compute_xor(student):
    """The network of two ReLU units gives 0, 1, 1, 0 on the four examples."""
    weights, biases, outgoing, bias = _members(student.network())
    w = np.array(_exact(weights, (2, 2)), dtype=float).reshape(2, 2)
    c, v = (np.array(_exact(part, (2,)), dtype=float) for part in (biases, outgoing))
    b = float(_exact(np.reshape(bias, -1), (1,))[0])
    with np.errstate(all="ignore"):  # huge weights overflow to infinity, which is not close to anything
        outputs = np.maximum(X @ w.T + c, 0) @ v + b
    close(outputs, T)


@check(points=0.5)
def the_given_network_computes_xor(student):
    """At s = 0, 1, 1, 2 the hidden units are (0,0), (1,0), (1,0), (2,1) and the outputs 0, 1, 1, 0."""
    close(student.forward(X, C, V), (HIDDEN, T))


@check(points=0.5)
def loss_and_gradients_after_the_disturbance(student):
    """With v2 = -1.8 the last output is 0.2, the loss 0.01 and the gradients 0.1, -0.18 and 0.1."""
    outputs = np.array([0.0, 1.0, 1.0, 0.2])
    close(student.forward(X, C, DISTURBED), (HIDDEN, outputs))
    close(student.loss(outputs, T), 0.01)
    close(student.gradients(X, T, C, DISTURBED), {"v2": 0.1, "c2": -0.18, "c1": 0.1})


@check(points=0.5)
def a_network_in_general_position(student):
    """Three other examples, other targets, biases and weights, with both units on, one on, and both off."""
    x, t = np.array([[0.5, 1.0], [-1.0, 0.25], [2.0, -1.0]]), np.array([2.0, 0.5, 1.0])
    c, v = np.array([0.5, -1.25]), np.array([1.5, -0.75])
    hidden, outputs = np.array([[2.0, 0.25], [0.0, 0.0], [1.5, 0.0]]), np.array([2.8125, 0.0, 2.25])
    close(student.forward(x, c, v), (hidden, outputs))
    close(student.loss(outputs, t), 633 / 768)
    close(student.gradients(x, t, c, v), {"v2": 13 / 96, "c2": -0.40625, "c1": 2.0625})


@check(points=0.5)
def central_differences_and_kinks(student):
    """With eps = 0.1 the central difference confirms dL/dv2; those of the biases are bent by three kinks."""
    close(student.central_difference(X, T, C, DISTURBED, name="v2", eps=0.1), 0.1, growth=16)
    close(student.central_difference(X, T, C, DISTURBED, name="c2", eps=0.1), -0.099, growth=16)
    close(student.central_difference(X, T, C, DISTURBED, name="c1", eps=0.1), 0.1125, growth=16)
    equal(student.kinks(X, C), np.array([[True, False], [False, True], [False, True], [False, False]]))


@check(points=0.5)
def each_step_halves_the_distance(student):
    """With step size 1, v2 goes from -1.8 to -1.9, to -1.95 and to -1.975."""
    close(student.descend(X, T, C, DISTURBED, eta=1.0, steps=3), np.array([-1.9, -1.95, -1.975]))
