"""A deep linear autoencoder: one map of limited rank, the bound of principal components, and weights that attain it.

The layers of a network are always the list [W_1, ..., W_L] in the order in which they act on a column x:
xhat = W_L ... W_1 x, with W_l of shape (n_l, n_{l-1}) and n_0 = n_L = d.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np


def covariance(x: np.ndarray) -> np.ndarray:
    """Return the covariance of points: their mean subtracted, divided by the number of points N.

    Args:
        x: (N, d), one point a row, N >= 1; the mean need not be zero.

    Returns:
        (d, d).
    """
    # BEGIN SOLUTION
    centred = x - x.mean(axis=0)
    return centred.T @ centred / len(x)
    # END SOLUTION


def product(weights: list[np.ndarray]) -> np.ndarray:
    """Return M = W_L ... W_1, the one map that a chain of linear layers computes.

    Args:
        weights: [W_1, ..., W_L], L >= 1, with W_l of shape (n_l, n_{l-1}).

    Returns:
        (n_L, n_0).
    """
    # BEGIN SOLUTION
    m = weights[0]
    for w in weights[1:]:
        m = w @ m
    return m
    # END SOLUTION


def reconstruct(weights: list[np.ndarray], x: np.ndarray) -> np.ndarray:
    """Send points through the network: subtract their mean, apply the layers to each, add the mean again.

    Args:
        weights: [W_1, ..., W_L] of an autoencoder, n_0 = n_L = d.
        x: (N, d), one point a row, N >= 1; the mean need not be zero.

    Returns:
        (N, d), one reconstructed point a row.
    """
    # BEGIN SOLUTION
    mean = x.mean(axis=0)
    h = x - mean
    for w in weights:
        h = h @ w.T
    return mean + h
    # END SOLUTION


def point_loss(x: np.ndarray, xhat: np.ndarray) -> float:
    """Return the squared distance between a point and its reconstruction, averaged over the points.

    Args:
        x: (N, d), one point a row.
        xhat: (N, d), one reconstructed point a row.
    """
    # BEGIN SOLUTION
    return float(((x - xhat) ** 2).sum(axis=1).mean())
    # END SOLUTION


def trace_loss(m: np.ndarray, s: np.ndarray) -> float:
    """Return tr((I - M) S (I - M)^T), the loss of the map M on centred data with covariance S.

    Args:
        m: (d, d), any map.
        s: (d, d), symmetric.
    """
    # BEGIN SOLUTION
    lost = np.eye(len(s)) - m
    return float(np.trace(lost @ s @ lost.T))
    # END SOLUTION


def certificate(weights: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Prove rank M <= k, k the narrowest width, by factors (D, E) with D E = M exactly.

    Args:
        weights: [W_1, ..., W_L] of whole numbers, n_0 = n_L = d; M is not zero.

    Returns:
        (D, E): D of shape (d, r) and E of shape (r, d), with 1 <= r <= k.
    """
    # BEGIN SOLUTION
    widths = [len(weights[0].T), *map(len, weights)]
    narrow = min(widths)
    cut = widths.index(narrow)
    middle = np.eye(narrow, dtype=int)
    return product([middle, *weights[cut:]]), product([*weights[:cut], middle])
    # END SOLUTION


def rank(weights: list[np.ndarray]) -> int:
    """Return the rank of the product M, which may be lower than every width.

    Args:
        weights: [W_1, ..., W_L] of whole numbers, n_0 = n_L = d.
    """
    # BEGIN SOLUTION
    return int(np.linalg.matrix_rank(product(weights)))
    # END SOLUTION


def same_map(first: list[np.ndarray], second: list[np.ndarray]) -> bool:
    """Tell whether two autoencoders of the same d, of any depths and widths, reconstruct every x alike.

    Args:
        first: [W_1, ..., W_L] of one, multiples of 1/4.
        second: [W_1, ..., W_L'] of the other, multiples of 1/4.
    """
    # BEGIN SOLUTION
    return bool(np.array_equal(product(first), product(second)))
    # END SOLUTION


def bound(eigenvalues: np.ndarray, widths: list[int]) -> float:
    """Return the least loss that any weights of these widths reach.

    Args:
        eigenvalues: (d,), those of the covariance in descending order.
        widths: [n_0, n_1, ..., n_L], n_0 = n_L = d, L >= 1.
    """
    # BEGIN SOLUTION
    return float(eigenvalues[min(widths) :].sum())
    # END SOLUTION


def best_map(s: np.ndarray, k: int) -> np.ndarray:
    """Return a map of rank at most k with the least loss that such a map can have.

    Args:
        s: (d, d), covariance, positive definite.
        k: from 1 to d.

    Returns:
        M, (d, d).
    """
    # BEGIN SOLUTION
    _, u = np.linalg.eigh(s)  # one eigenvector a column, the smallest eigenvalue first
    top = u[:, len(s) - k :]
    return top @ top.T
    # END SOLUTION


def optimal_weights(s: np.ndarray, widths: list[int]) -> list[np.ndarray]:
    """Return weights of the given widths whose loss attains the bound.

    Args:
        s: (d, d), covariance, positive definite.
        widths: [n_0, n_1, ..., n_L], n_0 = n_L = d, L >= 1.

    Returns:
        [W_1, ..., W_L] with W_l of shape (n_l, n_{l-1}).
    """
    # BEGIN SOLUTION
    u = np.linalg.eigh(s)[1][:, ::-1]  # the largest eigenvalue first, so that a narrow layer cuts off the smallest
    weights = [np.eye(after, before) for before, after in pairwise(widths)]
    weights[0] = weights[0] @ u.T
    weights[-1] = u @ weights[-1]
    return weights
    # END SOLUTION


def vae_distortion(eigenvalues: np.ndarray, k: int, beta: float, sigma2: float) -> np.ndarray:
    """Return the distortion of each direction in the best linear beta-VAE whose code has k numbers.

    Args:
        eigenvalues: (d,), those of the covariance in descending order, all positive; the first k directions are coded.
        k: from 1 to d.
        beta: weight of the KL term, positive; or 0 for the limit as beta falls to 0.
        sigma2: the decoder's variance sigma^2, positive.

    Returns:
        (d,), in the order of the eigenvalues.
    """
    # BEGIN SOLUTION
    coded = np.minimum(eigenvalues[:k], beta * sigma2)  # delta / (2 sigma^2) + beta / 2 ln(lambda / delta) at its least
    return np.concatenate([coded, eigenvalues[k:]])
    # END SOLUTION
