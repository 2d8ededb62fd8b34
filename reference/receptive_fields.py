"""How far back a network sees: counts for three architectures, and the three of them as modules."""

import torch


def layer_parameters(architecture: str, width: int, kernel: int) -> int:
    """Return how many numbers one layer learns, its bias included.

    Args:
        architecture: ``"recurrence"``, ``"convolution"`` or ``"messages"``.
        width: d, numbers a position, the same before and after the layer.
        kernel: k, taps of the convolution; the other two ignore it.
    """
    # BEGIN SOLUTION
    matrices = kernel if architecture == "convolution" else 2
    return matrices * width**2 + width
    # END SOLUTION


def receptive_field(layers: int, kernel: int, base: int) -> int:
    """Return the length of the stretch that an output of the dilated stack looks at, its own position included.

    Args:
        layers: L, 0 or more.
        kernel: k, at least 2.
        base: dilations are base**0, base**1, ..., base**(L - 1).
    """
    # BEGIN SOLUTION
    return 1 + (kernel - 1) * sum(base**layer for layer in range(layers))
    # END SOLUTION


def reached(architecture: str, length: int, layers: int, kernel: int, base: int) -> list[bool]:
    """Return for each of the T inputs, the first one first, whether the last output depends on it.

    Args:
        architecture: ``"recurrence"``, ``"convolution"`` or ``"messages"``.
        length: T, number of positions.
        layers: L, 0 or more; without layers an output is its own input.
        kernel: k, taps of the convolution; the other two ignore it.
        base: of the convolution's dilations; may be greater than ``kernel``.
    """
    # BEGIN SOLUTION
    distances = {0}  # how far back from the last position
    for layer in range(layers):
        hops = {
            "recurrence": range(length),
            "convolution": [tap * base**layer for tap in range(kernel)],
            "messages": [0, 1],
        }[architecture]
        distances = {distance + hop for distance in distances for hop in hops if distance + hop < length}
    return [length - position in distances for position in range(1, length + 1)]
    # END SOLUTION


def layers_needed(architecture: str, length: int, kernel: int, base: int) -> int:
    """Return the smallest number of layers with which the last of T outputs depends on the first input.

    Args:
        architecture: ``"recurrence"``, ``"convolution"`` or ``"messages"``.
        length: T, at least 2.
        kernel: k, taps of the convolution, at least 2; the other two ignore it.
        base: of the convolution's dilations, from 1 to ``kernel``.
    """
    # BEGIN SOLUTION
    if architecture == "recurrence":
        return 1
    if architecture == "messages":
        return length - 1
    layers = 1
    while receptive_field(layers, kernel, base) < length:
        layers += 1
    return layers
    # END SOLUTION


def total_parameters(architecture: str, length: int, width: int, kernel: int, base: int) -> int:
    """Return how many numbers the layers that are needed learn together.

    Args:
        architecture: ``"recurrence"``, ``"convolution"`` or ``"messages"``.
        length: T, at least 2.
        width: d.
        kernel: k, as in `layers_needed`.
        base: as in `layers_needed`.
    """
    # BEGIN SOLUTION
    return layers_needed(architecture, length, kernel, base) * layer_parameters(architecture, width, kernel)
    # END SOLUTION


def stages(architecture: str, length: int, kernel: int, base: int) -> int:
    """Return how many computations must run one after another, the rest running at once beside them.

    Args:
        architecture: ``"recurrence"``, ``"convolution"`` or ``"messages"``.
        length: T, at least 2.
        kernel: k, as in `layers_needed`.
        base: as in `layers_needed`.
    """
    # BEGIN SOLUTION
    layers = layers_needed(architecture, length, kernel, base)
    return layers * length if architecture == "recurrence" else layers
    # END SOLUTION


class Recurrence(torch.nn.Module):
    """One recurrent layer: h_t = tanh(U x_t + W h_(t-1) + b), starting from h_0 = 0."""

    def __init__(self, width: int) -> None:
        super().__init__()
        # BEGIN SOLUTION
        self.from_input = torch.nn.Linear(width, width)  # U and b
        self.from_state = torch.nn.Linear(width, width, bias=False)  # W
        # END SOLUTION

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return the states h_1, ..., h_T as rows, shape (T, d), for inputs x of shape (T, d)."""
        # BEGIN SOLUTION
        state = torch.zeros_like(x[0])
        states = []
        for inward in self.from_input(x):
            state = torch.tanh(inward + self.from_state(state))
            states.append(state)
        return torch.stack(states)
        # END SOLUTION


class DilatedStack(torch.nn.Module):
    """Causal convolutions with dilations base**0, base**1, ..., each followed by tanh."""

    def __init__(self, width: int, layers: int, kernel: int, base: int) -> None:
        super().__init__()
        # BEGIN SOLUTION
        self.convolutions = torch.nn.ModuleList(
            torch.nn.Conv1d(width, width, kernel, dilation=base**layer) for layer in range(layers)
        )
        self.pasts = [(kernel - 1) * base**layer for layer in range(layers)]
        # END SOLUTION

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return the last layer's outputs as rows, shape (T, d), for inputs x of shape (T, d)."""
        # BEGIN SOLUTION
        h = x.T
        for convolution, past in zip(self.convolutions, self.pasts, strict=True):
            h = torch.tanh(convolution(torch.nn.functional.pad(h, (past, 0))))
        return h.T
        # END SOLUTION


class MessagePassing(torch.nn.Module):
    """Layers H' = tanh(H W0 + A H W1 + b) on the path graph 1-2-...-T, whose adjacency matrix is A."""

    def __init__(self, width: int, layers: int) -> None:
        super().__init__()
        # BEGIN SOLUTION
        self.own = torch.nn.ModuleList(torch.nn.Linear(width, width) for _ in range(layers))  # W0 and b
        self.others = torch.nn.ModuleList(torch.nn.Linear(width, width, bias=False) for _ in range(layers))  # W1
        # END SOLUTION

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return the last layer's outputs as rows, shape (T, d), for inputs x of shape (T, d)."""
        # BEGIN SOLUTION
        edges = torch.diag(x.new_ones(len(x) - 1), 1)
        adjacency = edges + edges.T
        for own, others in zip(self.own, self.others, strict=True):
            x = torch.tanh(own(x) + adjacency @ others(x))
        return x
        # END SOLUTION
