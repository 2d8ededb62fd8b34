"""Measurements beside a module: what it learns, what its parameters are set to, what its outputs depend on."""

import numpy as np
import torch


def count(net):
    """Return how many numbers the module learns."""
    return sum(parameter.numel() for parameter in net.parameters() if parameter.requires_grad)


def settle(net, low, high, seed):
    """Set everything that the module learns to numbers between low and high; return how many were set."""
    rng = np.random.default_rng(seed)
    with torch.no_grad():
        for parameter in net.parameters():
            if parameter.requires_grad:
                parameter.copy_(torch.from_numpy(rng.uniform(low, high, tuple(parameter.shape))))
    return count(net)


def outputs(net, x):
    """Return what the module answers."""
    return net(x.clone())


def reach(net, x, rows):
    """Return, for each output row asked for, the size of its derivative with respect to each of the T inputs.

    The derivative is that of the sum of the row, by autograd. Its size is the sum of |derivative| over the d
    numbers of an input.
    """
    leaf = x.clone().requires_grad_()
    y = net(leaf.clone())  # a copy, which may be written into
    return torch.stack([_slopes(y[row].sum(), leaf) for row in rows])


def _slopes(total, leaf):
    slopes = None
    if total.requires_grad:
        (slopes,) = torch.autograd.grad(total, leaf, retain_graph=True, allow_unused=True)
    return torch.zeros_like(leaf[:, 0]) if slopes is None else slopes.abs().sum(dim=1)
