"""Hal subtracts until nothing is left, which with floats never happens."""

import math


def gradient_variance(sigma2, batch, reduction):
    return sigma2 / batch if reduction == "mean" else sigma2 * batch


def step_deviation(eta, sigma2, batch, reduction):
    return eta * math.sqrt(gradient_variance(sigma2, batch, reduction))


def expected_step(eta, mu, batch, reduction):
    return -eta * mu if reduction == "mean" else -eta * batch * mu


def matching_rate(eta, batch):
    rate = 0.0
    while rate * batch != eta:
        rate += 1e-9
    return rate


def batch_change(batch, new_batch, reduction):
    r = new_batch / batch
    if reduction == "mean":
        return {
            "gradient_variance": 1 / r,
            "step_deviation": r**-0.5,
            "expected_step": 1,
            "relative_deviation": r**-0.5,
        }
    return {"gradient_variance": r, "step_deviation": r**0.5, "expected_step": r, "relative_deviation": r**-0.5}


def sgd_step(w, x, y, eta, reduction):
    g = (x @ w - y) @ x
    return w - eta * (g / x.shape[0] if reduction == "mean" else g)


def micro_weights(sizes):
    return [s / sum(sizes) for s in sizes]


def accumulated_gradient(w, x, y, sizes):
    total, start = 0, 0
    for s in sizes:
        rows = x[start : start + s]
        total = total + (rows @ w - y[start : start + s]) @ rows
        start += s
    return total / start
