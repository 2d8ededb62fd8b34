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


def _descend(weights, s, rate, steps):
    for _ in range(steps):
        slope = -2 * (np.eye(len(s)) - ours.product(weights)) @ s
        identity = np.eye(len(s))
        weights = [
            w - rate * ours.product([identity, *weights[i + 1 :]][i + 1 == len(weights) :] or [identity]).T @ slope @ r.T
            for i, (w, r) in enumerate(zip(weights, [ours.product([identity, *weights[:i]]) for i in range(9)], strict=False))
        ]
    return weights


def test_numbers_of_the_text():
    s = ours.covariance(FOUR)
    assert np.linalg.eigvalsh(s) == pytest.approx([1, 4])
    m = ours.product(TEXT)
    assert m == pytest.approx(np.array([[0.64, 0.48], [0.48, 0.36]]))
    assert m == pytest.approx(np.outer(U1, U1))
    assert ours.trace_loss(m, s) == pytest.approx(1)
    assert ours.point_loss(FOUR, ours.reconstruct(TEXT, FOUR)) == pytest.approx(1)
    assert ours.bound(np.array([4.0, 1.0]), WIDTHS) == 1
