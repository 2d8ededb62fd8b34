"""Other points, chains and covariances: bottlenecks at every place, ties, nothing narrow, a single layer."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
from hypothesis import strategies as st

from grader import Failure, check, close, equal, normal

THOUSANDTH = 1e-3 / (16 * 2.0**-23)  # makes close allow a thousandth of |want| + scale

seeds = st.integers(0, 2**32 - 1)
sizes = st.integers(3, 5)
ANY_LAYERS = "layers may be rescaled, turned and padded against each other"
ANY_BASIS = "where eigenvalues are equal, any basis of their space will do"
ANY_MAP = "a map found by training is right up to a thousandth of the loss"
ANY_FACTORS = "any invertible matrix and its inverse fit between D and E"


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


def _exact(entry):
    if isinstance(entry, bool) or not isinstance(entry, (int, float, Fraction)) or not abs(entry) < np.inf:
        raise Failure("every entry must be a finite number: an int, a float or a Fraction", kind="type")
    return Fraction(entry)


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


def _covariance(seed, eigenvalues):
    """A covariance with these eigenvalues, its directions turned at random and none along an axis."""
    rng = np.random.default_rng(seed)
    turned = np.linalg.qr(rng.normal(0, 1, (len(eigenvalues), len(eigenvalues))))[0]
    s = turned * eigenvalues @ turned.T
    return (s + s.T) / 2


def _apart(seed, d):
    """Eigenvalues in descending order, between 0.35 and 6 and at least 0.4 apart."""
    steps = np.random.default_rng(seed).uniform(0.4, 1.2, d)
    return np.cumsum(steps)[::-1] - 0.05


def _widths(seed, d):
    """Three lists of widths of one d and one k < d: the narrowest is the first, the middle, the last hidden layer."""
    rng = np.random.default_rng(seed)
    k = int(rng.integers(1, d))
    first, second, third, fourth = (int(k + wider) for wider in rng.integers(1, 4, 4))
    return [[d, k, first, second, d], [d, third, k, first, d], [d, second, fourth, k, d]]


def _chain(rng, widths):
    return [rng.integers(-2, 3, (after, before)) for before, after in pairwise(widths)]


def _whole(weights):
    m = weights[0]
    for w in weights[1:]:
        m = w @ m
    return m


@check(points=0.5, examples=5, given={"x": normal((st.integers(3, 9), st.integers(2, 5))), "to": st.floats(1, 3)})
def covariances_of_any_points(student, reference, x, to):
    """Shifting all points or listing each of them twice leaves the covariance; that of a single point is zero."""
    wanted = reference.covariance(x)
    shifted = x + to * np.arange(1, x.shape[1] + 1) / x.shape[1]
    for points in (x, shifted, np.concatenate([x, x])):
        close(student.covariance(points), wanted, growth=8)
    close(student.covariance(x[:1]), np.zeros((x.shape[1],) * 2), scale=1)


@check(points=0.5, examples=5, given={"d": sizes, "seed": seeds})
def products_of_any_chain(student, reference, d, seed):
    """The product is right for other widths, for a chain that is no autoencoder, and for a single layer."""
    rng = np.random.default_rng(seed)
    for widths in (*_widths(seed, d), [d, d + 1, d - 1], [d - 1, d]):
        weights = [rng.normal(0, 1, (after, before)) for before, after in pairwise(widths)]
        close(student.product(weights), reference.product(weights), growth=8)


@check(points=0.5, examples=5, given={"d": sizes, "seed": seeds, "shift": st.floats(1, 3)})
def reconstructions_follow_the_mean(student, reference, *, d, seed, shift):
    """Points shifted as a whole are reconstructed as before, shifted; a single point comes back as it is."""
    rng = np.random.default_rng(seed)
    x = rng.normal(0, 1, (d + 3, d))
    weights = [rng.normal(0, 0.7, (after, before)) for before, after in pairwise(_widths(seed, d)[1])]
    wanted = reference.reconstruct(weights, x)
    close(student.reconstruct(weights, x), wanted, growth=8)
    close(student.reconstruct(weights, x + shift), wanted + shift, growth=8)
    close(student.reconstruct(weights, x[:1] + shift), x[:1] + shift, growth=8)


@check(points=1, examples=6, given={"d": sizes, "more": st.integers(1, 6), "seed": seeds})
def both_losses_agree(student, *, d, more, seed):
    """For any map and any centred points the mean squared distance is the trace."""
    rng = np.random.default_rng(seed)
    x, m = rng.normal(0, 1, (d + more, d)), rng.normal(0, 1, (d, d))
    x -= x.mean(axis=0)
    wanted = float(np.square(x - x @ m.T).sum() / len(x))
    close(student.point_loss(x, x @ m.T), wanted, growth=8)
    close(student.trace_loss(m, x.T @ x / len(x)), wanted, growth=8)


def _certified(seed, d):
    """Chains of whole numbers whose product is not zero: the three places of the bottleneck, none, a single layer."""
    rng = np.random.default_rng(seed)
    found = []
    for widths in (*_widths(seed, d), [d, d + 1, d + 2, d], [d, d]):
        weights = _chain(rng, widths)
        while not _whole(weights).any():
            weights = _chain(rng, widths)
        found.append(weights)
    return {"chains": found}


@check(points=1, examples=4, given=st.builds(_certified, seeds, sizes), free={"certificate": ANY_FACTORS})
def certificates_of_any_chain(student, chains):
    """The factors prove the bound on the rank exactly, also where no layer is narrow and where there is but one."""
    for weights in chains:
        _proves(student.certificate(weights), _whole(weights), min(len(weights[0].T), *map(len, weights)))


def _deficient(seed, d):
    """Chains that lose rank within a layer, between two layers, nowhere, and altogether."""
    rng = np.random.default_rng(seed)
    within = [rng.integers(1, 4, (d - 1, 1)) @ rng.integers(1, 4, (1, d)), rng.integers(1, 4, (d, d - 1))]
    # The second layer reads only the last two of the units, and the first fills all but the last.
    fills, reads = np.eye(d, d, dtype=int), np.zeros((d, d), dtype=int)
    fills[-1], reads[:, -2:] = 0, rng.integers(1, 4, (d, 2)) * [1, -1]
    turn = np.triu(rng.integers(1, 3, (d, d)), 1) + np.eye(d, dtype=int)
    nowhere = [turn[:2], np.array([[1, 1], [0, 1], [1, 0]]), np.eye(d, 3, dtype=int)]
    nothing = [fills, np.eye(d, dtype=int) - fills]
    return {"chains": [within, [fills @ turn, reads], nowhere, [turn, turn.T], nothing]}


@check(points=0.5, examples=5, given=st.builds(_deficient, seeds, sizes))
def ranks_of_any_chain(student, reference, chains):
    """The rank is what the product has, down to 0, whatever each layer could have let through."""
    for weights in chains:
        equal(student.rank(weights), reference.rank(weights))


def _disguised(seed, d):
    """A network, others that are the same map, and others that are not."""
    rng = np.random.default_rng(seed)
    widths = [d, d - 1, d + 1, d]
    first, second, third = _chain(rng, widths)
    first[:, 0], second[:, 0], third[0] = 0, rng.integers(1, 3, d + 1), rng.integers(1, 3, d + 1)
    first[0, 0] = 1  # so the first entry of the map is above zero, and moves with this weight
    order, signs = rng.permutation(d + 1), rng.choice([-1, 1], d + 1)
    same = [
        [2.0 * first, second / 2.0, third],
        [first, (second * signs[:, None])[order], (third * signs)[:, order]],
        [np.vstack([first, rng.integers(1, 3, (2, d))]), np.hstack([second, np.zeros((d + 1, 2), int)]), third],
        [first, second, np.eye(d + 1, dtype=int), third],
        [third @ second @ first],
    ]
    moved = first.copy()
    moved[0, 0] += 1
    other = [
        [moved, second, third],
        [first, second, -third],
        [2.0 * first, second, third],
        [third @ second @ moved],
    ]
    return {"weights": [first, second, third], "same": same, "other": other}


@check(points=0.5, examples=5, given=st.builds(_disguised, seeds, sizes))
def only_the_map_counts(student, weights, same, other):
    """Rescaled, permuted, padded and deeper networks are the same map; one moved weight that counts makes another."""
    for disguised in same:
        equal(student.same_map(weights, disguised), True)
    for changed in other:
        equal(student.same_map(weights, changed), False)


@check(points=1, examples=4, given={"d": sizes, "seed": seeds})
def only_the_bottleneck_counts(student, reference, d, seed):
    """Wherever the narrowest layer stands and whatever stands beside it, the bound is that of its width alone."""
    eigenvalues = _apart(seed, d)
    lists = _widths(seed, d)
    k = min(lists[0])
    wanted = reference.bound(eigenvalues, [d, k, d])
    for widths in ([d, k, d], *lists, [d, k, k, d], [d, 2 * d, *lists[2][1:-1], 3 * d, d]):
        close(student.bound(eigenvalues, widths), wanted, growth=4)


@check(points=0.5, examples=4, given={"d": st.integers(2, 5), "high": st.floats(2, 5), "low": st.floats(0.5, 1.5)})
def bounds_at_the_edges(student, d, high, low):
    """Nothing is lost where no layer is narrow or where there is a single one; equal eigenvalues count each."""
    eigenvalues = np.array([high] * d + [low] * d)
    for widths in ([2 * d, 2 * d], [2 * d, 2 * d + 1, 2 * d], [2 * d, 3 * d, 2 * d, 3 * d, 2 * d]):
        close(student.bound(eigenvalues, widths), 0.0, scale=high)
    close(student.bound(eigenvalues, [2 * d, d - 1, 2 * d]), high + d * low, growth=4)
    close(student.bound(eigenvalues, [2 * d, d + 1, 2 * d]), (d - 1) * low, growth=4)
    close(student.bound(np.array([high, low, 0.0]), [3, 2, 3]), 0.0, scale=high)


@check(points=1, examples=6, given={"d": sizes, "seed": seeds}, free={"best_map": ANY_MAP})
def best_maps_of_any_covariance(student, reference, d, seed):
    """Of all maps of rank at most k the answer has the least loss, whatever d and k are."""
    eigenvalues = _apart(seed, d)
    k = 1 + seed % (d - 1)
    lost = reference.bound(eigenvalues, [d, k, d])
    s = _covariance(seed, eigenvalues)
    _attains(student.best_map(s, k), s, k, lost)


@check(points=1, examples=2, given={"d": sizes, "seed": seeds}, free={"optimal_weights": ANY_LAYERS})
def weights_for_any_bottleneck(student, reference, d, seed):
    """The bound is attained with the narrowest layer in the first place, in the middle and in the last."""
    eigenvalues = _apart(seed, d)
    s = _covariance(seed, eigenvalues)
    for widths in _widths(seed, d):
        lost = reference.bound(eigenvalues, widths)
        _attains(_multiplied(student.optimal_weights(s, widths), widths), s, min(widths), lost)


@check(
    points=1,
    examples=3,
    given={"top": st.floats(2, 4), "low": st.floats(0.3, 1), "seed": seeds},
    free={"best_map": ANY_BASIS, "optimal_weights": ANY_LAYERS},
)
def equal_eigenvalues(student, top, low, seed):
    """Where eigenvalues are equal, within the kept ones or across the cut, the bound is attained all the same."""
    s = _covariance(seed, np.array([top, top, low, low]))
    k = 2 + seed % 2
    _attains(student.best_map(s, k), s, k, (4 - k) * low)
    _attains(_multiplied(student.optimal_weights(s, [4, 1, 4]), [4, 1, 4]), s, 1, top + 2 * low)


@check(
    points=1,
    examples=2,
    given={"d": sizes, "seed": seeds},
    free={"best_map": ANY_MAP, "optimal_weights": ANY_LAYERS},
)
def nothing_narrow_loses_nothing(student, d, seed):
    """With k = d, and in a single layer or a network without a narrow one, everything is reconstructed."""
    s = _covariance(seed, _apart(seed, d))
    _attains(student.best_map(s, d), s, d, 0.0)
    for widths in ([d, d], [d, d + 2, d, d + 1, d]):
        _attains(_multiplied(student.optimal_weights(s, widths), widths), s, d, 0.0)


def _between(eigenvalues, place, share):
    """A level between two neighbouring eigenvalues, or below the last."""
    below = eigenvalues[place + 1] if place + 1 < len(eigenvalues) else 0.0
    return below + share * (eigenvalues[place] - below)


coders = {
    "d": sizes,
    "seed": seeds,
    "share": st.floats(0.2, 0.8),
    "sigma2": st.one_of(st.floats(0.2, 0.7), st.floats(1.5, 4)),
}


@check(points=1, examples=4, given=coders)
def distortions_of_any_code(student, reference, *, d, seed, share, sigma2):
    """Each direction's distortion is right for any code, whether beta gives up none of it, a part or all."""
    eigenvalues = _apart(seed, d)
    levels = [_between(eigenvalues, place, share) for place in range(d)]
    for k in range(1, d + 1):
        for level in (*levels, eigenvalues[0] + share):
            given = eigenvalues, k, level / sigma2, sigma2
            close(student.vae_distortion(*given), reference.vae_distortion(*given))


@check(points=0.5, examples=4, given=coders)
def the_limit_is_the_bound(student, reference, *, d, seed, share, sigma2):
    """As beta falls to 0 the total tends to the bound of a linear autoencoder, k beta sigma^2 above it on the way."""
    eigenvalues = _apart(seed, d)
    for k in range(1, d + 1):
        lost = reference.bound(eigenvalues, [d, k, d])
        for beta in (share * eigenvalues[k - 1] / sigma2, 1e-3 * share, 0.0):
            total = np.sum(student.vae_distortion(eigenvalues, k, beta, sigma2))
            close(total, lost + k * beta * sigma2, scale=eigenvalues[0], growth=4)
