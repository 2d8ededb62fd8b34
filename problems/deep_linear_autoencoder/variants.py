"""Right answers of another make, and known mistakes with the question that leads out of them."""

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
import torch

from grader import right, wrong

# Right answers: the data, the map, its losses


@right(replaces="covariance")
def in_plain_loops(x):
    rows = x.tolist()
    n, d = len(rows), len(rows[0])
    mean = [math.fsum(column) / n for column in zip(*rows, strict=True)]
    return [[math.fsum((r[i] - mean[i]) * (r[j] - mean[j]) for r in rows) / n for j in range(d)] for i in range(d)]


@right(replaces="product")
def column_by_column(weights):
    columns = []
    for h in np.eye(weights[0].shape[1]):
        for w in weights:
            h = [sum(a * b for a, b in zip(row, h, strict=True)) for row in w.tolist()]
        columns.append(h)
    return [list(row) for row in zip(*columns, strict=True)]


@right(replaces="reconstruct")
def through_torch_layers(weights, x):
    x = torch.from_numpy(x.copy())
    network = torch.nn.Sequential()
    for w in weights:
        layer = torch.nn.Linear(*w.shape[::-1], bias=False).to(x.dtype)
        layer.weight = torch.nn.Parameter(torch.from_numpy(np.array(w)).to(x.dtype))
        network.append(layer)
    return network(x - x.mean(0)) + x.mean(0)


@right(replaces="point_loss")
def with_the_mean_over_numbers_undone(x, xhat):
    return torch.nn.functional.mse_loss(torch.tensor(xhat), torch.tensor(x)) * x.shape[1]


@right(replaces="trace_loss")
def written_out(m, s):
    return np.trace(s) - 2 * np.trace(m @ s) + np.einsum("ij,jk,ik->", m, s, m)


@right(replaces="certificate")
def by_elimination(weights):
    rows = [[Fraction(int(entry)) for entry in row] for row in product(weights)]
    pivots, at = [], 0
    for place in range(len(rows)):
        below = next((i for i in range(at, len(rows)) if rows[i][place]), None)
        if below is None:
            continue
        rows[at], rows[below] = rows[below], [-entry for entry in rows[at]]
        rows[at] = [entry / rows[at][place] for entry in rows[at]]
        for i in range(len(rows)):
            if i != at:
                rows[i] = [a - rows[i][place] * b for a, b in zip(rows[i], rows[at], strict=True)]
        pivots.append(place)
        at += 1
    return product(weights)[:, pivots], rows[:at]


@right(replaces="certificate")
def cut_at_the_last_narrowest_layer(weights):
    widths = [len(weights[0].T), *map(len, weights)]
    cut = max(range(len(widths)), key=lambda place: (-widths[place], place))
    d, e = torch.eye(widths[-1], dtype=torch.float64), torch.eye(widths[0], dtype=torch.float64)
    for w in weights[:cut]:
        e = torch.tensor(w).double() @ e
    for w in reversed(weights[cut:]):
        d = d @ torch.tensor(w).double()
    return {"D": d, "E": e}


@right(replaces="rank")
def rank_by_singular_values(weights):
    return torch.linalg.matrix_rank(torch.tensor(product(weights), dtype=torch.float64))


@right(replaces="same_map")
def on_the_unit_vectors(first, second):
    columns = zip(np.asarray(product(first)).T, np.asarray(product(second)).T, strict=True)
    return all(np.allclose(a, b) for a, b in columns)


# Right answers: the bound and what attains it


@right(replaces="bound")
def what_is_left_after_k(eigenvalues, widths):
    lost = list(eigenvalues)
    for _ in range(min(widths)):
        lost.remove(max(lost))
    return math.fsum(lost)


@right(replaces="best_map")
def all_but_the_smallest(s, k):
    u = np.linalg.svd(s)[0]
    return np.eye(len(s)) - u[:, k:] @ u[:, k:].T


@right(replaces="best_map")
def by_alternating_least_squares(s, k):
    d = np.random.default_rng(1).normal(0, 1, (len(s), k))
    for _ in range(400):
        e = np.linalg.solve(d.T @ d, d.T)
        d = s @ e.T @ np.linalg.inv(e @ s @ e.T)
    return d @ np.linalg.solve(d.T @ d, d.T)


@right(replaces="optimal_weights")
def turned_and_rescaled(s, widths):
    rng = np.random.default_rng(2)
    k = min(widths)
    top = np.linalg.eigh(s)[1][:, -k:] @ np.linalg.qr(rng.normal(0, 1, (k, k)))[0]
    frames = [top, *(np.linalg.qr(rng.normal(0, 1, (width, k)))[0] for width in widths[1:-1]), top]
    weights = [-3.0 * after @ before.T for before, after in pairwise(frames)]
    return (*weights[:-1], weights[-1] / (-3.0) ** len(weights))


def _descended(weights, s, rate, steps):
    for _ in range(steps):
        outputs = [np.eye(len(s))]
        for w in weights:
            outputs.append(w @ outputs[-1])
        back = 2 * (outputs.pop() - np.eye(len(s))) @ s
        moved = []
        for w in reversed(weights):
            moved.append(w - rate * back @ outputs.pop().T)
            back = w.T @ back
        weights = moved[::-1]
    return weights


@right(replaces="optimal_weights")
def by_gradient_descent(s, widths):
    rng = np.random.default_rng(0)
    start = [np.eye(after, before) + rng.normal(0, 0.3, (after, before)) for before, after in pairwise(widths)]
    return _descended(start, s / np.trace(s), 0.2, 3000)


@right(replaces="optimal_weights")
def by_a_torch_optimiser(s, widths):
    torch.manual_seed(0)
    s = torch.tensor(s / np.trace(s))
    weights = [torch.nn.init.orthogonal_(torch.empty(n, m, dtype=s.dtype)) for m, n in pairwise(widths)]
    optimiser = torch.optim.LBFGS([w.requires_grad_() for w in weights], max_iter=200, line_search_fn="strong_wolfe")

    def closure():
        optimiser.zero_grad()
        lost = torch.eye(len(s), dtype=s.dtype) - product(weights)
        loss = torch.trace(lost @ s @ lost.T)
        loss.backward()
        return loss

    optimiser.step(closure)
    return weights


@right(replaces="vae_distortion")
def by_halving_the_interval(eigenvalues, k, beta, sigma2):
    answer = eigenvalues.tolist()
    for place, eigenvalue in enumerate(answer[:k]):
        low, high = 0.0, eigenvalue
        for _ in range(80):
            delta = (low + high) / 2
            low, high = (delta, high) if delta / sigma2 < beta else (low, delta)
        answer[place] = high
    return answer


# Known mistakes: the data, the map, its losses


@wrong(
    replaces="covariance",
    caught_by="covariances_at_sight",
    hint="You divide by one less than the number of points. By what does the statement divide?",
)
def divided_by_one_less(x):
    centred = x - x.mean(axis=0)
    return centred.T @ centred / max(len(x) - 1, 1)


@wrong(
    replaces="covariance",
    caught_by="covariances_of_any_points",
    hint="The four points have mean zero; others do not. What happens to your result when all points are shifted?",
)
def second_moments(x):
    return x.T @ x / len(x)


@wrong(
    replaces="product",
    caught_by="products_at_sight",
    hint="Your map is the right one for rows; for the text's network both are alike. Which side of x does W_1 stand on?",
)
def map_of_the_rows(weights):
    m = weights[0].T
    for w in weights[1:]:
        m = m @ w.T
    return m


@wrong(
    replaces="product",
    caught_by="products_of_any_chain",
    hint="One end of the chain is missing from your product. How many matrices are in the list, and how many did you use?",
)
def without_the_last_layer(weights):
    m = weights[0]
    for w in weights[1:-1]:
        m = w @ m
    return m


@wrong(
    replaces="reconstruct",
    caught_by="reconstructions_follow_the_mean",
    hint="Your reconstructions lie around the origin. Where do the points lie?",
)
def mean_not_restored(weights, x):
    return (x - x.mean(axis=0)) @ product(weights).T


@wrong(
    replaces="reconstruct",
    caught_by="reconstructions_at_sight",
    hint="The network was made for centred data. What does it see of points whose mean is not zero?",
)
def never_centred(weights, x):
    return x @ product(weights).T


@wrong(
    replaces="reconstruct",
    caught_by="reconstructions_at_sight",
    hint="Points are rows here, and the layers act on columns. What becomes of M x when x is written as a row?",
)
def rows_from_the_left(weights, x):
    mean = x.mean(axis=0)
    return mean + (x - mean) @ product(weights)


@wrong(
    replaces="point_loss",
    caught_by="losses_at_sight",
    hint="Per point or per number: what does the formula with the trace average over?",
)
def mean_over_numbers(x, xhat):
    return float(np.mean((x - xhat) ** 2))


@wrong(
    replaces="point_loss",
    caught_by="both_losses_agree",
    hint="List every point twice. Does your loss stay?",
)
def summed_over_points(x, xhat):
    return float(np.sum((x - xhat) ** 2))


@wrong(
    replaces="point_loss",
    caught_by="both_losses_agree",
    hint="On the four points all distances are 1, which hides a power. In which unit is a covariance?",
)
def mean_distance(x, xhat):
    return float(np.mean(np.linalg.norm(x - xhat, axis=1)))


@wrong(
    replaces="trace_loss",
    caught_by="losses_at_sight",
    hint="For an orthogonal projector this is the same. Is every map one? Count how often I - M stands in the formula.",
)
def applied_from_one_side(m, s):
    return float(np.trace((np.eye(len(s)) - m) @ s))


@wrong(
    replaces="trace_loss",
    caught_by="both_losses_agree",
    hint="What comes in less what goes out: Pythagoras wants a right angle. Does every map leave one?",
)
def variance_in_less_variance_out(m, s):
    return float(np.trace(s) - np.trace(m @ s @ m.T))


@wrong(
    replaces="trace_loss",
    caught_by="both_losses_agree",
    hint="The two outer factors have changed places, which a symmetric map hides. Write out the covariance of A x.",
)
def transposed_on_the_wrong_side(m, s):
    lost = np.eye(len(s)) - m
    return float(np.trace(lost.T @ s @ lost))


# Known mistakes: rank


@wrong(
    replaces="certificate",
    caught_by="certificates_wherever_the_bottleneck_is",
    hint="You cut the chain behind its first layer. How many numbers pass there, and how few elsewhere?",
)
def cut_after_the_first_layer(weights):
    return product([np.eye(len(weights[0]), dtype=int), *weights[1:]]), weights[0]


@wrong(
    replaces="certificate",
    caught_by="certificates_at_sight",
    hint="D turns the few numbers back into d, E makes them. Which of the two is tall?",
)
def factors_swapped(weights):
    cut = min(range(len(weights)), key=lambda i: len(weights[i]))
    return product(weights[: cut + 1]), product([np.eye(len(weights[cut]), dtype=int), *weights[cut + 1 :]])


@wrong(
    replaces="certificate",
    caught_by="certificates_wherever_the_bottleneck_is",
    hint="Your factors went through roots and divisions. Is their product M, or M up to rounding?",
)
def by_singular_values(weights):
    u, sizes, v = np.linalg.svd(product(weights))
    k = min(len(weights[0].T), *map(len, weights))
    return u[:, :k] * sizes[:k], v[:k]


@wrong(
    replaces="rank",
    caught_by="ranks_of_any_chain",
    hint="This is the largest rank that the product can have. Must it reach it?",
)
def narrowest_width(weights):
    return min(len(weights[0].T), *map(len, weights))


@wrong(
    replaces="rank",
    caught_by="ranks_of_any_chain",
    hint="Each layer alone has at least this rank. Can one layer put out just what the next does not look at?",
)
def lowest_rank_of_a_layer(weights):
    return min(int(np.linalg.matrix_rank(w)) for w in weights)


@wrong(
    replaces="same_map",
    caught_by="same_maps_at_sight",
    hint="What stays the same when two layers are rescaled against each other?",
)
def layer_by_layer(first, second):
    return len(first) == len(second) and all(map(np.array_equal, first, second))


@wrong(
    replaces="same_map",
    caught_by="only_the_map_counts",
    hint="A map and twice that map: do they reconstruct x alike?",
)
def up_to_a_factor(first, second):
    a, b = np.ravel(product(first)), np.ravel(product(second))
    return bool(abs(a @ b) ** 2 >= (1 - 1e-9) * (a @ a) * (b @ b))


# Known mistakes: the bound


@wrong(
    replaces="bound",
    caught_by="bounds_at_sight",
    hint="You add up what the code keeps. Which part of the variance is the loss?",
)
def what_is_kept(eigenvalues, widths):
    return float(eigenvalues[: min(widths)].sum())


@wrong(
    replaces="bound",
    caught_by="bounds_at_the_edges",
    hint="With d = 2 and k = 1 a single eigenvalue is left. How many are left in general?",
)
def the_next_one_alone(eigenvalues, widths):
    return float(eigenvalues[min(widths) :][:1].sum())


@wrong(
    replaces="bound",
    caught_by="width_and_depth_beyond_the_bottleneck_change_nothing",
    hint="You took the width in the middle for the narrowest. Must the bottleneck be there?",
)
def the_width_in_the_middle(eigenvalues, widths):
    return float(eigenvalues[min(widths[len(widths) // 2], len(eigenvalues)) :].sum())


@wrong(
    replaces="bound",
    caught_by="width_and_depth_beyond_the_bottleneck_change_nothing",
    hint="Your bound falls with every layer. What is the largest rank that a product of many matrices can have?",
)
def depth_adds_components(eigenvalues, widths):
    return float(eigenvalues[min(widths) * max(len(widths) - 2, 1) :].sum())


@wrong(
    replaces="best_map",
    caught_by="best_maps_at_sight",
    hint="In which order does your routine return eigenvalues?",
)
def smallest_components(s, k):
    u = np.linalg.eigh(np.asarray(s, dtype=np.float64))[1][:, :k]
    return u @ u.T


@wrong(
    replaces="best_map",
    caught_by="best_maps_at_sight",
    hint="Multiply S by one of the vectors that you took: is it an eigenvector? The two dimensions of the text hide it.",
)
def rows_of_the_eigenvector_matrix(s, k):
    rows = np.linalg.eigh(np.asarray(s, dtype=np.float64))[1][len(s) - k :]
    return rows.T @ rows


@wrong(
    replaces="best_map",
    caught_by="best_maps_of_any_covariance",
    hint="This is the best approximation of S. What should the map do with a vector along its first eigenvector?",
)
def covariance_cut_to_rank_k(s, k):
    eigenvalues, u = np.linalg.eigh(np.asarray(s, dtype=np.float64))
    return (u * eigenvalues)[:, len(s) - k :] @ u[:, len(s) - k :].T


@wrong(
    replaces="best_map",
    caught_by="equal_eigenvalues",
    hint="Two eigenvectors may share one eigenvalue. Do both of them count?",
)
def one_direction_for_each_value(s, k):
    eigenvalues, u = np.linalg.eigh(np.asarray(s, dtype=np.float64))
    _, first = np.unique(np.round(eigenvalues, 4), return_index=True)
    return u[:, first[-k:]] @ u[:, first[-k:]].T


@wrong(
    replaces="best_map",
    caught_by="a_map_of_full_rank_loses_nothing",
    hint="You always drop a direction. What is k here, and what is d?",
)
def always_narrower(s, k):
    u = np.linalg.eigh(np.asarray(s, dtype=np.float64))[1]
    kept = u[:, max(len(s) - k, 1) :]
    return kept @ kept.T


# Known mistakes: weights and the VAE


def _eigenvectors(s):
    """The largest eigenvalue first; always in float64, so that signs are the same in every run."""
    return np.linalg.eigh(np.asarray(s, dtype=np.float64))[1][:, ::-1]


@wrong(
    replaces="optimal_weights",
    caught_by="weights_at_sight",
    hint="Your weights never moved. What is the gradient of a product when every factor is zero?",
)
def trained_from_zero(s, widths):
    return _descended([np.zeros((after, before)) for before, after in pairwise(widths)], s, 0.02, 50)


@wrong(
    replaces="optimal_weights",
    caught_by="weights_at_sight",
    hint="Your network keeps the first coordinates. Are they the directions in which the data vary most?",
)
def coordinates_for_components(s, widths):  # noqa: ARG001 - the mistake: the data are not asked
    return [np.eye(after, before) for before, after in pairwise(widths)]


@wrong(
    replaces="optimal_weights",
    caught_by="weights_at_sight",
    hint="Which layer touches x first, and which shape does it have?",
)
def last_layer_first(s, widths):
    return _layers(_eigenvectors(s), widths)[::-1]


@wrong(
    replaces="optimal_weights",
    caught_by="weights_wherever_the_bottleneck_is",
    hint="Your first layer hands on more components than a later one lets through. Which of them are cut off there?",
)
def smallest_of_the_kept_first(s, widths):
    kept = min(widths[0], widths[1])
    u = np.linalg.eigh(np.asarray(s, dtype=np.float64))[1]
    return _layers(np.roll(u, kept, axis=1), widths)


@wrong(
    replaces="optimal_weights",
    caught_by="nothing_narrow_loses_nothing",
    hint="Where there is one layer it is the first and the last. What must it do then?",
)
def last_layer_in_place_of_the_first(s, widths):
    u = _eigenvectors(s)
    weights = _layers(u, widths)
    weights[-1] = u @ np.eye(widths[-1], widths[-2])
    return weights


@wrong(
    replaces="vae_distortion",
    caught_by="distortions_of_any_code",
    hint="Compare your numbers with what is lost if a direction is not coded at all. Can coding it make that worse?",
)
def without_a_ceiling(eigenvalues, k, beta, sigma2):
    return np.concatenate([np.full(k, beta * sigma2), eigenvalues[k:]])


@wrong(
    replaces="vae_distortion",
    caught_by="the_limit_is_the_bound",
    hint="How many directions have a number of the code? What becomes of the others as beta falls to 0?",
)
def every_direction_coded(eigenvalues, k, beta, sigma2):  # noqa: ARG001 - the mistake: k plays no part
    return np.minimum(eigenvalues, beta * sigma2)


@wrong(
    replaces="vae_distortion",
    caught_by="distortions_at_sight",
    hint="Which power of sigma divides the distortion in the objective, and which of them is given?",
)
def sigma_for_its_square(eigenvalues, k, beta, sigma2):
    return np.concatenate([np.minimum(eigenvalues[:k], beta * math.sqrt(sigma2)), eigenvalues[k:]])


@wrong(
    replaces="vae_distortion",
    caught_by="distortions_at_sight",
    hint="You return the variance that comes through. Which part of it is the distortion?",
)
def what_comes_through(eigenvalues, k, beta, sigma2):
    return np.concatenate([np.maximum(eigenvalues[:k] - beta * sigma2, 0), 0 * eigenvalues[k:]])


def _layers(u, widths):
    """Layers that hand on the columns of u, the first ones where a layer is narrow."""
    weights = [np.eye(after, before) for before, after in pairwise(widths)]
    weights[0] = weights[0] @ u.T
    weights[-1] = u @ weights[-1]
    return weights
