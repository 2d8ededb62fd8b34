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
    raise NotImplementedError


def product(weights: list[np.ndarray]) -> np.ndarray:
    """Return M = W_L ... W_1, the one map that a chain of linear layers computes.

    Args:
        weights: [W_1, ..., W_L], L >= 1, with W_l of shape (n_l, n_{l-1}).

    Returns:
        (n_L, n_0).
    """
    raise NotImplementedError


def reconstruct(weights: list[np.ndarray], x: np.ndarray) -> np.ndarray:
    """Send points through the network: subtract their mean, apply the layers to each, add the mean again.

    Args:
        weights: [W_1, ..., W_L] of an autoencoder, n_0 = n_L = d.
        x: (N, d), one point a row, N >= 1; the mean need not be zero.

    Returns:
        (N, d), one reconstructed point a row.
    """
    raise NotImplementedError


def point_loss(x: np.ndarray, xhat: np.ndarray) -> float:
    """Return the squared distance between a point and its reconstruction, averaged over the points.

    Args:
        x: (N, d), one point a row.
        xhat: (N, d), one reconstructed point a row.
    """
    raise NotImplementedError


def trace_loss(m: np.ndarray, s: np.ndarray) -> float:
    """Return tr((I - M) S (I - M)^T), the loss of the map M on centred data with covariance S.

    Args:
        m: (d, d), any map.
        s: (d, d), symmetric.
    """
    raise NotImplementedError


def certificate(weights: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Prove rank M <= k, k the narrowest width, by factors (D, E) with D E = M exactly.

    Args:
        weights: [W_1, ..., W_L] of whole numbers, n_0 = n_L = d; M is not zero.

    Returns:
        (D, E): D of shape (d, r) and E of shape (r, d), with 1 <= r <= k.
    """
    raise NotImplementedError


def rank(weights: list[np.ndarray]) -> int:
    """Return the rank of the product M, which may be lower than every width.

    Args:
        weights: [W_1, ..., W_L] of whole numbers, n_0 = n_L = d.
    """
    raise NotImplementedError


def same_map(first: list[np.ndarray], second: list[np.ndarray]) -> bool:
    """Tell whether two autoencoders of the same d, of any depths and widths, reconstruct every x alike.

    Args:
        first: [W_1, ..., W_L] of one, multiples of 1/4.
        second: [W_1, ..., W_L'] of the other, multiples of 1/4.
    """
    raise NotImplementedError


def bound(eigenvalues: np.ndarray, widths: list[int]) -> float:
    """Return the least loss that any weights of these widths reach.

    Args:
        eigenvalues: (d,), those of the covariance in descending order.
        widths: [n_0, n_1, ..., n_L], n_0 = n_L = d, L >= 1.
    """
    raise NotImplementedError


def best_map(s: np.ndarray, k: int) -> np.ndarray:
    """Return a map of rank at most k with the least loss that such a map can have.

    Args:
        s: (d, d), covariance, positive definite.
        k: from 1 to d.

    Returns:
        M, (d, d).
    """
    raise NotImplementedError


def optimal_weights(s: np.ndarray, widths: list[int]) -> list[np.ndarray]:
    """Return weights of the given widths whose loss attains the bound.

    Args:
        s: (d, d), covariance, positive definite.
        widths: [n_0, n_1, ..., n_L], n_0 = n_L = d, L >= 1.

    Returns:
        [W_1, ..., W_L] with W_l of shape (n_l, n_{l-1}).
    """
    raise NotImplementedError


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
    raise NotImplementedError
