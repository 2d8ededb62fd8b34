"""One graph convolution by hand: the averaging, the loss, its gradient, steps, and what averaging does to evidence."""

import math

import torch


def normalised_adjacency(adjacency: torch.Tensor) -> torch.Tensor:
    """Return the adjacency with self-loops, normalised symmetrically.

    Args:
        adjacency: symmetric, 0 or 1, zeros on the diagonal, shape (n, n). Nodes without edges may occur.

    Returns:
        a_hat, shape (n, n).
    """
    raise NotImplementedError


def averaged_features(a_hat: torch.Tensor, x: torch.Tensor, rounds: int) -> torch.Tensor:
    """Return the features after so many rounds of averaging; after none they are x.

    Args:
        a_hat: normalised adjacency, shape (n, n).
        x: one node a row, shape (n, d).
        rounds: how often a_hat is applied, 0 or more.

    Returns:
        Averaged features, shape (n, d).
    """
    raise NotImplementedError


def logits(a_hat: torch.Tensor, x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    """Return the logits of one graph convolution.

    Args:
        a_hat: normalised adjacency, shape (n, n).
        x: one node a row, shape (n, d).
        w: weights, shape (d, c) for c classes.

    Returns:
        z, one node a row, shape (n, c).
    """
    raise NotImplementedError


def probabilities(z: torch.Tensor) -> torch.Tensor:
    """Return each node's probabilities of the classes.

    Args:
        z: logits, one node a row, shape (n, c); as large as 1000 in size.

    Returns:
        p, shape (n, c).
    """
    raise NotImplementedError


def own_class(p: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    """Return each node's entry for the class that the node is labelled with.

    Args:
        p: one node a row, shape (n, c).
        labels: the classes of the nodes, integers from 0 to c - 1, shape (n,).

    Returns:
        One number a node, shape (n,).
    """
    raise NotImplementedError


def loss(z: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    """Return the mean cross-entropy over the nodes, with natural logarithms.

    Args:
        z: logits, one node a row, shape (n, c); as far apart as 1000.
        labels: the classes of the nodes, integers from 0 to c - 1, shape (n,).

    Returns:
        A number.
    """
    raise NotImplementedError


def gradient(a_hat: torch.Tensor, x: torch.Tensor, labels: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    """Return the derivative of the loss with respect to the weights.

    Args:
        a_hat: normalised adjacency, shape (n, n).
        x: one node a row, shape (n, d).
        labels: the classes of the nodes, integers from 0 to c - 1, shape (n,).
        w: weights, shape (d, c).

    Returns:
        The derivative with respect to each entry of w, in its place, shape (d, c).
    """
    raise NotImplementedError


def descend(
    adjacency: torch.Tensor, x: torch.Tensor, labels: torch.Tensor, w: torch.Tensor, *, eta: float, steps: int
) -> tuple[torch.Tensor, list[torch.Tensor]]:
    """Take some steps of gradient descent, from the graph itself to the loss.

    Args:
        adjacency: symmetric, 0 or 1, zeros on the diagonal, shape (n, n).
        x: one node a row, shape (n, d).
        labels: the classes of the nodes, integers from 0 to c - 1, shape (n,).
        w: weights at the start, shape (d, c).
        eta: step size, greater than 0.
        steps: number of steps, at least 1.

    Returns:
        The tuple (w, losses): the weights after the last step, shape (d, c), and steps + 1 losses, the first before
        any step.
    """
    raise NotImplementedError


def own_and_neighbours(a_hat: torch.Tensor, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the two parts of the features after one round of averaging.

    Args:
        a_hat: normalised adjacency, shape (n, n).
        x: one node a row, shape (n, d).

    Returns:
        The tuple (own, others), both of shape (n, d): what a node gets from itself, what it gets from its neighbours.
    """
    raise NotImplementedError


def sum_layer(
    adjacency: torch.Tensor, x: torch.Tensor, w_self: torch.Tensor, w_neighbours: torch.Tensor
) -> torch.Tensor:
    """Return the logits of a layer that adds up the neighbours and gives a node weights of its own.

    Args:
        adjacency: symmetric, 0 or 1, zeros on the diagonal, shape (n, n).
        x: one node a row, shape (n, d).
        w_self: weights of the node's own features, shape (d, c).
        w_neighbours: weights of the sum over its neighbours, shape (d, c).

    Returns:
        z, shape (n, c).
    """
    raise NotImplementedError


def self_weight(adjacency: torch.Tensor, x: torch.Tensor, node: int, label: int, p: float) -> torch.Tensor:
    """Return the weight of its own features at which the sum layer gives a node the probability p of a class.

    Args:
        adjacency: symmetric, 0 or 1, zeros on the diagonal, shape (n, n).
        x: two features a node, those of the node in question unequal, shape (n, 2).
        node: its row, counted from 0.
        label: the class, 0 or 1.
        p: the probability, greater than 0 and less than 1.

    Returns:
        The number c for which w_self = c I and w_neighbours = I do it.
    """
    raise NotImplementedError


def smoothing_limit(adjacency: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    """Return what the features tend to as the rounds of averaging go on without end.

    Args:
        adjacency: symmetric, 0 or 1, zeros on the diagonal, shape (n, n); any number of components.
        x: one node a row, shape (n, d).

    Returns:
        The limit, shape (n, d).
    """
    raise NotImplementedError
