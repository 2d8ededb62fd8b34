"""How far back a network sees: counts for three architectures, and the three of them as modules."""

import torch


def layer_parameters(architecture: str, width: int, kernel: int) -> int:
    """Return how many numbers one layer learns, its bias included.

    Args:
        architecture: ``"recurrence"``, ``"convolution"`` or ``"messages"``.
        width: d, numbers a position, the same before and after the layer.
        kernel: k, taps of the convolution; the other two ignore it.
    """
    raise NotImplementedError


def receptive_field(layers: int, kernel: int, base: int) -> int:
    """Return the length of the stretch that an output of the dilated stack looks at, its own position included.

    Args:
        layers: L, 0 or more.
        kernel: k, at least 2.
        base: dilations are base**0, base**1, ..., base**(L - 1).
    """
    raise NotImplementedError


def reached(architecture: str, length: int, layers: int, kernel: int, base: int) -> list[bool]:
    """Return for each of the T inputs, the first one first, whether the last output depends on it.

    Args:
        architecture: ``"recurrence"``, ``"convolution"`` or ``"messages"``.
        length: T, number of positions.
        layers: L, 0 or more; without layers an output is its own input.
        kernel: k, taps of the convolution; the other two ignore it.
        base: of the convolution's dilations; may be greater than ``kernel``.
    """
    raise NotImplementedError


def layers_needed(architecture: str, length: int, kernel: int, base: int) -> int:
    """Return the smallest number of layers with which the last of T outputs depends on the first input.

    Args:
        architecture: ``"recurrence"``, ``"convolution"`` or ``"messages"``.
        length: T, at least 2.
        kernel: k, taps of the convolution, at least 2; the other two ignore it.
        base: of the convolution's dilations, from 1 to ``kernel``.
    """
    raise NotImplementedError


def total_parameters(architecture: str, length: int, width: int, kernel: int, base: int) -> int:
    """Return how many numbers the layers that are needed learn together.

    Args:
        architecture: ``"recurrence"``, ``"convolution"`` or ``"messages"``.
        length: T, at least 2.
        width: d.
        kernel: k, as in `layers_needed`.
        base: as in `layers_needed`.
    """
    raise NotImplementedError


def stages(architecture: str, length: int, kernel: int, base: int) -> int:
    """Return how many computations must run one after another, the rest running at once beside them.

    Args:
        architecture: ``"recurrence"``, ``"convolution"`` or ``"messages"``.
        length: T, at least 2.
        kernel: k, as in `layers_needed`.
        base: as in `layers_needed`.
    """
    raise NotImplementedError


class Recurrence(torch.nn.Module):
    """One recurrent layer: h_t = tanh(U x_t + W h_(t-1) + b), starting from h_0 = 0."""

    def __init__(self, width: int) -> None:
        super().__init__()
        raise NotImplementedError

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return the states h_1, ..., h_T as rows, shape (T, d), for inputs x of shape (T, d)."""
        raise NotImplementedError


class DilatedStack(torch.nn.Module):
    """Causal convolutions with dilations base**0, base**1, ..., each followed by tanh."""

    def __init__(self, width: int, layers: int, kernel: int, base: int) -> None:
        super().__init__()
        raise NotImplementedError

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return the last layer's outputs as rows, shape (T, d), for inputs x of shape (T, d)."""
        raise NotImplementedError


class MessagePassing(torch.nn.Module):
    """Layers H' = tanh(H W0 + A H W1 + b) on the path graph 1-2-...-T, whose adjacency matrix is A."""

    def __init__(self, width: int, layers: int) -> None:
        super().__init__()
        raise NotImplementedError

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return the last layer's outputs as rows, shape (T, d), for inputs x of shape (T, d)."""
        raise NotImplementedError
