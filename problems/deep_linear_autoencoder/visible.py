"""The four points and the network of the page, and one instance of each kind in general position."""

from fractions import Fraction
from itertools import pairwise

import numpy as np

from grader import Failure, check, close, equal, settings

limits = settings(seconds=10, source="Where the chapters meet, problem 8")

# The data of the page: 2 u1 + u2, 2 u1 - u2, -2 u1 + u2, -2 u1 - u2 with u1 = (0.8, 0.6), u2 = (-0.6, 0.8).
FOUR = np.array([[1.0, 2.0], [2.2, 0.4], [-2.2, -0.4], [-1.0, -2.0]])
FOUR_S = np.array([[2.92, 1.44], [1.44, 2.08]])
PROJECTOR = np.array([[0.64, 0.48], [0.48, 0.36]])
TEXT = [
    np.array([[0.8, 0.6], [0.0, 0.0], [1.0, 0.0]]),
    np.array([[1.0, 0.0, 0.0]]),
    np.array([[1.0], [0.0], [0.0]]),
    np.array([[0.8, 0.0, 0.0], [0.6, 0.0, 0.0]]),
]
TEXT_TIMES_5 = [
    np.array([[4, 3], [0, 0], [5, 0]]),
    np.array([[1, 0, 0]]),
    np.array([[1], [0], [0]]),
    np.array([[4, 0, 0], [3, 0, 0]]),
]

# Five points whose mean is (2, 1, 2), and a network of widths 3, 2, 4, 3.
POINTS = np.array([[1.0, 0.0, 2.0], [3.0, 1.0, 0.0], [2.0, 4.0, 1.0], [0.0, 2.0, 5.0], [4.0, -2.0, 2.0]])
POINTS_S = np.array([[2.0, -1.4, -1.6], [-1.4, 4.0, 0.0], [-1.6, 0.0, 2.8]])
NETWORK = [
    np.array([[1, 2, 0], [0, -1, 3]]),
    np.array([[1, 0], [2, 1], [0, -1], [1, 1]]),
    np.array([[1, 0, 2, 0], [0, 1, 0, -1], [3, 0, 0, 1]]),
]
M = np.array([[1, 4, -6], [1, 2, 0], [4, 7, 3]])
BACK = np.array([[-3.0, -2.0, -9.0], [15.0, 2.0, 0.0], [20.0, 7.0, 20.0], [-14.0, 1.0, 10.0], [-8.0, -3.0, -11.0]])

# Eigenvalues 6, 3, 1 with eigenvectors (2, 2, 1)/3, (1, -2, 2)/3, (2, -1, -2)/3.
SPACE_S = np.array([[31.0, 16.0, 14.0], [16.0, 37.0, 2.0], [14.0, 2.0, 22.0]]) / 9

THOUSANDTH = 1e-3 / (16 * 2.0**-23)  # makes close allow a thousandth of |want| + scale


def _attains(m, s, k, lost):
    """Demand rank at most k, and a loss of ``lost`` up to a thousandth of the trace of S."""
    m = np.asarray(m, dtype=float)
    if m.shape != s.shape:
        raise Failure(f"got shape {m.shape}, want shape {s.shape}", kind="shape")
    if not np.isfinite(m).all():
        raise Failure("the map holds what is no finite number", kind="NaN")
    spare = np.linalg.svd(m, compute_uv=False)[k:].max(initial=0.0)
    if spare > 1e-3:
        raise Failure(f"the rank is above {k}: singular value {k + 1} is {spare:.3g}", kind="value", share=1e3 * spare)
    rest = np.eye(len(s)) - m
    close(np.trace(rest @ s @ rest.T), lost, scale=np.trace(s) - lost, growth=THOUSANDTH)


def _multiplied(answer, widths):
    """Return the product of a student's layers, demanding the shapes that the widths ask for."""
    layers = tuple(answer.values()) if isinstance(answer, dict) else answer  # named fields come as a dict
    if not isinstance(layers, (list, tuple, np.ndarray)) or len(layers) != len(widths) - 1:
        raise Failure(f"a list of {len(widths) - 1} matrices is wanted, one a layer", kind="length")
    m = np.eye(widths[0])
    for place, (layer, (before, after)) in enumerate(zip(layers, pairwise(widths), strict=True), start=1):
        w = np.asarray(layer, dtype=float)
        if w.shape != (after, before):
            raise Failure(f"W_{place} has shape {w.shape}; the widths ask for {(after, before)}", kind="shape")
        with np.errstate(all="ignore"):  # huge weights overflow, and then the map is not finite
            m = w @ m
    return m


def _proves(answer, wanted, k):
    """Demand factors of inner size at most k whose product is exactly the wanted matrix of whole numbers."""
    pair = tuple(answer.values()) if isinstance(answer, dict) else answer
    if not isinstance(pair, (list, tuple)) or len(pair) != 2:
        raise Failure("a pair (D, E) is wanted", kind="length")
    d, e = (np.asarray(part) for part in pair)
    size = len(wanted)
    if d.ndim != 2 or not 1 <= d.shape[1] <= k or (d.shape, e.shape) != ((size, d.shape[1]), (d.shape[1], size)):
        want = f"({size}, r) and (r, {size}) with 1 <= r <= {k}"
        raise Failure(f"got shapes {d.shape} and {e.shape}, want {want}", kind="shape")
    left, right = ([[_exact(entry) for entry in row] for row in part.tolist()] for part in (d, e.T))
    exact = [[sum(a * b for a, b in zip(row, column, strict=True)) for column in right] for row in left]
    if exact != wanted.tolist():
        raise Failure(f"D E is not exactly M: got {np.array(exact, dtype=float).tolist()}", kind="value")


def _exact(entry):
    if isinstance(entry, bool) or not isinstance(entry, (int, float, Fraction)) or not abs(entry) < np.inf:
        raise Failure("every entry must be a finite number: an int, a float or a Fraction", kind="type")
    return Fraction(entry)


@check(points=0.5)
def covariances_at_sight(student):
    """The covariance is right for the four points and for five points in space whose mean is not zero."""
    close(student.covariance(FOUR), FOUR_S)
    close(student.covariance(POINTS), POINTS_S, growth=4)


@check(points=0.5)
def products_at_sight(student):
    """The four layers of the page multiply to u1 u1^T, and three other layers to a map that is not symmetric."""
    close(student.product(TEXT), PROJECTOR)
    close(student.product(NETWORK), M)


@check(points=0.5)
def reconstructions_at_sight(student):
    """The network of the page puts the four points on the line along u1; points with another mean are right as well."""
    on_the_line = np.array([[1.6, 1.2], [1.6, 1.2], [-1.6, -1.2], [-1.6, -1.2]])
    close(student.reconstruct(TEXT, FOUR), on_the_line)
    close(student.reconstruct(NETWORK, POINTS), BACK, growth=4)


@check(points=0.5)
def losses_at_sight(student):
    """Both forms of the loss are 1 for the network of the page and 303.2 for the network of widths 3, 2, 4, 3."""
    close(student.point_loss(FOUR, FOUR @ PROJECTOR), 1.0)
    close(student.trace_loss(PROJECTOR, FOUR_S), 1.0, scale=5, growth=2)
    close(student.point_loss(POINTS, BACK), 303.2, growth=4)
    close(student.trace_loss(M, POINTS_S), 303.2, growth=4)


@check(points=0.5, free={"certificate": "any invertible matrix and its inverse fit between D and E"})
def certificates_at_sight(student):
    """Factors through a single number prove rank 1, and factors through two numbers prove rank at most 2."""
    _proves(student.certificate(TEXT_TIMES_5), np.array([[16, 12], [12, 9]]), 1)
    _proves(student.certificate(NETWORK), M, 2)


@check(points=0.5)
def ranks_at_sight(student):
    """The product has rank 1, rank 2, and rank 1 once more although no layer is narrower than 2."""
    equal(student.rank(TEXT_TIMES_5), 1)
    equal(student.rank(NETWORK), 2)
    equal(student.rank([np.array([[1, 2, 0], [2, 4, 0]]), np.array([[1, 0], [2, 1], [0, -1]])]), 1)


@check(points=0.5)
def same_maps_at_sight(student):
    """Networks of other depth, width and scale are told to be the same map, or not to be."""
    equal(student.same_map(TEXT_TIMES_5, [np.array([[2.0, 1.5]]), np.array([[8.0], [6.0]])]), True)
    equal(student.same_map(TEXT_TIMES_5, [np.array([[4.0, 3.0]]), np.array([[4.0], [3.5]])]), False)
    equal(student.same_map(NETWORK, [M]), True)
    equal(student.same_map(NETWORK, [M.T]), False)


@check(points=0.5)
def bounds_at_sight(student):
    """The bound is 1 for the four points and widths 2, 3, 1, 3, 2, and right for four eigenvalues."""
    close(student.bound(np.array([4.0, 1.0]), [2, 3, 1, 3, 2]), 1.0)
    four = np.array([5.0, 3.0, 2.0, 1.5])
    close(student.bound(four, [4, 6, 2, 3, 4]), 3.5)
    close(student.bound(four, [4, 1, 4]), 6.5)
    close(student.bound(four, [4, 5, 6, 3, 4]), 1.5)


@check(points=0.5, free={"best_map": "a map found by training is right up to a thousandth of the loss"})
def best_maps_at_sight(student):
    """A map of rank 1 for the four points, and maps of rank 1 and 2 for three dimensions, have the least loss."""
    _attains(student.best_map(FOUR_S, 1), FOUR_S, 1, 1.0)
    _attains(student.best_map(SPACE_S, 1), SPACE_S, 1, 4.0)
    _attains(student.best_map(SPACE_S, 2), SPACE_S, 2, 1.0)


@check(points=1, free={"optimal_weights": "layers may be rescaled, turned and padded against each other"})
def weights_at_sight(student):
    """Weights of widths 2, 3, 1, 3, 2 reach loss 1 on the four points; others reach their bound in space."""
    _attains(_multiplied(student.optimal_weights(FOUR_S, [2, 3, 1, 3, 2]), [2, 3, 1, 3, 2]), FOUR_S, 1, 1.0)
    _attains(_multiplied(student.optimal_weights(SPACE_S, [3, 4, 2, 3]), [3, 4, 2, 3]), SPACE_S, 2, 1.0)


@check(points=0.5)
def distortions_at_sight(student):
    """The distortion of each direction is right for the four points at two values of beta, and for k = 3."""
    close(student.vae_distortion(np.array([4.0, 1.0]), 1, 0.5, 0.2), np.array([0.1, 1.0]))
    close(student.vae_distortion(np.array([4.0, 1.0]), 1, 0.01, 0.2), np.array([0.002, 1.0]))
    close(student.vae_distortion(np.array([5.0, 3.0, 2.0, 1.0]), 3, 1.25, 2.0), np.array([2.5, 2.5, 2.0, 1.0]))
