"""Measurements beside a module: what its parameters are set to, what its outputs depend on."""

import torch


def settle(net, low, high, seed):
    """Set everything that the module learns to numbers between low and high; return how many were set."""
    learned = [parameter for parameter in net.parameters() if parameter.requires_grad]
    sizes = [parameter.numel() for parameter in learned]
    drawn = torch.rand(sum(sizes), generator=torch.Generator("cpu").manual_seed(seed), device="cpu")
    numbers = low + (high - low) * drawn
    with torch.no_grad():
        for parameter, some in zip(learned, numbers.split(sizes), strict=True):
            parameter.copy_(some.view(parameter.shape))
    return sum(sizes)


def reach(net, x, rows):
    """Return what the module answers and, for each row asked for, its derivative's size for each of the T inputs.

    The derivative is that of the sum of the row, by autograd. Its size is the sum of |derivative| over the d
    numbers of an input.
    """
    leaf = x.clone().requires_grad_()
    y = net(leaf.clone())  # a copy, which may be written into
    return {"outputs": y, "slopes": torch.stack([_slopes(y[row].sum(), leaf) for row in rows])}


def _slopes(total, leaf):
    slopes = None
    if total.requires_grad:
        (slopes,) = torch.autograd.grad(total, leaf, retain_graph=True, allow_unused=True)
    return torch.zeros_like(leaf[:, 0]) if slopes is None else slopes.abs().sum(dim=1)
