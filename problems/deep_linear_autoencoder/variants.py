"""Right answers of another make, and known mistakes with the question that leads out of them."""

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
import torch

from grader import right, wrong

# Right answers


@right(replaces="covariance")
def in_plain_loops(x):
    rows = x.tolist()
    n, d = len(rows), len(rows[0])
    mean = [math.fsum(column) / n for column in zip(*rows, strict=True)]
    return [[math.fsum((r[i] - mean[i]) * (r[j] - mean[j]) for r in rows) / n for j in range(d)] for i in range(d)]


@right(replaces="reconstruct")
def through_torch_layers(weights, x):
    x = torch.tensor(x)
    network = torch.nn.Sequential()
    for w in weights:
        layer = torch.nn.Linear(*w.shape[::-1], bias=False)
        layer.weight = torch.nn.Parameter(torch.tensor(w).to(x))
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
    m = product(weights)
    rows, pivots = [[Fraction(int(entry)) for entry in row] for row in m], []
    for place in range(len(m)):
        at = len(pivots)
        found = next((i for i in range(at, len(m)) if rows[i][place]), None)
        if found is not None:
            rows[at], rows[found] = rows[found], rows[at]
            rows[at] = [entry / rows[at][place] for entry in rows[at]]
            for i in {*range(len(m))} - {at}:
                rows[i] = [a - rows[i][place] * b for a, b in zip(rows[i], rows[at], strict=True)]
            pivots.append(place)
    return m[:, pivots], rows[: len(pivots)]


@right(replaces="certificate")
def cut_at_the_last_narrowest_layer(weights):
    widths = [len(weights[0].T), *map(len, weights)]
    cut = max(range(len(widths)), key=lambda place: (-widths[place], place))
    d, e = np.eye(widths[-1]), np.eye(widths[0])
    for w in weights[:cut]:
        e = w @ e
    for w in reversed(weights[cut:]):
        d = d @ w
    return {"D": torch.tensor(d), "E": torch.tensor(e)}


@right(replaces="rank")
def by_singular_values_in_torch(weights):
    return torch.linalg.matrix_rank(torch.tensor(product(weights), dtype=torch.float64))


@right(replaces="same_map")
def on_the_unit_vectors(first, second):
    return all(map(np.allclose, np.asarray(product(first)).T, np.asarray(product(second)).T))


@right(replaces="bound")
def largest_removed_one_by_one(eigenvalues, widths):
    lost = list(eigenvalues)
    for _ in range(min(widths)):
        lost.remove(max(lost))
    return math.fsum(lost)


@right(replaces="best_map")
def all_but_the_smallest(s, k):
    u = np.linalg.svd(s)[0]
    return np.eye(len(s)) - u[:, k:] @ u[:, k:].T


@right(replaces="optimal_weights")
def turned_and_rescaled(s, widths):
    rng = np.random.default_rng(2)
    k = min(widths)
    top = np.linalg.eigh(s)[1][:, -k:] @ np.linalg.qr(rng.normal(0, 1, (k, k)))[0]
    frames = [top, *(np.linalg.qr(rng.normal(0, 1, (width, k)))[0] for width in widths[1:-1]), top]
    weights = [-3.0 * after @ before.T for before, after in pairwise(frames)]
    return (*weights[:-1], weights[-1] / (-3.0) ** len(weights))


def _descended(weights, s, rate, steps):
    """Descend until a step moves no weight by a millionth, or for so many steps."""
    for _ in range(steps):
        outputs = [np.eye(len(s))]
        for w in weights:
            outputs.append(w @ outputs[-1])
        back = 2 * (outputs.pop() - np.eye(len(s))) @ s
        moved = []
        for w in reversed(weights):
            moved.append(rate * back @ outputs.pop().T)
            back = w.T @ back
        weights = [w - step for w, step in zip(weights, moved[::-1], strict=True)]
        if max(abs(step).max() for step in moved) < 1e-6:
            break
    return weights


@right(replaces="optimal_weights")
def by_gradient_descent(s, widths):
    rng = np.random.default_rng(0)
    start = [np.eye(after, before) + rng.normal(0, 0.3, (after, before)) for before, after in pairwise(widths)]
    return _descended(start, s / np.trace(s), 0.2, 3000)


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


@wrong(replaces="covariance", caught_by="covariances_at_sight", hint="By what does the statement divide?")
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
    hint="Which side of the column x does W_1 stand on? The network of the page does not tell the sides apart.",
)
def map_of_the_rows(weights):
    m = weights[0].T
    for w in weights[1:]:
        m = m @ w.T
    return m


@wrong(replaces="product", caught_by="products_of_any_chain", hint="How many matrices are in the list? Count yours.")
def without_the_last_layer(weights):
    m = weights[0]
    for w in weights[1:-1]:
        m = w @ m
    return m


@wrong(replaces="reconstruct", caught_by="reconstructions_follow_the_mean", hint="Where do the points lie?")
def mean_not_restored(weights, x):
    return (x - x.mean(axis=0)) @ product(weights).T


@wrong(replaces="reconstruct", caught_by="reconstructions_at_sight", hint="Which mean does the network expect?")
def never_centred(weights, x):
    return x @ product(weights).T


@wrong(
    replaces="reconstruct",
    caught_by="reconstructions_at_sight",
    hint="Points are rows here, and the layers act on columns. What becomes of M x when x is written as a row?",
)
def rows_from_the_left(weights, x):
    return x.mean(axis=0) + (x - x.mean(axis=0)) @ product(weights)


@wrong(replaces="point_loss", caught_by="losses_at_sight", hint="Per point or per number: what is averaged here?")
def mean_over_numbers(x, xhat):
    return float(np.mean((x - xhat) ** 2))


@wrong(replaces="point_loss", caught_by="both_losses_agree", hint="List every point twice. Does your loss stay?")
def summed_over_points(x, xhat):
    return float(np.sum((x - xhat) ** 2))


@wrong(replaces="point_loss", caught_by="both_losses_agree", hint="In which unit is a covariance, in which your loss?")
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
    hint="The two outer factors have changed places, which a symmetric map hides. Write out the covariance of A x.",
)
def transposed_on_the_wrong_side(m, s):
    lost = np.eye(len(s)) - m
    return float(np.trace(lost.T @ s @ lost))


# Known mistakes: rank


@wrong(replaces="certificate", caught_by="certificates_of_any_chain", hint="Where do the fewest numbers pass?")
def cut_after_the_first_layer(weights):
    return product([np.eye(len(weights[0]), dtype=int), *weights[1:]]), weights[0]


@wrong(
    replaces="certificate", caught_by="certificates_at_sight", hint="Which of D and E makes few numbers out of many?"
)
def factors_swapped(weights):
    cut = min(range(len(weights)), key=lambda place: len(weights[place]))
    return product(weights[: cut + 1]), product([np.eye(len(weights[cut]), dtype=int), *weights[cut + 1 :]])


@wrong(replaces="certificate", caught_by="certificates_of_any_chain", hint="Is that product M, or M up to rounding?")
def by_singular_values(weights):
    u, sizes, v = np.linalg.svd(product(weights))
    k = min(len(weights[0].T), *map(len, weights))
    return u[:, :k] * sizes[:k], v[:k]


@wrong(replaces="rank", caught_by="ranks_at_sight", hint="So high can the rank be at most. Must it get there?")
def narrowest_width(weights):
    return min(len(weights[0].T), *map(len, weights))


@wrong(
    replaces="rank",
    caught_by="ranks_of_any_chain",
    hint="Each layer alone has at least this rank. Can one layer put out just what the next does not look at?",
)
def lowest_rank_of_a_layer(weights):
    return min(int(np.linalg.matrix_rank(w)) for w in weights)


@wrong(replaces="same_map", caught_by="same_maps_at_sight", hint="What may change while two layers keep their product?")
def layer_by_layer(first, second):
    return len(first) == len(second) and all(map(np.array_equal, first, second))


@wrong(replaces="same_map", caught_by="only_the_map_counts", hint="Do a map and twice that map reconstruct x alike?")
def up_to_a_factor(first, second):
    a, b = np.ravel(product(first)), np.ravel(product(second))
    return bool(abs(a @ b) ** 2 >= (1 - 1e-9) * (a @ a) * (b @ b))


# Known mistakes: the bound


@wrong(replaces="bound", caught_by="bounds_at_sight", hint="You add up what the code keeps. Which part is the loss?")
def what_is_kept(eigenvalues, widths):
    return float(eigenvalues[: min(widths)].sum())


@wrong(
    replaces="bound",
    caught_by="bounds_at_the_edges",
    hint="With d = 2 and k = 1 a single eigenvalue is left. How many are left in general?",
)
def the_next_one_alone(eigenvalues, widths):
    return float(eigenvalues[min(widths) :][:1].sum())


@wrong(replaces="bound", caught_by="only_the_bottleneck_counts", hint="Must the narrowest layer stand in the middle?")
def the_width_in_the_middle(eigenvalues, widths):
    return float(eigenvalues[widths[len(widths) // 2] :].sum())


@wrong(
    replaces="bound",
    caught_by="only_the_bottleneck_counts",
    hint="Your bound falls with every layer. What is the largest rank that a product of many matrices can have?",
)
def depth_adds_components(eigenvalues, widths):
    return float(eigenvalues[min(widths) * max(len(widths) - 2, 1) :].sum())


# Known mistakes: what attains it. Eigenvectors are taken in float64, so that their signs are the same in every run.


@wrong(
    replaces="best_map",
    caught_by="best_maps_of_any_covariance",
    hint="In which order do eigenvalues come back?",
)
def smallest_components(s, k):
    u = np.linalg.eigh(s.astype(np.float64))[1][:, :k]
    return u @ u.T


@wrong(
    replaces="best_map",
    caught_by="best_maps_at_sight",
    hint="Multiply S by one of your vectors: is it an eigenvector? In the plane you cannot see what went wrong.",
)
def rows_of_the_eigenvector_matrix(s, k):
    rows = np.linalg.eigh(s.astype(np.float64))[1][len(s) - k :]
    return rows.T @ rows


@wrong(replaces="best_map", caught_by="equal_eigenvalues", hint="Can two eigenvectors share one eigenvalue?")
def one_direction_for_each_value(s, k):
    eigenvalues, u = np.linalg.eigh(s.astype(np.float64))
    _, first = np.unique(np.round(eigenvalues, 4), return_index=True)
    return u[:, first[-k:]] @ u[:, first[-k:]].T


@wrong(replaces="optimal_weights", caught_by="weights_at_sight", hint="What is the gradient of a product of zeros?")
def trained_from_zero(s, widths):
    return _descended([np.zeros((after, before)) for before, after in pairwise(widths)], s, 0.02, 50)


def _layers(u, widths):
    weights = [np.eye(after, before) for before, after in pairwise(widths)]
    weights[0] = weights[0] @ u.T
    return [*weights[:-1], u @ weights[-1]]


@wrong(replaces="optimal_weights", caught_by="weights_at_sight", hint="Which layer touches x first?")
def last_layer_first(s, widths):
    return _layers(np.linalg.eigh(s.astype(np.float64))[1][:, ::-1], widths)[::-1]


@wrong(
    replaces="optimal_weights",
    caught_by="weights_for_any_bottleneck",
    hint="Your first layer hands on more components than a later one lets through. Which of them are cut off there?",
)
def smallest_of_the_kept_first(s, widths):
    return _layers(np.roll(np.linalg.eigh(s.astype(np.float64))[1], min(widths[:2]), axis=1), widths)


@wrong(replaces="optimal_weights", caught_by="nothing_narrow_loses_nothing", hint="A single layer is first and last.")
def last_layer_in_place_of_the_first(s, widths):
    u = np.linalg.eigh(s.astype(np.float64))[1][:, ::-1]
    return [*_layers(u, widths)[:-1], u @ np.eye(widths[-1], widths[-2])]


# Known mistakes: the variational autoencoder


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
