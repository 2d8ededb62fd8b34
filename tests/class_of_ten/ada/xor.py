"""Ada's answer: vectorised numpy, certificates by a small search."""

import itertools
from fractions import Fraction as F

import numpy as np


def verifies(points, labels, kind, numbers):
    A = [list(map(F, p)) + [F(1)] for p in points]
    numbers = [F(n) for n in numbers]
    if kind == "weights":
        for row, label in zip(A, labels):
            z = sum(a * n for a, n in zip(row, numbers))
            if bool(label) != (z > 0):
                return False
        return True
    if any(n < 0 for n in numbers):
        return False
    if not any(n > 0 and label == 1 for n, label in zip(numbers, labels)):
        return False
    for column in range(len(A[0])):
        plus = sum(n * row[column] for n, row, label in zip(numbers, A, labels) if label == 1)
        minus = sum(n * row[column] for n, row, label in zip(numbers, A, labels) if label == 0)
        if plus != minus:
            return False
    return True


def certificate(points, labels):
    for weights in itertools.product(range(-2, 3), repeat=3):
        if verifies(points, labels, "weights", weights):
            return "weights", list(weights)
    return "multipliers", [1, 1, 1, 1]


def network():
    return np.array([[1, 1], [1, 1]]), np.array([0, -1]), np.array([1, -2]), 0


def forward(x, c, v):
    h = np.maximum(x.sum(1, keepdims=True) + c, 0.0)
    return h, h @ v


def loss(y, t):
    return ((y - t) ** 2).mean()


def gradients(x, t, c, v):
    h, y = forward(x, c, v)
    delta = 2 * (y - t) / len(t)
    on = h > 0
    return {
        "v2": (delta * h[:, 1]).sum(),
        "c2": (delta * v[1] * on[:, 1]).sum(),
        "c1": (delta * v[0] * on[:, 0]).sum(),
    }


def central_difference(x, t, c, v, name, eps):
    def at(shift):
        p = {"c": np.array(c, dtype=float), "v": np.array(v, dtype=float)}
        p[name[0]][int(name[1]) - 1] += shift
        return loss(forward(x, p["c"], p["v"])[1], t)

    return (at(eps) - at(-eps)) / (2 * eps)


def kinks(x, c):
    return (x.sum(1, keepdims=True) + c) == 0


def descend(x, t, c, v, eta, steps):
    v = np.array(v, dtype=float)
    seen = []
    for _ in range(steps):
        v[1] -= eta * gradients(x, t, c, v)["v2"]
        seen.append(v[1])
    return seen
