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
    raise NotImplementedError


def transposed_size(n: int, kernel: int, stride: int, padding: int, output_padding: int) -> int:
    """Return the side of what a transposed convolution makes of a square picture with side n.

    Args:
        n: side of what goes in.
        kernel: side of the kernel.
        stride: the stride of the convolution that it reverses.
        padding: the padding of the convolution that it reverses.
        output_padding: rows and columns added at one side of the result, less than stride.
    """
    raise NotImplementedError


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
    raise NotImplementedError


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
    raise NotImplementedError


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
    raise NotImplementedError


def pixel_mean(beta: float, pixels: int) -> tuple[float, float]:
    """Return the beta' and the factor for which the pixel-mean loss at beta is factor times the loss at beta'.

    Args:
        beta: weight of the KL term in the loss whose reconstruction term is a mean over the pixels.
        pixels: number of pixels of one picture.

    Returns:
        beta' and factor.
    """
    raise NotImplementedError


def reparameterise(mu: torch.Tensor, logvar: torch.Tensor, eps: torch.Tensor) -> torch.Tensor:
    """Return the code z = mu + sigma * eps, where logvar is the logarithm of sigma squared.

    Args:
        mu: means, shape (B, k).
        logvar: logarithms of the variances, shape (B, k).
        eps: standard normal noise, shape (B, k).

    Returns:
        The codes, shape (B, k).
    """
    raise NotImplementedError


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
    raise NotImplementedError


class ConvVAE(nn.Module):
    """The network of the statement, for pictures of 28 x 28 pixels and a code of length k."""

    def __init__(self, k: int) -> None:
        """Make the layers.

        Args:
            k: length of the code.
        """
        raise NotImplementedError

    def encode(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return mu and logvar, each of shape (B, k), of pictures x of shape (B, 1, 28, 28)."""
        raise NotImplementedError

    def decode(self, z: torch.Tensor) -> torch.Tensor:
        """Return xhat, unsquashed, of shape (B, 1, 28, 28), for codes z of shape (B, k)."""
        raise NotImplementedError

    def forward(self, x: torch.Tensor, eps: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Return (xhat, mu, logvar) for pictures x of shape (B, 1, 28, 28) and noise eps of shape (B, k)."""
        raise NotImplementedError
