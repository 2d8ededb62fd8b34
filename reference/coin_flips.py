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
    # BEGIN SOLUTION
    return np.diff(y) / np.diff(x)
    # END SOLUTION


def counts(x: np.ndarray, y: np.ndarray) -> dict[str, int]:
    """Count the changes of label between neighbours, and the kinks of the folded line.

    Args:
        x: (n,), the inputs in increasing order.
        y: (n,), their labels.

    Returns:
        {"label_changes": pairs of neighbours with unlike labels, "kinks": inner points where the slope changes}.
    """
    # BEGIN SOLUTION
    changes = np.diff(slopes(x, y))
    return {"label_changes": int(np.count_nonzero(np.diff(y))), "kinks": int(np.count_nonzero(changes))}
    # END SOLUTION


def folded_line(x: np.ndarray, y: np.ndarray, new: np.ndarray) -> np.ndarray:
    """Evaluate the folded line through the points; beyond the ends its first and its last piece go on.

    Args:
        x: (n,), the inputs in increasing order.
        y: (n,), their labels.
        new: (m,), where to evaluate, in any order.

    Returns:
        (m,), the values there.
    """
    # BEGIN SOLUTION
    piece = np.clip(np.searchsorted(x, new) - 1, 0, len(x) - 2)
    return y[piece] + slopes(x, y)[piece] * (new - x[piece])
    # END SOLUTION


def forward(z: np.ndarray, net: tuple[float, float, np.ndarray, np.ndarray, np.ndarray]) -> np.ndarray:
    """Evaluate f(z) = a + b z + sum over j of v_j relu(w_j z + c_j) at each entry of z.

    Args:
        z: (m,), inputs.
        net: (a, b, w, c, v): constant and slope of the linear term, then weights, biases and outgoing weights of
            the k units, each (k,); k may be 0.

    Returns:
        (m,), the values f(z).
    """
    # BEGIN SOLUTION
    a, b, w, c, v = net
    return a + b * z + np.maximum(np.outer(z, w) + c, 0) @ v
    # END SOLUTION


def network(x: np.ndarray, y: np.ndarray) -> tuple[float, float, np.ndarray, np.ndarray, np.ndarray]:
    """Give a network with training loss 0 that has at most as many units as the folded line has kinks.

    Args:
        x: (n,), the inputs in increasing order.
        y: (n,), their labels.

    Returns:
        (a, b, w, c, v) of f(x) = a + b x + sum over j of v_j relu(w_j x + c_j); w, c and v of one length k >= 0.
    """
    # BEGIN SOLUTION
    slope = slopes(x, y)
    change = np.diff(slope)
    kink = x[1:-1][change != 0]
    return y[0] - slope[0] * x[0], slope[0], np.ones(len(kink)), -kink, change[change != 0]
    # END SOLUTION


def least_squares(x: np.ndarray, y: np.ndarray) -> tuple[float, float]:
    """Fit the line a + b x for which the sum of the squared residuals is smallest.

    Args:
        x: (n,), the inputs.
        y: (n,), their labels.

    Returns:
        (a, b): the intercept first, then the slope.
    """
    # BEGIN SOLUTION
    dx, dy = x - x.mean(), y - y.mean()
    b = dx @ dy / (dx @ dx)
    return y.mean() - b * x.mean(), b
    # END SOLUTION


def residuals(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return the residuals of the least-squares line: label minus prediction, at each point.

    Args:
        x: (n,), the inputs.
        y: (n,), their labels.

    Returns:
        (n,), y - (a + b x).
    """
    # BEGIN SOLUTION
    a, b = least_squares(x, y)
    return y - (a + b * x)
    # END SOLUTION


def mse(p: np.ndarray, y: np.ndarray) -> float:
    """Return the mean over the points of the squared error (p - y)^2.

    Args:
        p: (n,), predictions.
        y: (n,), labels.
    """
    # BEGIN SOLUTION
    return float(np.mean((p - y) ** 2))
    # END SOLUTION


def expected_loss(p: np.ndarray, q: float) -> float:
    """Return the expected mean squared error of fixed predictions on fresh flips.

    Args:
        p: (m,), one prediction for each new point.
        q: probability that a flip gives the label 1; it gives 0 otherwise. The flips are independent.
    """
    # BEGIN SOLUTION
    return float(np.mean((p - q) ** 2)) + q * (1 - q)
    # END SOLUTION


def standard_error(p: np.ndarray, q: float, draws: int) -> float:
    """Return the standard deviation of an average of losses, each on its own fresh flips of all m labels.

    Args:
        p: (m,), one prediction for each new point.
        q: probability that a flip gives the label 1.
        draws: how many losses are averaged, at least 1; with 1, the deviation of a single loss.
    """
    # BEGIN SOLUTION
    one_draw = q * (1 - q) * np.mean((1 - 2 * p) ** 2) / len(p)
    return math.sqrt(one_draw / draws)
    # END SOLUTION


def best_constant(q: float) -> tuple[float, float]:
    """Return the prediction with the smallest expected loss on fresh flips, and that loss.

    Args:
        q: probability that a flip gives the label 1.

    Returns:
        (prediction, loss).
    """
    # BEGIN SOLUTION
    return q, q * (1 - q)
    # END SOLUTION


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
    # BEGIN SOLUTION
    a, b = least_squares(x, y)
    predictors = {
        "network": lambda z: folded_line(x, y, z),
        "line": lambda z: a + b * z,
        "constant": lambda z: np.full(len(z), 0.5),
    }
    return {name: {"training": mse(f(x), y), "expected": expected_loss(f(new), q)} for name, f in predictors.items()}
    # END SOLUTION


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
    # BEGIN SOLUTION
    losses = report(x, y, new, q)
    return sorted(losses, key=lambda name: losses[name]["expected"])
    # END SOLUTION
