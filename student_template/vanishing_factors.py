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
    raise NotImplementedError


def derivative(chain: str, p: float, steps: int) -> float:
    """Return the derivative of the chain's value after some steps with respect to its start, at the resting point.

    Args:
        chain: one of the four.
        p: the chain's number.
        steps: L, from 0 up.
    """
    raise NotImplementedError


def signed_log10(factors: np.ndarray) -> tuple[int, float]:
    """Return sign and log10 of the size of a product that may be too small or too large for a float.

    Args:
        factors: shape (n,), n at least 1; any signs, zeros allowed.

    Returns:
        (sign, log10 of the size), with sign -1, 0 or 1; (0, -inf) for a product that is exactly zero.
    """
    raise NotImplementedError


def limit(chain: str, p: float) -> str:
    """Return what the derivative at the resting point does as the number of steps grows without end.

    Args:
        chain: one of the four.
        p: the chain's number.

    Returns:
        ``"0"``, ``"1"``, ``"diverges"`` or ``"none"``.
    """
    raise NotImplementedError


def parameter_for(chain: str, target: float) -> float | None:
    """Return the number p at which the factor of a step is the target; None if the chain has no such p.

    Args:
        chain: one of the four.
        target: the wanted factor.

    Returns:
        p, for ``"sigmoid"`` the one that is not negative; or None.
    """
    raise NotImplementedError


def steps_until(chain: str, p: float, size: float) -> int | None:
    """Return the smallest number of steps after which the size of the derivative is at most ``size``.

    Args:
        chain: one of the four.
        p: the chain's number.
        size: greater than 0 and less than 1.

    Returns:
        A whole number from 1 up; None if the derivative never gets that small.
    """
    raise NotImplementedError


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
    raise NotImplementedError


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
    raise NotImplementedError
