"""Mean or sum over the batch: the noise of a gradient, the step it makes, and the rate that goes with it."""

import math

import torch


def gradient_variance(sigma2: float, batch: int, reduction: str) -> float:
    """Return the variance of the batch gradient.

    Args:
        sigma2: variance of the gradient of one example; examples are independent.
        batch: number of examples B, at least 1.
        reduction: ``"mean"`` or ``"sum"``.
    """
    raise NotImplementedError


def step_deviation(eta: float, sigma2: float, batch: int, reduction: str) -> float:
    """Return the standard deviation of the step, which is -eta times the batch gradient.

    Args:
        eta: learning rate, greater than 0.
        sigma2: variance of the gradient of one example.
        batch: number of examples B, at least 1.
        reduction: ``"mean"`` or ``"sum"``.
    """
    raise NotImplementedError


def expected_step(eta: float, mu: float, batch: int, reduction: str) -> float:
    """Return the expected value of the step, with its sign: the step is -eta times the batch gradient.

    Args:
        eta: learning rate, greater than 0.
        mu: expected value of the gradient of one example, of either sign.
        batch: number of examples B, at least 1.
        reduction: ``"mean"`` or ``"sum"``.
    """
    raise NotImplementedError


def matching_rate(eta: float, batch: int) -> float:
    """Return the rate at which the sum makes the very step that the mean makes at rate eta.

    Args:
        eta: learning rate of the mean, greater than 0.
        batch: number of examples B, at least 1.
    """
    raise NotImplementedError


def batch_change(batch: int, new_batch: int, reduction: str) -> dict[str, float]:
    """Return by what each quantity is multiplied when the batch size changes and nothing else does.

    Args:
        batch: number of examples B before.
        new_batch: number of examples after.
        reduction: ``"mean"`` or ``"sum"``.

    Returns:
        A factor (new value / old value) for each of the keys ``"gradient_variance"``, ``"step_deviation"``,
        ``"expected_step"`` and ``"relative_deviation"``, the last being deviation / size of expected step.
    """
    raise NotImplementedError


def sgd_step(w: torch.Tensor, x: torch.Tensor, y: torch.Tensor, eta: float, reduction: str) -> torch.Tensor:
    """Return the weights after one step of gradient descent on half the squared error, reduced over the batch.

    Args:
        w: weights, shape (d,).
        x: one example a row, shape (B, d).
        y: targets, shape (B,).
        eta: learning rate.
        reduction: ``"mean"`` or ``"sum"``, over the B examples.

    Returns:
        The new weights, shape (d,).
    """
    raise NotImplementedError


def micro_weights(sizes: list[int]) -> list[float]:
    """Return what to multiply the mean loss of each micro-batch by, so that the products add up to the batch's.

    Args:
        sizes: number of examples of each micro-batch, each at least 1.

    Returns:
        One factor a micro-batch, in the same order.
    """
    raise NotImplementedError


def accumulated_gradient(w: torch.Tensor, x: torch.Tensor, y: torch.Tensor, sizes: list[int]) -> torch.Tensor:
    """Return the gradient of the mean loss of all B examples, gathered one micro-batch at a time.

    Args:
        w: weights, shape (d,).
        x: one example a row, shape (B, d).
        y: targets, shape (B,).
        sizes: how many examples each micro-batch takes, in order; they add up to B.

    Returns:
        The gradient with respect to w, shape (d,).
    """
    raise NotImplementedError
