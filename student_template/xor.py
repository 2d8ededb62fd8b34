"""XOR: why one threshold unit cannot, how two ReLU units can, and one weight put back by descent."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np


def verifies(points: list[list[int]], labels: list[int], kind: str, numbers: list[int | Fraction]) -> bool:
    """Decide in exact arithmetic whether a certificate proves what it claims.

    The threshold unit answers 1 where w . x + b > 0 and 0 where w . x + b <= 0.

    Args:
        points: n points of d integers each, one point a row.
        labels: n labels, each 0 or 1.
        kind: "weights" claims that the unit fits the labels; "multipliers" claims that none does.
        numbers: ints and Fractions; d + 1 weights (w_1, ..., w_d, b), or n multipliers, one a point.

    Returns:
        True if the certificate is a proof, else False.
    """
    raise NotImplementedError


def certificate(points: list[list[int]], labels: list[int]) -> tuple[str, list[int | Fraction]]:
    """Prove that the threshold unit fits a function of two inputs, or that no weights make it fit.

    Args:
        points: the four corners of the unit square, one a row, in any order.
        labels: the four labels, each 0 or 1, in the order of the rows.

    Returns:
        ("weights", [w_1, w_2, b]) or ("multipliers", [m_1, m_2, m_3, m_4]), in the order of the rows.
    """
    raise NotImplementedError


def network() -> tuple[list[list[float]], list[float], list[float], float]:
    """Give a network of two ReLU units that computes XOR.

    Returns:
        (w, c, v, b) of h_j = relu(w_j1 x_1 + w_j2 x_2 + c_j), y = v_1 h_1 + v_2 h_2 + b:
        w (2, 2) with one unit a row, c (2,), v (2,), b a number.
    """
    raise NotImplementedError


def forward(x: np.ndarray, c: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Run the network on every row of x.

    With s the sum of a row: h_1 = relu(s + c_1), h_2 = relu(s + c_2), y = v_1 h_1 + v_2 h_2.

    Args:
        x: (n, d), one example a row.
        c: (2,), biases of h_1 and h_2.
        v: (2,), outgoing weights of h_1 and h_2.

    Returns:
        (h, y): hidden values (n, 2) and outputs (n,).
    """
    raise NotImplementedError


def loss(y: np.ndarray, t: np.ndarray) -> float:
    """Return the mean over the examples of the squared error (y - t)^2.

    Args:
        y: (n,), outputs.
        t: (n,), targets.
    """
    raise NotImplementedError


def gradients(x: np.ndarray, t: np.ndarray, c: np.ndarray, v: np.ndarray) -> dict[str, float]:
    """Differentiate the loss at the given weights.

    Args:
        x: (n, d), one example a row.
        t: (n,), targets.
        c: (2,), biases of h_1 and h_2.
        v: (2,), outgoing weights of h_1 and h_2.

    Returns:
        {"v2": dL/dv_2, "c2": dL/dc_2, "c1": dL/dc_1}, three numbers.
    """
    raise NotImplementedError


def central_difference(x: np.ndarray, t: np.ndarray, c: np.ndarray, v: np.ndarray, *, name: str, eps: float) -> float:
    """Estimate one derivative of the loss L as (L(p + eps) - L(p - eps)) / (2 eps).

    Args:
        x: (n, d), one example a row.
        t: (n,), targets.
        c: (2,), biases of h_1 and h_2.
        v: (2,), outgoing weights of h_1 and h_2.
        name: the parameter p that moves while all others stay: "v2", "c2" or "c1".
        eps: how far it moves, greater than 0.
    """
    raise NotImplementedError


def kinks(x: np.ndarray, c: np.ndarray) -> np.ndarray:
    """Tell which units sit exactly on the bend of their ReLU.

    Args:
        x: (n, d), one example a row.
        c: (2,), biases of h_1 and h_2.

    Returns:
        (n, 2) booleans: True where the argument s + c_j of unit j is exactly zero on that example.
    """
    raise NotImplementedError


def descend(x: np.ndarray, t: np.ndarray, c: np.ndarray, v: np.ndarray, *, eta: float, steps: int) -> np.ndarray:
    """Take steps of gradient descent in v_2 alone; every other parameter keeps its value.

    Args:
        x: (n, d), one example a row.
        t: (n,), targets.
        c: (2,), biases of h_1 and h_2.
        v: (2,), outgoing weights of h_1 and h_2 before the first step.
        eta: the step size.
        steps: how many steps, at least 1.

    Returns:
        (steps,), the value of v_2 after each step.
    """
    raise NotImplementedError
