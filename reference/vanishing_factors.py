"""Products of per-step factors: what is left of a derivative after L steps of four scalar chains."""

import math

import numpy as np
import torch


def step_factor(chain: str, p: float) -> float:
    """Return the derivative of one step at the chain's resting point.

    Args:
        chain: ``"sigmoid"``, ``"recurrence"``, ``"carry"`` or ``"residual"``.
        p: the chain's number: the point z, the weight w, the forget value f or the strength a.
    """
    # BEGIN SOLUTION
    if chain == "sigmoid":
        s = 1 / (1 + math.exp(-p))
        return s * (1 - s)
    return 1 + p if chain == "residual" else p  # tanh'(0) = 1
    # END SOLUTION


def derivative(chain: str, p: float, steps: int) -> float:
    """Return the derivative of the chain's value after some steps with respect to its start, at the resting point.

    Args:
        chain: one of the four.
        p: the chain's number.
        steps: L, from 0 up.
    """
    # BEGIN SOLUTION
    return step_factor(chain, p) ** steps
    # END SOLUTION


def signed_log10(factors: np.ndarray) -> tuple[int, float]:
    """Return sign and log10 of the size of a product that may be too small or too large for a float.

    Args:
        factors: shape (n,), n at least 1; any signs, zeros allowed.

    Returns:
        (sign, log10 of the size), with sign -1, 0 or 1; (0, -inf) for a product that is exactly zero.
    """
    # BEGIN SOLUTION
    if not factors.all():
        return 0, -math.inf
    return int(np.prod(np.sign(factors))), float(np.sum(np.log10(np.abs(factors))))
    # END SOLUTION


def limit(chain: str, p: float) -> str:
    """Return what the derivative at the resting point does as the number of steps grows without end.

    Args:
        chain: one of the four.
        p: the chain's number.

    Returns:
        ``"0"``, ``"1"``, ``"diverges"`` or ``"none"``.
    """
    # BEGIN SOLUTION
    base = step_factor(chain, p)
    if abs(base) == 1:
        return "1" if base == 1 else "none"
    return "0" if abs(base) < 1 else "diverges"
    # END SOLUTION


def parameter_for(chain: str, target: float) -> float | None:
    """Return the number p at which the factor of a step is the target; None if the chain has no such p.

    Args:
        chain: one of the four.
        target: the wanted factor.

    Returns:
        p, for ``"sigmoid"`` the one that is not negative; or None.
    """
    # BEGIN SOLUTION
    if chain == "sigmoid":
        if not 0 < target <= 1 / 4:
            return None
        s = (1 + math.sqrt(1 - 4 * target)) / 2  # the larger root of s (1 - s) = target
        return math.log(s / (1 - s))
    if chain == "carry":
        return target if 0 <= target <= 1 else None
    return target - 1 if chain == "residual" else target
    # END SOLUTION


def steps_until(chain: str, p: float, size: float) -> int | None:
    """Return the smallest number of steps after which the size of the derivative is at most ``size``.

    Args:
        chain: one of the four.
        p: the chain's number.
        size: greater than 0 and less than 1.

    Returns:
        A whole number from 1 up; None if the derivative never gets that small.
    """
    # BEGIN SOLUTION
    base = abs(step_factor(chain, p))
    if base >= 1:
        return None
    steps, left = 0, 1.0
    while left > size:
        steps, left = steps + 1, left * base
    return steps
    # END SOLUTION


# BEGIN SOLUTION
def _step(x: torch.Tensor, chain: str, p: float) -> torch.Tensor:
    if chain == "plain":
        return torch.sigmoid(x)
    if chain == "sigmoid":
        return torch.sigmoid(x) + (p - 1 / (1 + math.exp(-p)))
    if chain == "recurrence":
        return torch.tanh(p * x)
    return p * x if chain == "carry" else x + p * torch.tanh(x)


# END SOLUTION


def through_chain(x: torch.Tensor, chain: str, p: float, steps: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Run the real chain from each start and differentiate each end with respect to its own start.

    Args:
        x: starts, shape (n,); each runs by itself.
        chain: one of the four, or ``"plain"``.
        p: the chain's number; without meaning for ``"plain"``.
        steps: L, from 0 up.

    Returns:
        (ends, derivatives), each of shape (n,).
    """
    # BEGIN SOLUTION
    start = x.clone().requires_grad_()
    end = start
    for _ in range(steps):
        end = _step(end, chain, p)
    (slopes,) = torch.autograd.grad(end.sum(), start)
    return end.detach(), slopes
    # END SOLUTION


def long_chain(x: torch.Tensor, chain: str, p: float, steps: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Return sign and log10 of the size of the derivatives of ``through_chain``, for chains of any length.

    Args:
        x: starts, shape (n,); each runs by itself.
        chain: one of the four, or ``"plain"``.
        p: the chain's number; without meaning for ``"plain"``.
        steps: L, from 1 up; the derivative itself may be too small or too large for a float.

    Returns:
        (signs, log10 of the sizes), each of shape (n,); (0, -inf) where the derivative is exactly zero.
    """
    # BEGIN SOLUTION
    visited = [x]
    while len(visited) < steps:
        visited.append(_step(visited[-1], chain, p))
    at = torch.stack(visited).requires_grad_()
    (factors,) = torch.autograd.grad(_step(at, chain, p).sum(), at)  # every step by itself: shape (L, n)
    return factors.sign().prod(0), factors.abs().log10().sum(0)
    # END SOLUTION
