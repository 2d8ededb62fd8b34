"""Coin flips learnt by heart: a folded line through every label, the least-squares line, and fresh flips."""

from __future__ import annotations

import math

import numpy as np


def slopes(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return the slope of each piece of the folded line, from left to right.

    Args:
        x: (n,), the inputs in increasing order, n at least 2.
        y: (n,), their labels.

    Returns:
        (n - 1,), one slope for each pair of neighbouring points.
    """
    raise NotImplementedError


def counts(x: np.ndarray, y: np.ndarray) -> dict[str, int]:
    """Count the changes of label between neighbours, and the kinks of the folded line.

    Args:
        x: (n,), the inputs in increasing order.
        y: (n,), their labels.

    Returns:
        {"label_changes": pairs of neighbours with unlike labels, "kinks": inner points where the slope changes}.
    """
    raise NotImplementedError


def folded_line(x: np.ndarray, y: np.ndarray, new: np.ndarray) -> np.ndarray:
    """Evaluate the folded line through the points; beyond the ends its first and its last piece go on.

    Args:
        x: (n,), the inputs in increasing order.
        y: (n,), their labels.
        new: (m,), where to evaluate, in any order.

    Returns:
        (m,), the values there.
    """
    raise NotImplementedError


def forward(z: np.ndarray, net: tuple[float, float, np.ndarray, np.ndarray, np.ndarray]) -> np.ndarray:
    """Evaluate f(z) = a + b z + sum over j of v_j relu(w_j z + c_j) at each entry of z.

    Args:
        z: (m,), inputs.
        net: (a, b, w, c, v): constant and slope of the linear term, then weights, biases and outgoing weights of
            the k units, each (k,); k may be 0.

    Returns:
        (m,), the values f(z).
    """
    raise NotImplementedError


def network(x: np.ndarray, y: np.ndarray) -> tuple[float, float, np.ndarray, np.ndarray, np.ndarray]:
    """Give a network with training loss 0 that has at most as many units as the folded line has kinks.

    Args:
        x: (n,), the inputs in increasing order.
        y: (n,), their labels.

    Returns:
        (a, b, w, c, v) of f(x) = a + b x + sum over j of v_j relu(w_j x + c_j); w, c and v of one length k >= 0.
    """
    raise NotImplementedError


def least_squares(x: np.ndarray, y: np.ndarray) -> tuple[float, float]:
    """Fit the line a + b x for which the sum of the squared residuals is smallest.

    Args:
        x: (n,), the inputs.
        y: (n,), their labels.

    Returns:
        (a, b): the intercept first, then the slope.
    """
    raise NotImplementedError


def residuals(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return the residuals of the least-squares line: label minus prediction, at each point.

    Args:
        x: (n,), the inputs.
        y: (n,), their labels.

    Returns:
        (n,), y - (a + b x).
    """
    raise NotImplementedError


def mse(p: np.ndarray, y: np.ndarray) -> float:
    """Return the mean over the points of the squared error (p - y)^2.

    Args:
        p: (n,), predictions.
        y: (n,), labels.
    """
    raise NotImplementedError


def expected_loss(p: np.ndarray, q: float) -> float:
    """Return the expected mean squared error of fixed predictions on fresh flips.

    Args:
        p: (m,), one prediction for each new point.
        q: probability that a flip gives the label 1; it gives 0 otherwise. The flips are independent.
    """
    raise NotImplementedError


def standard_error(p: np.ndarray, q: float, draws: int) -> float:
    """Return the standard deviation of an average of losses, each on its own fresh flips of all m labels.

    Args:
        p: (m,), one prediction for each new point.
        q: probability that a flip gives the label 1.
        draws: how many losses are averaged, at least 1; with 1, the deviation of a single loss.
    """
    raise NotImplementedError


def best_constant(q: float) -> tuple[float, float]:
    """Return the prediction with the smallest expected loss on fresh flips, and that loss.

    Args:
        q: probability that a flip gives the label 1.

    Returns:
        (prediction, loss).
    """
    raise NotImplementedError


def report(x: np.ndarray, y: np.ndarray, new: np.ndarray, q: float) -> dict[str, dict[str, float]]:
    """Compare three predictors, on the points that they were fitted to and on fresh flips.

    Args:
        x: (n,), the inputs in increasing order.
        y: (n,), their labels.
        new: (m,), the new inputs.
        q: probability that a fresh flip gives the label 1.

    Returns:
        {"training": loss on the n points, "expected": expected loss on the m new ones} for each of the keys
        "network" (the folded line), "line" (least squares) and "constant" (the number 1/2).
    """
    raise NotImplementedError


def ranking(x: np.ndarray, y: np.ndarray, new: np.ndarray, q: float) -> list[str]:
    """Order the three predictors of the report by their expected loss on the new inputs, the smallest first.

    Args:
        x: (n,), the inputs in increasing order.
        y: (n,), their labels.
        new: (m,), the new inputs.
        q: probability that a fresh flip gives the label 1.

    Returns:
        "network", "line" and "constant" in that order; those with equal losses in any order among themselves.
    """
    raise NotImplementedError
