"""Other points, other labels, other coins, and what lies beyond the ends."""

from fractions import Fraction
from itertools import pairwise, product

import numpy as np
from hypothesis import strategies as st

from grader import Failure, check, close, equal, normal, uniform

GAPS = 2.0 ** np.arange(-2, 3)  # floats divide by these exactly
COIN = st.one_of(st.floats(0.1, 0.35), st.floats(0.65, 0.9))
NAMES = ("network", "line", "constant")

seeds = st.integers(0, 2**32 - 1)


def _exact_inputs(rng, n):
    gaps = rng.permutation(np.concatenate([[0.5, 2.0], rng.choice(GAPS, n - 3)]))
    start = rng.choice([-1, 1]) * rng.integers(1, 13) / 4
    return start + np.concatenate([[0.0], np.cumsum(gaps)])


def _flips(seed, others):
    """Flips at uneven points: three alike in a row, three that alternate, and some others."""
    rng = np.random.default_rng(seed)
    alike, other = rng.permutation([0, 1])
    blocks = [[alike] * 3, [other, alike, other], *([label] for label in rng.integers(0, 2, others))]
    labels = np.concatenate([blocks[place] for place in rng.permutation(len(blocks))])
    return {"x": _exact_inputs(rng, len(labels)), "y": labels.astype(float)}


def _labels(seed, n):
    """Labels at uneven points that go straight on at one inner point, up or down a slope."""
    rng = np.random.default_rng(seed)
    x = _exact_inputs(rng, n)
    gaps = np.diff(x)
    slopes = rng.permutation(np.arange(-4, 5))[: n - 1] / 2
    place = int(np.argmax(gaps[1:] != gaps[:-1]))
    slopes[place : place + 2] = rng.choice([-1, 1]) * rng.integers(1, 8) / 4
    return {"x": x, "y": np.concatenate([[0.0], np.cumsum(slopes * gaps)]) + rng.integers(1, 9) / 4}


flips = st.builds(_flips, seeds, st.integers(0, 3))
labels = st.builds(_labels, seeds, st.integers(5, 8))


def _points(seed, n):
    rng = np.random.default_rng(seed)
    x = rng.uniform(-4, 2) + np.cumsum(rng.uniform(0.4, 2, n))
    return {"x": x, "y": rng.choice([-1, 1]) * rng.uniform(1, 2) + rng.normal(0, 1, n)}


points = st.builds(_points, seeds, st.integers(3, 8))


@check(points=0.5, examples=8, given=points)
def slopes_at_any_points(student, reference, x, y):
    """Slopes are right whatever the gaps, two points have one, and moving all points along changes none."""
    wanted = reference.slopes(x, y)
    close(student.slopes(x, y), wanted, growth=4)
    close(student.slopes(x + 3, y - 1), wanted, growth=64)
    close(student.slopes(x[:2], y[:2]), wanted[:1], growth=4)


def _counted(x, y):
    x, y = ([Fraction(number) for number in array.tolist()] for array in (x, y))
    slopes = [(d - b) / (c - a) for (a, c), (b, d) in zip(pairwise(x), pairwise(y), strict=True)]
    return {"label_changes": sum(a != b for a, b in pairwise(y)), "kinks": sum(a != b for a, b in pairwise(slopes))}


@check(points=0.5, examples=8, given={"coin": flips})
def counts_for_any_flips(student, coin):
    """Changes of label and kinks are told apart for any flips; flips that are all alike have neither."""
    equal(student.counts(**coin), _counted(**coin))
    equal(student.counts(coin["x"], 1 - coin["y"]), _counted(**coin))
    equal(student.counts(coin["x"], np.ones(len(coin["x"]))), {"label_changes": 0, "kinks": 0})


@check(points=0.5, examples=8, given=labels)
def counts_where_points_go_straight_on(student, x, y):
    """Where three points lie on one line there is no kink, however unequal the gaps; two points have none at all."""
    equal(student.counts(x, y), _counted(x, y))
    equal(student.counts(x[:2], y[:2]), _counted(x[:2], y[:2]))


def _between(seed, x):
    rng = np.random.default_rng(seed)
    return rng.permutation(np.concatenate([x, rng.uniform(x[0], x[-1], 4)]))


@check(points=0.5, examples=8, given={"given": points, "seed": seeds})
def folded_line_between_any_points(student, reference, given, seed):
    """Between the points the folded line is straight, at the points it meets the labels, in any order of the inputs."""
    new = _between(seed, given["x"])
    close(student.folded_line(**given, new=new), reference.folded_line(**given, new=new), scale=4, growth=8)
    close(student.folded_line(**given, new=given["x"]), given["y"], scale=4, growth=8)


@check(points=0.5, examples=8, given={"given": points, "far": uniform(2, 0.5, 3)})
def the_end_pieces_go_on(student, given, far):
    """Beyond the first and the last point the outer pieces go on with their slopes."""
    x, y = given["x"], given["y"]
    below = y[0] - far[0] * (y[1] - y[0]) / (x[1] - x[0])
    above = y[-1] + far[1] * (y[-1] - y[-2]) / (x[-1] - x[-2])
    new = np.array([x[-1] + far[1], x[0] - far[0]])
    close(student.folded_line(x, y, new), np.array([above, below]), scale=4, growth=16)


@check(points=0.5, examples=8, given={"seed": seeds, "units": st.integers(1, 4), "size": st.integers(1, 6)})
def forward_for_any_network(student, reference, seed, units, size):
    """Networks of any number of units are evaluated rightly at any number of inputs; without units one is a line."""
    rng = np.random.default_rng(seed)
    z, (a, b) = rng.normal(0, 3, size), rng.normal(0, 2, 2)
    w, c, v = rng.choice([-1, 1], (3, units)) * rng.uniform(0.5, 2, (3, units))
    close(student.forward(z, (a, b, w, c, v)), reference.forward(z, (a, b, w, c, v)), scale=8, growth=4)
    none = np.zeros(0)
    close(student.forward(z, (a, b, none, none, none)), a + b * z, scale=8, growth=4)


def _numbers(value):
    array = np.asarray(value)
    if not all(isinstance(number, (int, float, Fraction)) for number in array.ravel().tolist()):
        raise Failure("a network is described by numbers", kind="type")
    return array.astype(float)


def _memorises(answer, x, y):
    if isinstance(answer, dict):  # by name, or a named tuple, whose order counts
        answer = [answer[name] for name in "abwcv"] if set(answer) == set("abwcv") else answer.values()
    a, b, w, c, v = map(_numbers, answer)
    if w.ndim != 1 or not w.shape == c.shape == v.shape:
        raise Failure(f"w, c and v must have one length; got shapes {w.shape}, {c.shape} and {v.shape}", kind="shape")
    kinks = _counted(x, y)["kinks"]
    if len(w) > kinks:
        raise Failure(f"got {len(w)} units; the folded line has {kinks} kinks", kind="length")
    with np.errstate(all="ignore"):  # huge weights overflow to infinity, which is not close to anything
        close(a.item() + b.item() * x + np.maximum(np.outer(x, w) + c, 0) @ v, y, scale=4, growth=8)


@check(
    points=1, examples=14, given={"coin": flips}, free={"network": "units may be scaled, mirrored, reordered or spared"}
)
def networks_for_any_flips(student, coin):
    """Any flips at any points are memorised with no more units than kinks; flips all alike with no unit."""
    for y in (coin["y"], 1 - coin["y"], np.ones(len(coin["y"]))):
        _memorises(student.network(coin["x"], y), coin["x"], y)


@check(points=0.5, examples=8, given=labels, free={"network": "units may be scaled, mirrored, reordered or spared"})
def networks_for_any_labels(student, x, y):
    """Any labels are memorised; where three points lie on one line no unit is spent, and on two points none at all."""
    _memorises(student.network(x, y), x, y)
    _memorises(student.network(x[:2], y[:2]), x[:2], y[:2])


@check(points=1, examples=8, given={"given": points, "by": st.floats(1, 3)})
def the_line_for_any_labels(student, reference, given, by):
    """The line is right for any points; raising all labels raises the intercept alone; two points lie on their line."""
    x, y = given["x"], given["y"]
    a, b = reference.least_squares(x, y)
    close(student.least_squares(x, y), (a, b), scale=4, growth=8)
    close(student.least_squares(x, y + by), (a + by, b), scale=4, growth=8)
    slope = (y[1] - y[0]) / (x[1] - x[0])
    close(student.least_squares(x[:2], y[:2]), (y[0] - slope * x[0], slope), scale=8, growth=8)


@check(points=0.5, examples=8, given=points)
def residuals_for_any_labels(student, reference, x, y):
    """Residuals are label minus prediction; swapping the labels 0 and 1 turns their signs; two points leave none."""
    close(student.residuals(x, y), reference.residuals(x, y), scale=4, growth=8)
    close(student.residuals(x, 1 - y), -reference.residuals(x, y), scale=4, growth=8)
    close(student.residuals(x[:2], y[:2]), np.zeros(2), scale=4, growth=8)


@check(points=0.5, examples=8, given={"pairs": normal((st.integers(1, 9), 2), 2)})
def losses_of_any_number_of_points(student, reference, pairs):
    """The loss is a mean: right for any number of points, one included, and the same if every point comes twice."""
    p, y = pairs.T
    wanted = reference.mse(p, y)
    close(student.mse(p, y), wanted, growth=4)
    close(student.mse(np.tile(p, 2), np.tile(y, 2)), wanted, growth=4)


def _over_all_flips(p, q):
    """Return mean and deviation of the loss over all 2^m rows of flips, each with its probability."""
    rows = np.array(list(product([0, 1], repeat=len(p))))
    chances = np.prod(np.where(rows == 1, q, 1 - q), axis=1)
    losses = np.mean((rows - p) ** 2, axis=1)
    mean = chances @ losses
    return float(mean), float(np.sqrt(chances @ (losses - mean) ** 2))


def _expected(got, want, deviation):
    """What is worked out is exact; 40,000 simulated draws are off by 0.03 deviations of one draw, six standard errors.

    A right simulation is rejected once in 500 million comparisons. ``close`` allows 2^-18 want, times its growth.
    """
    close(got, want, growth=max(8, 0.03 * deviation / (2**-18 * want)))


@check(points=1, examples=8, given={"p": uniform((st.integers(1, 5),), -1, 2), "q": COIN})
def expected_losses_for_any_coin(student, reference, p, q):
    """The expected loss is right for any predictions and any coin; one that always shows 1 leaves the squared error."""
    _expected(student.expected_loss(p, q), *_over_all_flips(p, q))
    _expected(student.expected_loss(p, 0.5), *_over_all_flips(p, 0.5))
    close(student.expected_loss(p, 1.0), reference.expected_loss(p, 1.0), growth=8)


@check(points=0.5, examples=8, given={"q": COIN, "off": st.floats(0.3, 1), "size": st.integers(1, 5)})
def nothing_gets_below_the_floor(student, q, off, size):
    """The best constant and its loss are right for any coin, and a prediction off by d expects the floor plus d^2."""
    floor = q * (1 - q)
    close(student.best_constant(q), (q, floor))
    close(student.best_constant(1.0), (1.0, 0.0))
    for p in (np.full(size, q), q + off * (-1.0) ** np.arange(size)):
        _expected(student.expected_loss(p, q), floor + (p[0] - q) ** 2, _over_all_flips(p, q)[1])


@check(
    points=0.5, examples=8, given={"p": uniform((st.integers(2, 5),), -1, 2), "q": COIN, "draws": st.integers(2, 5000)}
)
def standard_errors_for_any_coin(student, p, q, draws):
    """The standard error is right for any predictions, coin and number of draws; four times the draws halve it."""
    deviation = _over_all_flips(p, q)[1]
    close(student.standard_error(p, q, 1), deviation, growth=8)
    close(student.standard_error(p, q, draws), deviation / np.sqrt(draws), growth=8)
    close(student.standard_error(p, q, 4 * draws), deviation / np.sqrt(draws) / 2, growth=8)


def _contest(seed, constant_wins):
    """Flips, new inputs and a coin for which the three expected losses lie at least 0.04 apart."""
    rng = np.random.default_rng(seed)
    while True:
        coin = _flips(int(rng.integers(2**32)), int(rng.integers(3)))
        x, y, q = coin["x"], coin["y"], float(rng.choice([0.2, 0.3, 0.5, 0.7, 0.8]) + rng.uniform(-0.05, 0.05))
        new = rng.uniform(x[0], x[-1], int(rng.integers(2, 5)))
        network, line = np.interp(new, x, y), np.polyval(np.polyfit(x, y, 1), new)
        losses = [float(np.mean((p - q) ** 2)) + q * (1 - q) for p in (network, line, np.full(len(new), 0.5))]
        if min(np.diff(sorted(losses))) > 0.04 and (min(losses) == losses[-1]) == constant_wins:
            return {**coin, "new": new, "q": q}


contests = st.builds(_contest, seeds, st.booleans())


def _predictions(reference, x, y, new):
    a, b = reference.least_squares(x, y)
    return {"network": reference.folded_line(x, y, new), "line": a + b * new, "constant": np.full(len(new), 0.5)}


@check(points=1, examples=8, given={"contest": contests})
def reports_on_any_points(student, reference, contest):
    """All six losses are right for any flips, any new points and any coin; the network's training loss is 0."""
    got, wanted = student.report(**contest), reference.report(**contest)
    if not isinstance(got, dict) or set(got) != set(NAMES):
        raise Failure('a dict with the keys "network", "line" and "constant" is wanted', kind="keys")
    for name, p in _predictions(reference, contest["x"], contest["y"], contest["new"]).items():
        if not isinstance(got[name], dict) or set(got[name]) != {"training", "expected"}:
            raise Failure('for each predictor a dict of "training" and "expected" is wanted', kind="keys")
        close(got[name]["training"], wanted[name]["training"], scale=1, growth=8)
        _expected(got[name]["expected"], wanted[name]["expected"], _over_all_flips(p, contest["q"])[1])


def _contests(seed):
    """One contest that the constant wins, which fits worst of the three, and one that it does not win."""
    return {"contests": [_contest(seed, constant_wins) for constant_wins in (True, False)]}


@check(points=0.5, examples=6, given=st.builds(_contests, seeds))
def rankings_on_any_points(student, reference, contests):
    """The order follows the expected losses, whatever the training losses are."""
    for contest in contests:
        names, report = student.ranking(**contest), reference.report(**contest)
        if sorted(names) != sorted(NAMES):
            raise Failure(f"the three names are wanted, each once; got {names}", kind="value")
        losses = [report[name]["expected"] for name in names]
        if any(later < earlier for earlier, later in pairwise(losses)):
            raise Failure(f"in the order {names} the expected losses are {losses}", kind="value")
