"""The text's own numbers, and unevenly spaced points beside them."""

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np

from grader import Failure, check, close, equal, settings

limits = settings(seconds=4, source="Where the chapters meet, problem 5")

X = np.array([0.0, 1.0, 2.0, 3.0])
FLIPS = np.array([0.0, 1.0, 0.0, 1.0])
NEW = np.array([0.5, 1.5, 2.5])

# Gaps of 1, 2, 1, 1/2 and 1. The flips bend at 0, 2 and 3.5; the labels go straight on at 0 and at 3.
UNEVEN = np.array([-1.0, 0.0, 2.0, 3.0, 3.5, 4.5])
UNEVEN_FLIPS = np.array([1.0, 1.0, 0.0, 0.0, 0.0, 1.0])
LABELS = np.array([1.0, 1.5, 2.5, 1.5, 1.0, 3.0])


@check(points=0.5)
def slopes_at_sight(student):
    """The slopes are 1, -1, 1 for the four flips, and right for points with unequal gaps."""
    close(student.slopes(X, FLIPS), np.array([1.0, -1.0, 1.0]))
    close(student.slopes(UNEVEN, UNEVEN_FLIPS), np.array([0.0, -0.5, 0.0, 0.0, 1.0]))
    close(student.slopes(UNEVEN, LABELS), np.array([0.5, 0.5, -1.0, -1.0, 2.0]))


@check(points=0.5)
def changes_of_label_and_kinks_at_sight(student):
    """The four flips have three changes of label and two kinks; two other rows of labels have 2 and 3, and 5 and 2."""
    equal(student.counts(X, FLIPS), {"label_changes": 3, "kinks": 2})
    equal(student.counts(UNEVEN, UNEVEN_FLIPS), {"label_changes": 2, "kinks": 3})
    equal(student.counts(UNEVEN, LABELS), {"label_changes": 5, "kinks": 2})


@check(points=0.5)
def folded_line_at_sight(student):
    """Half-way between the four flips the folded line is at 1/2; its last piece goes on beyond the last point."""
    close(student.folded_line(X, FLIPS, NEW), np.array([0.5, 0.5, 0.5]))
    close(student.folded_line(UNEVEN, UNEVEN_FLIPS, np.array([4.25, 0.5, 5.5, 2.5, -1.0])), [0.75, 0.75, 2.0, 0.0, 1.0])


@check(points=0.5)
def given_networks_at_sight(student):
    """The network of the statement gives every flip its label, and another one is evaluated as its formula says."""
    given = (0.0, 1.0, np.array([1.0, 1.0]), np.array([-1.0, -2.0]), np.array([-2.0, 2.0]))
    close(student.forward(X, given), FLIPS)
    close(student.forward(NEW, given), np.array([0.5, 0.5, 0.5]))
    other = (-4.0, 1.25, np.array([2.0, -1.0, 0.5]), np.array([1.0, 0.5, -1.0]), np.array([1.5, -0.5, 3.0]))
    close(student.forward(np.array([-1.0, 0.0, 3.0, 0.25]), other), [-6.0, -2.75, 11.75, -1.5625])


def _numbers(value):
    array = np.asarray(value)
    if not all(isinstance(number, (int, float, Fraction)) for number in array.ravel().tolist()):
        raise Failure("a network is described by numbers", kind="type")
    return array.astype(float)


def _memorises(answer, x, y, kinks):
    if isinstance(answer, dict):  # by name, or a named tuple, whose order counts
        answer = [answer[name] for name in "abwcv"] if set(answer) == set("abwcv") else answer.values()
    a, b, w, c, v = map(_numbers, answer)
    if w.ndim != 1 or not w.shape == c.shape == v.shape:
        raise Failure(f"w, c and v must have one length; got shapes {w.shape}, {c.shape} and {v.shape}", kind="shape")
    if len(w) > kinks:
        raise Failure(f"got {len(w)} units; the folded line has {kinks} kinks", kind="length")
    with np.errstate(all="ignore"):  # huge weights overflow to infinity, which is not close to anything
        close(a.item() + b.item() * x + np.maximum(np.outer(x, w) + c, 0) @ v, y, scale=4, growth=8)


@check(points=1, free={"network": "units may be scaled, mirrored, reordered, and sometimes spared"})
def networks_at_sight(student):
    """Two units are enough for the four flips, three and two for the other rows of labels; the training loss is 0."""
    _memorises(student.network(X, FLIPS), X, FLIPS, 2)
    _memorises(student.network(UNEVEN, UNEVEN_FLIPS), UNEVEN, UNEVEN_FLIPS, 3)
    _memorises(student.network(UNEVEN, LABELS), UNEVEN, LABELS, 2)


@check(points=1)
def the_line_at_sight(student):
    """The line is 0.2 + 0.2 x for the four flips; for two other rows of labels intercept and slope are right too."""
    close(student.least_squares(X, FLIPS), (0.2, 0.2))
    close(student.least_squares(UNEVEN, UNEVEN_FLIPS), (13 / 18, -1 / 9))
    close(student.least_squares(UNEVEN, LABELS), (1.35, 0.2))


@check(points=0.5)
def residuals_and_losses_at_sight(student):
    """The residuals of the line are -0.2, 0.6, -0.6 and 0.2 and its loss 0.2; so for the uneven flips."""
    close(student.residuals(X, FLIPS), np.array([-0.2, 0.6, -0.6, 0.2]), growth=4)
    close(student.residuals(UNEVEN, UNEVEN_FLIPS), np.array([3, 5, -9, -7, -6, 14]) / 18, growth=4)
    close(student.mse(np.array([0.2, 0.4, 0.6, 0.8]), FLIPS), 0.2)
    close(student.mse(np.array([15, 13, 9, 7, 6, 4]) / 18, UNEVEN_FLIPS), 11 / 54)


def _expected(got, want, deviation):
    """What is worked out is exact; 40,000 simulated draws are off by 0.03 deviations of one draw, six standard errors.

    ``close`` allows 2^-18 want, times its growth.
    """
    close(got, want, growth=max(4, 0.03 * deviation / (2**-18 * want)))


@check(points=1)
def expected_losses_at_sight(student):
    """On fresh flips the network and the constant expect 0.25 and the line 0.276667; another coin differs."""
    _expected(student.expected_loss(np.array([0.5, 0.5, 0.5]), 0.5), 0.25, 0)
    _expected(student.expected_loss(np.array([0.3, 0.5, 0.7]), 0.5), 83 / 300, 0.0942809)
    _expected(student.expected_loss(np.array([0.25, 1.25, -0.5, 0.5]), 0.3), 0.60625, 0.2920830)


@check(points=0.5)
def standard_errors_at_sight(student):
    """One draw of the line's loss deviates by 0.0943, an average of 10,000 by 0.0009, the network's by nothing."""
    close(student.standard_error(np.array([0.3, 0.5, 0.7]), 0.5, 1), math.sqrt(2 / 225))
    close(student.standard_error(np.array([0.3, 0.5, 0.7]), 0.5, 10000), math.sqrt(2 / 225) / 100)
    close(student.standard_error(np.array([0.5, 0.5, 0.5]), 0.5, 1), 0.0, scale=0.1)
    close(student.standard_error(np.array([0.25, 1.25, -0.5, 0.5]), 0.3, 25), math.sqrt(0.0853125) / 5)


@check(points=0.5)
def the_floor_at_sight(student):
    """No prediction beats 0.25 on fair flips; for a coin that shows 1 one time in five the floor is lower."""
    close(student.best_constant(0.5), (0.5, 0.25))
    close(student.best_constant(0.2), (0.2, 0.16))


def _three(answer):
    if not isinstance(answer, dict) or set(answer) != {"network", "line", "constant"}:
        raise Failure('a dict with the keys "network", "line" and "constant" is wanted', kind="keys")
    return [_two(answer[name]) for name in ("network", "line", "constant")]


def _two(losses):
    if not isinstance(losses, dict) or set(losses) != {"training", "expected"}:
        raise Failure('for each predictor a dict with the keys "training" and "expected" is wanted', kind="keys")
    return losses["training"], losses["expected"]


@check(points=1)
def the_report_at_sight(student):
    """Training loss 0 and 0.2, expected loss 0.25 and 0.276667, and what comes of uneven flips and a coin of 1/4."""
    network, line, constant = _three(student.report(X, FLIPS, NEW, 0.5))
    close([network[0], line[0], constant[0]], [0.0, 0.2, 0.25])
    _expected(network[1], 0.25, 0)
    _expected(line[1], 83 / 300, 0.0942809)
    _expected(constant[1], 0.25, 0)
    network, line, constant = _three(student.report(UNEVEN, UNEVEN_FLIPS, np.array([0.5, 2.5, 4.25]), 0.25))
    close([network[0], line[0], constant[0]], [0.0, 11 / 54, 0.25])
    _expected(network[1], 0.375, 0.1767767)
    _expected(line[1], 1003 / 3888, 0.0882063)
    _expected(constant[1], 0.25, 0)


def _ranked(names, losses):
    if sorted(names) != sorted(losses):
        raise Failure(f"the three names are wanted, each once; got {names}", kind="value")
    in_order = [losses[name] for name in names]
    if any(later < earlier - 1e-3 for earlier, later in pairwise(in_order)):
        raise Failure(f"in the order {names} the expected losses are {in_order}", kind="value")


@check(points=0.5)
def the_ranking_at_sight(student):
    """For the four flips the line comes last and the other two tie; for the uneven flips the network comes last."""
    _ranked(student.ranking(X, FLIPS, NEW, 0.5), {"network": 0.25, "line": 0.276667, "constant": 0.25})
    losses = {"network": 0.375, "line": 0.257973, "constant": 0.25}
    _ranked(student.ranking(UNEVEN, UNEVEN_FLIPS, np.array([0.5, 2.5, 4.25]), 0.25), losses)
