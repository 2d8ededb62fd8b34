# Bo's answer: the torch functions by autograd, the numbers as tensors and fractions.
from fractions import Fraction

import torch


def gradient_variance(sigma2, batch, reduction):
    share = Fraction(1, batch) if reduction == "mean" else 1
    return sum([share**2 * Fraction(sigma2)] * batch)


def step_deviation(eta, sigma2, batch, reduction):
    return (torch.tensor(eta**2) * float(gradient_variance(sigma2, batch, reduction))).sqrt()


def expected_step(eta, mu, batch, reduction):
    return torch.full((batch,), mu).mul(-eta).mean() * (batch if reduction == "sum" else 1)


def matching_rate(eta, batch):
    return torch.tensor([eta]) / batch


def batch_change(batch, new_batch, reduction):
    def ratio(f):
        return float(f(new_batch)) / float(f(batch))

    deviation = ratio(lambda b: step_deviation(1.0, 1.0, b, reduction))
    expected = ratio(lambda b: expected_step(1.0, 1.0, b, reduction))
    return dict(
        relative_deviation=deviation / expected,
        expected_step=expected,
        step_deviation=deviation,
        gradient_variance=ratio(lambda b: gradient_variance(1.0, b, reduction)),
    )


def _loss(w, x, y, reduction):
    return 0.5 * torch.nn.functional.mse_loss(x @ w, y, reduction=reduction)


def sgd_step(w, x, y, eta, reduction):
    w = w.clone().requires_grad_(True)
    (g,) = torch.autograd.grad(_loss(w, x, y, reduction), w)
    return w - eta * g


def micro_weights(sizes):
    s = torch.tensor(sizes, dtype=torch.get_default_dtype())
    return s / s.sum()


def accumulated_gradient(w, x, y, sizes):
    w = w.clone().requires_grad_(True)
    for k, rows, targets in zip(micro_weights(sizes), torch.split(x, sizes), torch.split(y, sizes)):
        (k * _loss(w, rows, targets, "mean")).backward()
    return w.grad
