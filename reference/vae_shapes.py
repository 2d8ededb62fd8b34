"""Every shape and every parameter of a convolutional variational autoencoder, the network itself, and its loss."""

from math import prod

import torch
from torch import nn


def conv_size(n: int, kernel: int, stride: int, padding: int) -> int:
    """Return the side of what a convolution makes of a square picture with side n.

    Args:
        n: side of what goes in; n + 2 padding is at least kernel.
        kernel: side of the kernel.
        stride: by how much the kernel moves on.
        padding: rows and columns of zeros put around the picture, on each side.
    """
    # BEGIN SOLUTION
    return (n + 2 * padding - kernel) // stride + 1
    # END SOLUTION


def transposed_size(n: int, kernel: int, stride: int, padding: int, output_padding: int) -> int:
    """Return the side of what a transposed convolution makes of a square picture with side n.

    Args:
        n: side of what goes in.
        kernel: side of the kernel.
        stride: the stride of the convolution that it reverses.
        padding: the padding of the convolution that it reverses.
        output_padding: rows and columns added at one side of the result, less than stride.
    """
    # BEGIN SOLUTION
    return (n - 1) * stride - 2 * padding + kernel + output_padding
    # END SOLUTION


def shapes(batch: int, size: int, channels: list[int], k: int, output_padding: int) -> dict[str, tuple[int, ...]]:
    """Return the shape of everything on the way from a batch of pictures to its reconstruction.

    Args:
        batch: number of pictures B.
        size: side of a picture, at least 2; a picture has one channel.
        channels: what the two convolutions return, (16, 32) in the network of the statement.
        k: length of the code.
        output_padding: of both transposed convolutions, 0 or 1.

    Returns:
        A shape, batch first, for each of the keys ``"x"``, ``"conv1"``, ``"conv2"``, ``"flat"``, ``"head"``, ``"mu"``,
        ``"logvar"``, ``"sigma"``, ``"eps"``, ``"z"``, ``"linear"``, ``"reshaped"``, ``"up1"`` and ``"xhat"``.
    """
    # BEGIN SOLUTION
    half = conv_size(size, 3, 2, 1)
    quarter = conv_size(half, 3, 2, 1)
    up1 = transposed_size(quarter, 3, 2, 1, output_padding)
    up2 = transposed_size(up1, 3, 2, 1, output_padding)
    first, second = channels
    flat = second * quarter**2
    return {
        "x": (batch, 1, size, size),
        "conv1": (batch, first, half, half),
        "conv2": (batch, second, quarter, quarter),
        "flat": (batch, flat),
        "head": (batch, 2 * k),
        **dict.fromkeys(("mu", "logvar", "sigma", "eps", "z"), (batch, k)),
        "linear": (batch, flat),
        "reshaped": (batch, second, quarter, quarter),
        "up1": (batch, first, up1, up1),
        "xhat": (batch, 1, up2, up2),
    }
    # END SOLUTION


def parameter_counts(size: int, channels: list[int], k: int) -> dict[str, int]:
    """Return how many parameters each layer has, its biases included.

    Args:
        size: side of a picture, at least 2; a picture has one channel.
        channels: what the two convolutions return, (16, 32) in the network of the statement.
        k: length of the code.

    Returns:
        A number for each of the layers ``"conv1"``, ``"conv2"``, ``"head"``, ``"linear"``, ``"up1"`` and ``"up2"``, for
        ``"both_linear"`` (head and linear together) and for ``"total"``.
    """
    # BEGIN SOLUTION
    first, second = channels
    _, flat = shapes(1, size, channels, k, 1)["flat"]
    counts = {
        "conv1": 9 * 1 * first + first,
        "conv2": 9 * first * second + second,
        "head": flat * 2 * k + 2 * k,
        "linear": k * flat + flat,
        "up1": 9 * second * first + first,
        "up2": 9 * first * 1 + 1,
    }
    return {**counts, "both_linear": counts["head"] + counts["linear"], "total": sum(counts.values())}
    # END SOLUTION


def first_failure(layers: list[dict], channels: int, size: int) -> tuple[int, int] | None:
    """Return which layer of a specification is the first that cannot take what arrives, and what it should take.

    Args:
        layers: one dictionary a layer, as the statement describes them.
        channels: channels of the picture that goes in.
        size: its side.

    Returns:
        The position of the layer, counted from 0, and the number that its ``"takes"`` should be; None if every layer
        can take what arrives.
    """
    # BEGIN SOLUTION
    arriving = (channels, size, size)
    for position, layer in enumerate(layers):
        kind = layer["layer"]
        right = arriving[0] if kind in {"conv", "transposed"} else prod(arriving)
        if layer.get("takes", right) != right:
            return position, right
        if kind in {"conv", "transposed"}:
            side = conv_size if kind == "conv" else transposed_size
            numbers = [layer[key] for key in ("kernel", "stride", "padding", "output_padding") if key in layer]
            arriving = (layer["gives"], *(side(n, *numbers) for n in arriving[1:]))
        elif kind == "reshape":
            arriving = tuple(layer["gives"])
        else:
            arriving = ({"flatten": right, "sample": right // 2}.get(kind) or layer["gives"],)
    return None
    # END SOLUTION


def pixel_mean(beta: float, pixels: int) -> tuple[float, float]:
    """Return the beta' and the factor for which the pixel-mean loss at beta is factor times the loss at beta'.

    Args:
        beta: weight of the KL term in the loss whose reconstruction term is a mean over the pixels.
        pixels: number of pixels of one picture.

    Returns:
        beta' and factor.
    """
    # BEGIN SOLUTION
    return beta * pixels, 1 / pixels
    # END SOLUTION


def reparameterise(mu: torch.Tensor, logvar: torch.Tensor, eps: torch.Tensor) -> torch.Tensor:
    """Return the code z = mu + sigma * eps, where logvar is the logarithm of sigma squared.

    Args:
        mu: means, shape (B, k).
        logvar: logarithms of the variances, shape (B, k).
        eps: standard normal noise, shape (B, k).

    Returns:
        The codes, shape (B, k).
    """
    # BEGIN SOLUTION
    return mu + torch.exp(logvar / 2) * eps
    # END SOLUTION


def loss(x: torch.Tensor, xhat: torch.Tensor, mu: torch.Tensor, logvar: torch.Tensor, beta: float) -> torch.Tensor:
    """Return half the squared error summed over pixels plus beta times the summed KL, mean over the batch.

    Args:
        x: pictures, shape (B, 1, height, width).
        xhat: their reconstructions, of the same shape.
        mu: means, shape (B, k).
        logvar: logarithms of the variances, shape (B, k).
        beta: weight of the KL term.

    Returns:
        One number, as a tensor through which one can go back.
    """
    # BEGIN SOLUTION
    reconstruction = 0.5 * ((x - xhat) ** 2).sum(dim=(1, 2, 3))
    divergence = 0.5 * (mu**2 + logvar.exp() - 1 - logvar).sum(dim=1)
    return (reconstruction + beta * divergence).mean()
    # END SOLUTION


class ConvVAE(nn.Module):
    """The network of the statement, for pictures of 28 x 28 pixels and a code of length k."""

    def __init__(self, k: int) -> None:
        """Make the layers.

        Args:
            k: length of the code.
        """
        # BEGIN SOLUTION
        super().__init__()
        self.encoder = nn.Sequential(
            nn.Conv2d(1, 16, 3, stride=2, padding=1),
            nn.ReLU(),
            nn.Conv2d(16, 32, 3, stride=2, padding=1),
            nn.ReLU(),
            nn.Flatten(),
            nn.Linear(32 * 7 * 7, 2 * k),
        )
        self.decoder = nn.Sequential(
            nn.Linear(k, 32 * 7 * 7),
            nn.ReLU(),
            nn.Unflatten(1, (32, 7, 7)),
            nn.ConvTranspose2d(32, 16, 3, stride=2, padding=1, output_padding=1),
            nn.ReLU(),
            nn.ConvTranspose2d(16, 1, 3, stride=2, padding=1, output_padding=1),
        )
        # END SOLUTION

    def encode(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return mu and logvar, each of shape (B, k), of pictures x of shape (B, 1, 28, 28)."""
        # BEGIN SOLUTION
        mu, logvar = self.encoder(x).chunk(2, dim=1)
        return mu, logvar
        # END SOLUTION

    def decode(self, z: torch.Tensor) -> torch.Tensor:
        """Return xhat, unsquashed, of shape (B, 1, 28, 28), for codes z of shape (B, k)."""
        # BEGIN SOLUTION
        return self.decoder(z)
        # END SOLUTION

    def forward(self, x: torch.Tensor, eps: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Return (xhat, mu, logvar) for pictures x of shape (B, 1, 28, 28) and noise eps of shape (B, k)."""
        # BEGIN SOLUTION
        mu, logvar = self.encode(x)
        return self.decode(reparameterise(mu, logvar, eps)), mu, logvar
        # END SOLUTION
