import math

import numpy as np
import torch

from grader import right, wrong


@right(replaces="normalised_adjacency")
def entry_by_entry(adjacency):
    rows = adjacency.tolist()
    d = [1 + sum(row) for row in rows]
    nodes = range(len(rows))
    return adjacency.new_tensor([[(rows[i][j] + (i == j)) / math.sqrt(d[i] * d[j]) for j in nodes] for i in nodes])


@right(replaces="logits")
def weights_first_and_sparse(a_hat, x, w):
    return a_hat.to_sparse() @ (x @ w)


@right(replaces="probabilities")
def by_the_logistic_function(z):
    if z.shape[1] != 2:
        return torch.exp(z - torch.logsumexp(z, dim=1, keepdim=True))
    of_the_second = torch.sigmoid(z[:, 1] - z[:, 0])
    return torch.stack([1 - of_the_second, of_the_second], dim=1)


@right(replaces="loss")
def by_the_function_that_takes_logits(z, labels):
    return torch.nn.CrossEntropyLoss()(z, labels)


@right(replaces="gradient")
def node_by_node(a_hat, x, labels, w):
    total = torch.zeros_like(w)
    for node, label in enumerate(labels):
        average = a_hat[node] @ x
        g = torch.softmax(average @ w, dim=0)
        g[label] -= 1
        total += torch.outer(average, g)
    return total / len(labels)


@right(replaces="gradient")
def in_numpy(a_hat, x, labels, w):
    averages, weights = (a_hat @ x).cpu().numpy(), w.cpu().numpy()
    p = np.exp(averages @ weights)
    p /= p.sum(axis=1, keepdims=True)
    p[np.arange(len(p)), labels.cpu().numpy()] -= 1
    return torch.tensor(np.einsum("ni,nc->ic", averages, p) / len(p)).to(w)


@right(replaces="gradient")
def by_a_functional_transform(a_hat, x, labels, w):
    return torch.func.grad(lambda weights: torch.nn.functional.cross_entropy(a_hat @ x @ weights, labels))(w)


@right(replaces="descend")
def in_place(adjacency, x, labels, w, *, eta, steps):
    x = averaged_features(normalised_adjacency(adjacency), x, 1)
    same, losses = torch.diag(torch.ones_like(x[:, 0])), []
    for _ in range(steps):
        losses.append(loss(x @ w, labels))
        w -= eta * gradient(same, x, labels, w)
    return w, [*losses, loss(x @ w, labels)]


@right(replaces="own_and_neighbours")
def with_the_diagonal_taken_out(a_hat, x):
    a_hat, x = a_hat.cpu().numpy(), x.cpu().numpy()
    own = np.diag(np.diag(a_hat))
    return own @ x, (a_hat - own) @ x


@right(replaces="sum_layer")
def neighbour_by_neighbour(adjacency, x, w_self, w_neighbours):
    messages = x @ w_neighbours
    z = x @ w_self
    for node, other in torch.argwhere(adjacency > 0).tolist():
        z[node] += messages[other]
    return z


@right(replaces="smoothing_limit")
def onto_the_unchanged_directions(adjacency, x):
    a_hat = normalised_adjacency(adjacency.double())
    sizes, directions = torch.linalg.eigh(a_hat)
    unchanged = directions[:, sizes > 1 - 1e-9]
    return unchanged @ (unchanged.T @ x.double())


@wrong(
    replaces="normalised_adjacency",
    caught_by="normalising_at_sight",
    hint="Your rows add up to one. Is your matrix symmetric, as that of the statement is?",
)
def divided_by_row(adjacency):
    a_tilde = _with_loops(adjacency)
    return a_tilde / a_tilde.sum(dim=1, keepdim=True)


@wrong(
    replaces="normalised_adjacency",
    caught_by="any_graph_is_normalised",
    hint="To which matrix do the paw's degrees 3, 3, 4, 2 belong, and to which one do yours?",
)
def degrees_before_the_loops(adjacency):
    d = adjacency.sum(dim=1).clamp(min=1)
    return _with_loops(adjacency) / torch.outer(d, d).sqrt()


@wrong(
    replaces="normalised_adjacency",
    caught_by="nodes_without_edges_keep_what_they_have",
    hint="Your diagonal is empty, so a node's own features never reach it. What is added to A before anything else?",
)
def without_loops(adjacency):
    d = adjacency.sum(dim=1).clamp(min=1)
    return adjacency / torch.outer(d, d).sqrt()


@wrong(
    replaces="normalised_adjacency",
    caught_by="renumbering_the_nodes_changes_nothing_else",
    hint="You read an edge in one direction only, from the smaller number to the larger. Which way do messages go?",
)
def edges_one_way(adjacency):
    a_tilde = torch.triu(_with_loops(adjacency))
    return a_tilde / torch.outer(a_tilde.sum(dim=1), a_tilde.sum(dim=1)).sqrt()


@wrong(
    replaces="averaged_features",
    caught_by="averaging_at_sight",
    hint="You scaled the weights of a round so that they add up to one. What do the rows of the paw's A-hat add up to?",
)
def made_a_true_mean(a_hat, x, rounds):
    return torch.linalg.matrix_power(a_hat / a_hat.sum(dim=1, keepdim=True), rounds) @ x


@wrong(
    replaces="averaged_features",
    caught_by="averaging_round_after_round",
    hint="However many rounds are asked for, you make one. What does the second round average?",
)
def always_one_round(a_hat, x, rounds):  # noqa: ARG001 - the mistake: the number of rounds changes nothing
    return a_hat @ x


@wrong(
    replaces="logits",
    caught_by="logits_at_sight",
    hint="Your logits are the averaged features themselves. With W = I nobody notices: what if W is another matrix?",
)
def without_the_weights(a_hat, x, w):
    return a_hat @ x @ torch.eye(*w.shape, dtype=w.dtype, device=w.device)


@wrong(
    replaces="logits",
    caught_by="as_many_features_as_classes",
    hint="The identity is its own transpose, and other matrices are not: which index of W counts the classes?",
)
def weights_transposed(a_hat, x, w):
    return a_hat @ x @ w.T


@wrong(
    replaces="probabilities",
    caught_by="probabilities_at_sight",
    hint="Your columns add up to one and your rows do not. Along which axis do the classes lie?",
)
def over_the_nodes(z):
    return torch.softmax(z, dim=0)


@wrong(
    replaces="probabilities",
    caught_by="shifting_a_nodes_logits_changes_nothing",
    hint="These powers outgrow every float. What may you add to a row without changing its probabilities?",
)
def bare_powers(z):
    return torch.exp(z) / torch.exp(z).sum(dim=1, keepdim=True)


@wrong(
    replaces="own_class",
    caught_by="probabilities_at_sight",
    hint="You give the largest probability of each node. What if a node is more likely to be of another class?",
)
def the_likeliest_class(p, labels):  # noqa: ARG001 - the mistake: the labels change nothing
    return p.amax(dim=1)


@wrong(
    replaces="own_class",
    caught_by="probabilities_of_any_nodes",
    hint="You count classes from one, and Python from zero: whose column do you read for a label of 0?",
)
def classes_from_one(p, labels):
    return p[torch.arange(len(p), device=p.device), labels - 1]


@wrong(
    replaces="loss",
    caught_by="loss_at_sight",
    hint="The softmax is in your loss twice. Does the function that you call expect logits or probabilities?",
)
def softmax_before_the_softmax(z, labels):
    return torch.nn.functional.cross_entropy(torch.softmax(z, dim=1), labels)


@wrong(
    replaces="loss",
    caught_by="loss_of_any_nodes",
    hint="Every class has the same say in your loss, whatever the number of its nodes. Over what is the mean taken?",
)
def mean_over_the_classes(z, labels):
    log_p = own_class(torch.log_softmax(z, dim=1), labels)
    return -torch.stack([log_p[labels == label].mean() for label in labels.unique()]).mean()


@wrong(
    replaces="loss",
    caught_by="logits_far_apart",
    hint="A very small probability is rounded to 0. Can its logarithm be written without computing it first?",
)
def logarithm_of_zero(z, labels):
    return -own_class(torch.softmax(z, dim=1), labels).log().mean()


@wrong(
    replaces="gradient",
    caught_by="gradient_at_sight",
    hint="This is the gradient of the sum over the nodes, and its step goes further down. But which loss do you have?",
)
def of_the_sum(a_hat, x, labels, w):
    return _from(a_hat @ x, _errors(a_hat @ x @ w, labels) * len(labels))


@wrong(
    replaces="gradient",
    caught_by="gradient_at_any_weights",
    hint="In the forward pass, which matrix multiplied W from the left? Its transpose leads back.",
)
def back_without_the_graph(a_hat, x, labels, w):
    return _from(x, _errors(a_hat @ x @ w, labels))


@wrong(
    replaces="gradient",
    caught_by="as_many_features_as_classes",
    hint="Does each number of your gradient stand where the weight that it belongs to stands in W?",
)
def transposed(a_hat, x, labels, w):
    return _from(a_hat @ x, _errors(a_hat @ x @ w, labels)).T


@wrong(
    replaces="gradient",
    caught_by="as_many_features_as_classes",
    hint="You compare the probabilities with the features. On the paw those are the labels; elsewhere they are not.",
)
def features_for_labels(a_hat, x, labels, w):
    return _from(a_hat @ x, (torch.softmax(a_hat @ x @ w, dim=1) - x) / len(labels))


@wrong(
    replaces="gradient",
    caught_by="as_many_features_as_classes",
    hint="You average the labels over the graph. On the paw they are the features; what are a node's features here?",
)
def labels_for_features(a_hat, x, labels, w):
    averaged = a_hat @ torch.nn.functional.one_hot(labels, x.shape[1]).to(x.dtype)
    return _from(averaged, _errors(averaged @ w, labels))


@wrong(
    replaces="gradient",
    caught_by="central_differences_agree",
    hint="Every number has the other sign. Does the loss rise or fall when a node's own logit grows?",
)
def with_the_other_sign(a_hat, x, labels, w):
    return -_from(a_hat @ x, _errors(a_hat @ x @ w, labels))


@wrong(
    replaces="descend",
    caught_by="descent_at_sight",
    hint="You took the gradient once and walked along it. To which weights does the gradient of a later step belong?",
)
def one_gradient_for_all_steps(adjacency, x, labels, w, *, eta, steps):
    a_hat = normalised_adjacency(adjacency)
    slope = gradient(a_hat, x, labels, w)
    return w - steps * eta * slope, [loss(logits(a_hat, x, w - k * eta * slope), labels) for k in range(steps + 1)]


@wrong(
    replaces="descend",
    caught_by="descent_on_any_graph",
    hint="You start from the identity. Which weights does the function receive?",
)
def from_the_identity(adjacency, x, labels, w, *, eta, steps):
    a_hat, w = normalised_adjacency(adjacency), torch.eye(*w.shape, dtype=w.dtype, device=w.device)
    losses = [loss(logits(a_hat, x, w), labels)]
    for _ in range(steps):
        w = w - eta * gradient(a_hat, x, labels, w)
        losses.append(loss(logits(a_hat, x, w), labels))
    return w, losses


@wrong(
    replaces="own_and_neighbours",
    caught_by="own_and_neighbours_at_sight",
    hint="You count a node's own features in full. Which weight do they have in its average?",
)
def own_in_full(a_hat, x):
    return x, a_hat @ x - x


@wrong(
    replaces="own_and_neighbours",
    caught_by="two_parts_of_an_average",
    hint="Your second part is the whole average. What is left of it without the node itself?",
)
def counted_twice(a_hat, x):
    return torch.diagonal(a_hat)[:, None] * x, a_hat @ x


@wrong(
    replaces="sum_layer",
    caught_by="sum_layer_at_sight",
    hint="Which of the two sets of weights meets the node itself, and which one its neighbours?",
)
def weights_swapped(adjacency, x, w_self, w_neighbours):
    return x @ w_neighbours + adjacency @ x @ w_self


@wrong(
    replaces="sum_layer",
    caught_by="sum_layer_on_any_graph",
    hint="A neighbour of yours counts less where there are many. Is the layer a sum or an average?",
)
def neighbours_averaged(adjacency, x, w_self, w_neighbours):
    return x @ w_self + adjacency @ x @ w_neighbours / adjacency.sum(dim=1, keepdim=True).clamp(min=1)


@wrong(
    replaces="self_weight",
    caught_by="self_weight_at_sight",
    hint="You have the node among its own neighbours, so your c is one too small. Does the sum layer have self-loops?",
)
def among_its_own_neighbours(adjacency, x, node, label, p):
    z = _with_loops(adjacency) @ x
    return (math.log(p / (1 - p)) - z[node, label] + z[node, 1 - label]) / (x[node, label] - x[node, 1 - label])


@wrong(
    replaces="self_weight",
    caught_by="own_weight_gives_the_probability",
    hint="With the logarithm of p, which probability comes out? Work back from p to the difference of two logits.",
)
def logarithm_for_log_odds(adjacency, x, node, label, p):
    z = adjacency @ x
    return (math.log(p) - z[node, label] + z[node, 1 - label]) / (x[node, label] - x[node, 1 - label])


@wrong(
    replaces="smoothing_limit",
    caught_by="smoothing_limit_at_sight",
    hint="All your nodes end up alike. Apply A-hat to that once more: does it stay?",
)
def all_alike(adjacency, x):
    d = _with_loops(adjacency).sum(dim=1)
    return (d @ x / d.sum()).expand(len(x), -1)


@wrong(
    replaces="smoothing_limit",
    caught_by="every_component_has_its_own_limit",
    hint="Your nodes take something from parts of the graph that no path leads to. How far does averaging carry?",
)
def one_limit_for_all(adjacency, x):
    v = _with_loops(adjacency).sum(dim=1).sqrt()
    return torch.outer(v, v @ x) / (v @ v)


def _with_loops(adjacency):
    return adjacency + torch.diag(torch.ones_like(adjacency[0]))


def _errors(z, labels):
    return (torch.softmax(z, dim=1) - torch.nn.functional.one_hot(labels, z.shape[1])) / len(labels)


def _from(features, errors):
    return features.T @ errors
