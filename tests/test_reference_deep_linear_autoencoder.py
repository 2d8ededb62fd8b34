"""The worked solution of `deep_linear_autoencoder` against fractions, autograd, searches and the text's own numbers."""

from __future__ import annotations

import importlib.util
import inspect
import math
from fractions import Fraction
from itertools import pairwise, permutations
from pathlib import Path

import numpy as np
import pytest

from grader.errors import Failure

torch = pytest.importorskip("torch", reason="oracles here use its autograd")

ROOT = Path(__file__).parents[1]
U1, U2 = np.array([0.8, 0.6]), np.array([-0.6, 0.8])
FOUR = np.array([2 * U1 + U2, 2 * U1 - U2, -2 * U1 + U2, -2 * U1 - U2])
TEXT = [
    np.array([[0.8, 0.6], [0, 0], [1, 0]]),
    np.array([[1.0, 0, 0]]),
    np.array([[1.0], [0], [0]]),
    np.array([[0.8, 0, 0], [0.6, 0, 0]]),
]
WIDTHS = [2, 3, 1, 3, 2]


def _load(folder, name):
    spec = importlib.util.spec_from_file_location(f"{name}_of_deep_linear_autoencoder", ROOT / folder / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


ours = _load("reference", "deep_linear_autoencoder")
visible = _load("problems/deep_linear_autoencoder", "visible")
hidden = _load("problems/deep_linear_autoencoder", "hidden")


def _fractions(matrix):
    return [[Fraction(entry) for entry in row] for row in np.asarray(matrix).tolist()]


def _times(a, b):
    return [[sum(p * q for p, q in zip(row, column, strict=True)) for column in zip(*b, strict=True)] for row in a]


def _exact_product(weights):
    m = _fractions(weights[0])
    for w in weights[1:]:
        m = _times(_fractions(w), m)
    return m


def _exact_rank(rows):
    rows, rank = [list(row) for row in rows], 0
    for place in range(len(rows[0])):
        pivot = next((i for i in range(rank, len(rows)) if rows[i][place]), None)
        if pivot is None:
            continue
        rows[rank], rows[pivot] = rows[pivot], rows[rank]
        for i in range(rank + 1, len(rows)):
            factor = rows[i][place] / rows[rank][place]
            rows[i] = [a - factor * b for a, b in zip(rows[i], rows[rank], strict=True)]
        rank += 1
    return rank


def _exact_covariance(x):
    rows = _fractions(x)
    mean = [sum(column) / len(rows) for column in zip(*rows, strict=True)]
    centred = [[a - m for a, m in zip(row, mean, strict=True)] for row in rows]
    return [[entry / len(rows) for entry in row] for row in _times(list(zip(*centred, strict=True)), centred)]


def _turned(rng, eigenvalues):
    u = np.linalg.qr(rng.normal(size=(len(eigenvalues),) * 2))[0]
    return u * eigenvalues @ u.T


def _network(rng, widths, scale):
    return [torch.tensor(rng.normal(0, scale, (n, m)), requires_grad=True) for m, n in pairwise(widths)]


def _loss(weights, s):
    rest = torch.eye(len(s), dtype=torch.float64) - torch.linalg.multi_dot([*weights[::-1], torch.eye(len(s)).double()])
    return torch.trace(rest @ torch.tensor(s) @ rest.T)


def _trained(weights, s, *, rate, steps):
    for _ in range(steps):
        slopes = torch.autograd.grad(_loss(weights, s), weights)
        weights = [(w - rate * slope).detach().requires_grad_() for w, slope in zip(weights, slopes, strict=True)]
    return float(_loss(weights, s).detach())


def _objective(lam, sigma2, beta, *, e, v, g):
    distortion = (1 - g * e) ** 2 * lam + g**2 * v
    divergence = (e**2 * lam + v - 1 - np.log(v)) / 2
    return distortion / (2 * sigma2) + beta * divergence, distortion, divergence


def test_numbers_of_the_text():
    s = ours.covariance(FOUR)
    m = ours.product(TEXT)
    assert np.linalg.eigvalsh(s) == pytest.approx([1, 4])
    assert m == pytest.approx(np.array([[0.64, 0.48], [0.48, 0.36]]))
    assert ours.trace_loss(m, s) == pytest.approx(1)
    assert ours.point_loss(FOUR, ours.reconstruct(TEXT, FOUR)) == pytest.approx(1)
    assert ours.bound(np.array([4.0, 1.0]), WIDTHS) == 1
    assert ours.bound(np.array([4.0, 1.0]), [2, 3, 2]) == 0  # nothing narrow, nothing compressed
    assert ours.best_map(s, 1) == pytest.approx(np.outer(U1, U1))
    assert ours.product(ours.optimal_weights(s, WIDTHS)) == pytest.approx(m)


def test_numbers_of_known_mistakes_on_the_data_of_the_text():
    """The smallest component loses 4, the mean over numbers is 0.5, the sum over points 4, no weights at all 5."""
    s = ours.covariance(FOUR)
    back = ours.reconstruct(TEXT, FOUR)
    assert ours.trace_loss(np.outer(U2, U2), s) == pytest.approx(4)
    assert np.mean((FOUR - back) ** 2) == pytest.approx(0.5)
    assert np.sum((FOUR - back) ** 2) == pytest.approx(4)
    assert ours.trace_loss(np.zeros((2, 2)), s) == pytest.approx(5)
    assert np.cov(FOUR.T) * 3 / 4 == pytest.approx(s)


def test_training_from_zero_stays_and_from_a_moderate_start_arrives():
    s = ours.covariance(FOUR)
    zero = [torch.zeros(after, before, dtype=torch.float64, requires_grad=True) for before, after in pairwise(WIDTHS)]
    assert _trained(zero, s, rate=0.02, steps=20) == 5
    tiny = _network(np.random.default_rng(0), WIDTHS, 0.01)
    assert _trained(tiny, s, rate=0.02, steps=500) == pytest.approx(5, abs=5e-4)
    moderate = _network(np.random.default_rng(0), WIDTHS, 0.5)
    assert _trained(moderate, s, rate=0.02, steps=2000) == pytest.approx(1, abs=5e-3)


@pytest.mark.parametrize("seed", range(6))
def test_covariances_are_those_of_exact_arithmetic(seed):
    x = np.random.default_rng(seed).normal(3, 2, (1 + seed, 2 + seed % 3))
    assert ours.covariance(x) == pytest.approx(np.array(_exact_covariance(x), dtype=float), abs=1e-12)


@pytest.mark.parametrize("seed", range(6))
def test_products_and_reconstructions_are_those_of_exact_arithmetic(seed):
    rng = np.random.default_rng(seed)
    weights = [rng.normal(size=(after, before)) for before, after in pairwise([4, 2 + seed, 3, 4])]
    m = _exact_product(weights)
    assert ours.product(weights) == pytest.approx(np.array(m, dtype=float))
    x = rng.normal(2, 1, (3, 4))
    mean = [sum(column) / 3 for column in zip(*_fractions(x), strict=True)]
    columns = [[[a - b] for a, b in zip(row, mean, strict=True)] for row in _fractions(x)]
    wanted = [[a + b for (a,), b in zip(_times(m, column), mean, strict=True)] for column in columns]
    assert ours.reconstruct(weights, x) == pytest.approx(np.array(wanted, dtype=float))
    assert ours.reconstruct(weights, x[:1]) == pytest.approx(x[:1])


@pytest.mark.parametrize("seed", range(6))
def test_both_losses_are_one(seed):
    rng = np.random.default_rng(seed)
    x, weights = rng.normal(1, 2, (7, 3)), [rng.normal(size=(2, 3)), rng.normal(size=(3, 2))]
    one_by_one = [
        sum((a - b) ** 2 for a, b in zip(p, q, strict=True))
        for p, q in zip(x, ours.reconstruct(weights, x), strict=True)
    ]
    assert ours.point_loss(x, ours.reconstruct(weights, x)) == pytest.approx(math.fsum(one_by_one) / 7)
    assert ours.trace_loss(ours.product(weights), ours.covariance(x)) == pytest.approx(math.fsum(one_by_one) / 7)


@pytest.mark.parametrize(
    "widths", [[4, *between, 4] for between in permutations([2, 3, 5])] + [[4, 4], [4, 6, 4], [4, 1, 4]]
)
def test_certificates_hold_exactly_and_bound_the_rank(widths):
    rng = np.random.default_rng(3)
    weights = [rng.integers(-2, 3, (after, before)) for before, after in pairwise(widths)]
    d, e = ours.certificate(weights)
    assert (d.shape, e.shape) == ((4, min(widths)), (min(widths), 4))
    assert _times(_fractions(d), _fractions(e)) == _exact_product(weights)
    assert ours.rank(weights) == _exact_rank(_exact_product(weights)) <= min(widths)


@pytest.mark.parametrize("seed", range(12))
def test_ranks_of_the_hidden_chains_are_those_of_exact_elimination(seed):
    for size in (3, 4, 5):
        for weights in hidden._deficient(seed, size)["chains"]:
            assert ours.rank(weights) == _exact_rank(_exact_product(weights))
        below = [
            min(len(weights[0].T), *map(len, weights)) - ours.rank(weights)
            for weights in hidden._deficient(seed, size)["chains"]
        ]
        assert sum(gap > 0 for gap in below) >= 3


@pytest.mark.parametrize("seed", range(12))
def test_disguised_networks_are_told_apart_as_exact_products_are(seed):
    drawn = hidden._disguised(seed, 3 + seed % 3)
    for kind, wanted in (("same", True), ("other", False)):
        for weights in drawn[kind]:
            assert ours.same_map(drawn["weights"], weights) is wanted
            assert (_exact_product(weights) == _exact_product(drawn["weights"])) is wanted


@pytest.mark.parametrize(
    "widths", [[4, *between, 4] for between in permutations([2, 3, 5])] + [[4, 4], [4, 6, 5, 4], [4, 1, 4]]
)
@pytest.mark.parametrize("eigenvalues", [(5, 3, 2, 1), (3, 3, 1, 1), (2, 2, 2, 2), (4, 1, 0, 0)])
def test_weights_attain_the_bound_at_a_stationary_point(widths, eigenvalues):
    eigenvalues = np.array(eigenvalues, dtype=float)
    s = _turned(np.random.default_rng(1), eigenvalues)
    weights = ours.optimal_weights(s, widths)
    assert [w.shape for w in weights] == [(after, before) for before, after in pairwise(widths)]
    lost = sum(sorted(eigenvalues)[: 4 - min(widths)])
    assert ours.bound(eigenvalues, widths) == pytest.approx(lost)
    assert ours.trace_loss(ours.product(weights), s) == pytest.approx(lost, abs=1e-12)
    assert ours.trace_loss(ours.best_map(s, min(widths)), s) == pytest.approx(lost, abs=1e-12)
    leaves = [torch.tensor(np.array(w), requires_grad=True) for w in weights]
    for slope in torch.autograd.grad(_loss(leaves, s), leaves):
        assert float(slope.abs().max()) < 1e-12


@pytest.mark.parametrize("k", [1, 2, 3])
def test_no_map_of_the_rank_has_a_smaller_loss(k):
    """For given E the best D is a regression, so alternating regressions can only come down to the bound."""
    rng = np.random.default_rng(k)
    eigenvalues = np.array([5.0, 3.0, 2.0, 1.0])
    s = _turned(rng, eigenvalues)
    for _ in range(20):
        e = rng.normal(size=(k, 4))
        for _ in range(30):
            d = s @ e.T @ np.linalg.inv(e @ s @ e.T)
            assert ours.trace_loss(d @ e, s) >= ours.bound(eigenvalues, [4, k, 4]) - 1e-9
            e = np.linalg.pinv(d)
        assert ours.trace_loss(d @ e, s) == pytest.approx(ours.bound(eigenvalues, [4, k, 4]), rel=1e-3)


@pytest.mark.parametrize("seed", range(8))
def test_distortions_are_those_of_the_least_objective_found_by_search(seed):
    """For given e and v the best g is a regression; e and v are searched on a grid that closes in."""
    rng = np.random.default_rng(seed)
    lam, sigma2, beta = rng.uniform(0.3, 5), rng.uniform(0.2, 3), rng.uniform(0.1, 2)
    middle, reach = np.array([0.5, -1.0]), np.array([2.0, 4.0])
    for _ in range(60):
        e = np.maximum(middle[0] + reach[0] * np.linspace(-1, 1, 41)[:, None], 0)
        v = np.exp(middle[1] + reach[1] * np.linspace(-1, 1, 41)[None, :])
        g = e * lam / (e**2 * lam + v)
        value, distortion, _ = _objective(lam, sigma2, beta, e=e, v=v, g=g)
        row, column = np.unravel_index(value.argmin(), value.shape)
        middle, reach = np.array([e[row, 0], np.log(v[0, column])]), reach * 0.75
    found = ours.vae_distortion(np.array([lam, lam / 2]), 1, beta, sigma2)
    assert found == pytest.approx([distortion[row, column], lam / 2], rel=1e-4)


def test_the_fact_about_the_least_divergence():
    """No encoder and decoder come below half the logarithm, and the one of the closed form meets it."""
    rng = np.random.default_rng(0)
    lam, e, v, g = (
        rng.uniform(0.3, 5, 4000),
        *rng.normal(0, 1, (1, 4000)),
        rng.uniform(0.01, 2, 4000),
        rng.normal(0, 1, 4000),
    )
    _, distortion, divergence = _objective(lam, 1, 1, e=e, v=v, g=g)
    assert (divergence >= np.maximum(np.log(lam / distortion) / 2, 0) - 1e-12).all()
    delta = lam * rng.uniform(0.01, 1, 4000)
    g = np.sqrt(lam - delta)
    _, distortion, divergence = _objective(lam, 1, 1, e=g / lam, v=delta / lam, g=g)
    assert distortion == pytest.approx(delta)
    assert divergence == pytest.approx(np.log(lam / delta) / 2)


@pytest.mark.parametrize("k", [1, 2, 3, 4])
def test_the_total_tends_to_the_bound_of_the_text(k):
    eigenvalues = np.array([5.0, 3.0, 2.0, 1.0])
    lost = ours.bound(eigenvalues, [4, k, 4])
    for level in (0.9, 0.01, 1e-9):
        assert ours.vae_distortion(eigenvalues, k, level / 0.5, 0.5).sum() == pytest.approx(lost + k * level)
    assert ours.vae_distortion(eigenvalues, k, 0, 0.5).sum() == lost
    assert ours.vae_distortion(eigenvalues, k, 100, 0.5) == pytest.approx(eigenvalues)


def test_literal_values_of_the_visible_checks():
    assert np.allclose(visible.FOUR, FOUR, rtol=1e-15)
    assert np.array(_exact_covariance(visible.POINTS), dtype=float) == pytest.approx(visible.POINTS_S)
    assert _exact_product(visible.NETWORK) == _fractions(visible.M)
    assert _exact_rank(_fractions(visible.M)) == 2
    mean = np.array([2, 1, 2])
    assert np.array_equal((visible.POINTS - mean) @ visible.M.T + mean, visible.BACK)
    assert np.sum((visible.POINTS - visible.BACK) ** 2) == 5 * 303.2
    vectors = np.array([[2, 2, 1], [1, -2, 2], [2, -1, -2]])
    assert np.array_equal(vectors.T * [6, 3, 1] @ vectors, visible.SPACE_S * 9)
    assert np.array_equal(vectors @ vectors.T, 9 * np.eye(3))


def test_visible_and_hidden_checks_judge_alike():
    for name in ("_attains", "_multiplied", "_proves", "_exact"):
        assert inspect.getsource(getattr(visible, name)) == inspect.getsource(getattr(hidden, name))
    assert visible.THOUSANDTH == hidden.THOUSANDTH


@pytest.mark.parametrize("seed", range(5))
def test_turned_rescaled_and_padded_layers_are_judged_by_their_product(seed):
    """Entries of the layers differ from ours by more than 1, and the answer is right."""
    rng = np.random.default_rng(seed)
    s = _turned(rng, np.array([5.0, 3.0, 1.0]))
    top, turn = np.linalg.eigh(s)[1][:, 1:], rng.normal(0, 1, (2, 2))
    first, last = np.vstack([turn @ -top.T, np.ones((1, 3))]), -top @ np.linalg.inv(turn)
    weights = [1e3 * first, np.hstack([np.eye(2), np.zeros((2, 1))]), last / 1e3]
    assert np.abs(weights[0] - ours.optimal_weights(s, [3, 3, 2, 3])[0]).max() > 1
    for answer in (weights, tuple(weights), {"first": weights[0], "second": weights[1], "third": weights[2].tolist()}):
        visible._attains(visible._multiplied(answer, [3, 3, 2, 3]), s, 2, 1.0)


@pytest.mark.parametrize("angle", [0.0, 0.7, 2.0])
def test_any_direction_is_right_where_all_eigenvalues_are_equal(angle):
    u = np.array([math.cos(angle), math.sin(angle)])
    visible._attains(np.outer(u, u), 2 * np.eye(2), 1, 2.0)


def test_a_loss_a_little_above_the_bound_is_right_and_a_larger_one_is_not():
    s = ours.covariance(FOUR)
    near, far = (math.cos(off) * U1 + math.sin(off) * U2 for off in (0.04, 0.12))  # the loss is 1 + 3 sin^2
    visible._attains(np.outer(near, near), s, 1, 1.0)
    with pytest.raises(Failure):
        visible._attains(np.outer(far, far), s, 1, 1.0)


def test_a_map_of_higher_rank_is_refused_though_it_loses_less():
    with pytest.raises(Failure, match="rank"):
        visible._attains(np.eye(2), ours.covariance(FOUR), 1, 1.0)


@pytest.mark.parametrize(
    "answer",
    [TEXT[::-1], [w.T for w in TEXT], TEXT[:3], [*TEXT[:3], TEXT[3][:, :1]], {"M": np.outer(U1, U1)}, 7, None, "text"],
    ids=["reversed", "transposed", "too few", "too narrow", "one matrix", "a number", "None", "text"],
)
def test_layers_of_other_shapes_are_refused(answer):
    with pytest.raises(Failure):
        visible._multiplied(answer, WIDTHS)


def test_layers_that_overflow_are_refused():
    with pytest.raises(Failure, match="finite"):
        visible._attains(visible._multiplied([1e200 * w for w in TEXT], WIDTHS), ours.covariance(FOUR), 1, 1.0)


THIRDS = [Fraction(16, 3), Fraction(4)], [[Fraction(3), Fraction(9, 4)]]


@pytest.mark.parametrize(
    "pair",
    [
        ([[4], [3]], [[4, 3]]),
        {"D": np.array([[16.0], [12.0]]), "E": [[1, 0.75]]},
        ([[entry] for entry in THIRDS[0]], THIRDS[1]),
    ],
    ids=["ints", "named floats", "fractions"],
)
def test_every_exact_certificate_is_accepted(pair):
    visible._proves(pair, np.array([[16, 12], [12, 9]]), 1)


@pytest.mark.parametrize(
    "pair",
    [
        ([[4], [3]], [[4, 3 + 2**-40]]),
        (np.array([[16, 12], [12, 9]]), np.eye(2)),
        ([[4, 3]], [[4], [3]]),
        ([[math.nan], [3]], [[4, 3]]),
        ([[4], [3]],),
        ([["4"], ["3"]], [[4, 3]]),
    ],
    ids=["almost", "too wide", "swapped", "NaN", "one", "text"],
)
def test_other_certificates_are_refused(pair):
    with pytest.raises(Failure):
        visible._proves(pair, np.array([[16, 12], [12, 9]]), 1)


@pytest.mark.parametrize("seed", range(20))
def test_hidden_instances_keep_what_the_statement_promises(seed):
    d = 3 + seed % 3
    eigenvalues = hidden._apart(seed, d)
    assert 0.3 <= eigenvalues[-1] <= eigenvalues[0] <= 7
    assert np.diff(eigenvalues).max() < -0.3
    assert np.linalg.eigvalsh(hidden._covariance(seed, eigenvalues))[::-1] == pytest.approx(eigenvalues)
    lists = hidden._widths(seed, d)
    assert {min(widths) for widths in lists} == {lists[0][1]}
    assert [widths.index(min(widths)) for widths in lists] == [1, 2, 3]


def test_the_picture_is_what_its_script_draws():
    script = _load("docs/pictures", "make_deep_linear_autoencoder")
    folder = ROOT / "problems" / "deep_linear_autoencoder"
    assert (folder / "points.svg").read_text(encoding="utf-8") == script.picture()
    assert f"![{script.DESCRIPTION}](points.svg)" in (folder / "statement.md").read_text(encoding="utf-8")
