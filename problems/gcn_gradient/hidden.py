"""Other graphs, features that are not the labels, other widths and class counts, and what must not change."""

import numpy as np
from hypothesis import strategies as st

from grader import check, close, normal, uniform

EPS = 1e-4

seeds = st.integers(0, 2**32 - 1)


def _component(rng, size):
    """A connected graph in which not every node has the same number of neighbours, if it has three and more."""
    a = np.triu(rng.random((size, size)) < 0.3, 1).astype(float)
    for node in range(1, size):
        a[rng.integers(node), node] = 1
    a[:-1, -1] = 0
    a[0, -1] = 1  # the last one hangs on the first
    return a


def _graph(seed):
    """Two components and a node without edges, in any order: 6 to 10 nodes."""
    rng = np.random.default_rng(seed)
    parts = [_component(rng, rng.integers(3, 6)), _component(rng, rng.integers(2, 5)), np.zeros((1, 1))]
    return _reordered(_side_by_side(*parts), rng.permutation(sum(map(len, parts))))


def _side_by_side(*parts):
    a = np.zeros([sum(map(len, parts))] * 2)
    at = 0
    for part in parts:
        a[at : at + len(part), at : at + len(part)] = part + part.T
        at += len(part)
    return a


def _reordered(a, order):
    return a[np.ix_(order, order)]


def _instance(seed, width, classes):
    rng = np.random.default_rng(seed)
    adjacency = _graph(seed)
    n = len(adjacency)
    labels = rng.permutation(np.concatenate([np.arange(classes), rng.integers(0, classes, n - classes)]))
    return {
        "adjacency": adjacency,
        "x": rng.normal(0, 1, (n, width)),
        "labels": labels,
        "w": rng.normal(0, 1, (width, classes)),
    }


graphs = st.builds(_graph, seeds)
instances = (
    st.tuples(st.integers(2, 5), st.integers(2, 4))
    .filter(lambda sizes: sizes[0] != sizes[1])
    .flatmap(lambda sizes: st.builds(_instance, seeds, *map(st.just, sizes)))
)
square_instances = st.integers(2, 4).flatmap(lambda c: st.builds(_instance, seeds, st.just(c), st.just(c)))
rates = st.floats(0.3, 2.0)


def _four(reference, instance):
    """The arguments of ``gradient``."""
    return (reference.normalised_adjacency(instance["adjacency"]), instance["x"], instance["labels"], instance["w"])


@check(points=0.5, examples=4, given={"adjacency": graphs})
def any_graph_is_normalised(student, reference, adjacency):
    """The normalised adjacency of a graph is right however many pieces it is in, and stays symmetric."""
    close(student.normalised_adjacency(adjacency), reference.normalised_adjacency(adjacency))


@check(points=0.5, examples=4, given={"adjacency": graphs, "x": normal((st.integers(1, 4), 3))})
def nodes_without_edges_keep_what_they_have(student, reference, adjacency, x):
    """A node without edges is its own average, once and without end, alone in the world or beside other nodes."""
    alone = np.zeros((len(x), len(x)))
    close(student.normalised_adjacency(alone), np.eye(len(x)))
    close(student.smoothing_limit(alone, x), x)
    got = student.normalised_adjacency(_side_by_side(np.triu(adjacency), alone))
    close(got, reference.normalised_adjacency(_side_by_side(np.triu(adjacency), alone)))


@check(points=0.5, examples=4, given={"instance": instances, "seed": seeds})
def renumbering_the_nodes_changes_nothing_else(student, reference, instance, seed):
    """With the nodes in another order the same numbers come in that order, and the same weights and losses."""
    adjacency, x, labels, w = instance.values()
    order = np.random.default_rng(seed).permutation(len(x))
    a_hat = reference.normalised_adjacency(adjacency)
    close(student.normalised_adjacency(_reordered(adjacency, order)), _reordered(a_hat, order))
    close(student.logits(_reordered(a_hat, order), x[order], w), reference.logits(a_hat, x, w)[order], growth=4)
    got = student.descend(_reordered(adjacency, order), x[order], labels[order], w, eta=0.5, steps=1)
    close(got, reference.descend(adjacency, x, labels, w, eta=0.5, steps=1), scale=1, growth=4)


@check(points=0.5, examples=4, given={"adjacency": graphs, "width": st.integers(1, 4), "seed": seeds})
def averaging_round_after_round(student, reference, *, adjacency, width, seed):
    """Any number of rounds is right, none at all included: each round averages what the last one left."""
    a_hat = reference.normalised_adjacency(adjacency)
    x = np.random.default_rng(seed).normal(0, 1, (len(adjacency), width))
    close(student.averaged_features(a_hat, x, 0), x)
    once, wanted = reference.averaged_features(a_hat, x, 1), reference.averaged_features(a_hat, x, 6)
    close(student.averaged_features(a_hat, once, 5), wanted, scale=1)
    close(student.averaged_features(a_hat, x, 6), wanted, scale=1)


@check(points=1, examples=4, given={"instance": square_instances})
def as_many_features_as_classes(student, reference, instance):
    """With as many features as classes nothing trades places: features and labels, rows and columns of W."""
    a_hat, x, labels, w = _four(reference, instance)
    close(student.logits(a_hat, x, w), reference.logits(a_hat, x, w), growth=4)
    close(student.gradient(a_hat, x, labels, w), reference.gradient(a_hat, x, labels, w), scale=0.5, growth=2)
    wanted = reference.descend(*instance.values(), eta=0.7, steps=1)
    close(student.descend(*instance.values(), eta=0.7, steps=1), wanted, scale=1, growth=4)


def _nodes(seed, n, classes):
    """Logits and labels; the first node is least likely of its own class, so that no loss is tiny."""
    rng = np.random.default_rng(seed)
    z, labels = rng.normal(0, 2, (n, classes)), rng.integers(0, classes, n)
    labels[0] = z[0].argmin()
    return {"z": z, "labels": labels}


nodes = st.builds(_nodes, seeds, st.integers(1, 12), st.integers(2, 5))
crowds = st.builds(_nodes, seeds, st.integers(5, 12), st.integers(2, 5))  # hardly ever as many of each class


@check(points=0.5, examples=4, given={"nodes": nodes})
def probabilities_of_any_nodes(student, reference, nodes):
    """Probabilities are right for any number of nodes and classes, and a node's own is not always its largest."""
    z, labels = nodes.values()
    p = reference.probabilities(z)
    close(student.probabilities(z), p)
    close(student.own_class(p, labels), [p[node, label] for node, label in enumerate(labels)])


@check(points=0.5, examples=4, given={"nodes": crowds})
def loss_of_any_nodes(student, reference, nodes):
    """The loss is a mean over the nodes, however many there are of each class; a single one is enough."""
    z, labels = nodes.values()
    close(student.loss(z, labels), reference.loss(z, labels), scale=1)
    close(student.loss(z[:1], labels[:1]), reference.loss(z[:1], labels[:1]), scale=1)


@check(points=0.5, examples=4, given={"nodes": nodes, "seed": seeds})
def shifting_a_nodes_logits_changes_nothing(student, reference, nodes, seed):
    """The same number added to all logits of a node, be it a thousand, changes no probability and no loss."""
    z, labels = np.round(256 * nodes["z"]) / 256, nodes["labels"]  # sums with whole numbers are exact in float32
    shifts = np.random.default_rng(seed).integers(770, 981, (len(z), 1)) * (-1) ** np.arange(len(z))[:, None]
    close(student.probabilities(z + shifts), reference.probabilities(z), growth=64)
    close(student.loss(z + shifts, labels), reference.loss(z, labels), scale=500)


@check(points=0.5, examples=4, given={"nodes": nodes})
def logits_far_apart(student, reference, nodes):
    """With logits as far apart as a thousand the probabilities and the loss are right, and finite."""
    labels, z = nodes["labels"], 400 * nodes["z"] / np.abs(nodes["z"]).max()
    z[0] = 490
    z[0, labels[0]] = -490
    z -= z.max(axis=1, keepdims=True)  # no power overflows, in either dtype: what large powers do is asked above
    close(student.probabilities(z), reference.probabilities(z), growth=64)
    close(student.loss(z, labels), reference.loss(z, labels), scale=500)


@check(points=1, examples=4, given={"instance": instances, "shift": uniform((5, 1), -2, 2)})
def gradient_at_any_weights(student, reference, instance, shift):
    """The gradient is right for any graph and any widths; what is added to a whole row of W does not change it."""
    a_hat, x, labels, w = _four(reference, instance)
    wanted = reference.gradient(a_hat, x, labels, w)
    got = student.gradient(a_hat, x, labels, w)
    close(got, wanted, scale=0.5, growth=2)
    close(np.sum(got, axis=1), np.zeros(len(w)), scale=0.5, growth=2)
    close(student.gradient(a_hat, x, labels, w + shift[: len(w)]), wanted, scale=0.5, growth=4)


def _loss(instance, w):
    """The loss written out node by node, from the graph itself."""
    total = 0.0
    adjacency, x, labels, _ = instance.values()
    degrees = adjacency.sum(axis=1) + 1
    for node, label in enumerate(labels):
        around = [node, *np.flatnonzero(adjacency[node])]
        z = sum(x[j] / np.sqrt(degrees[node] * degrees[j]) for j in around) @ w
        total -= np.log(np.exp(z[label]) / np.exp(z).sum())
    return total / len(labels)


@check(points=0.5, examples=4, given={"instance": instances})
def central_differences_agree(student, reference, instance):
    """Each entry of the gradient is the central difference of the loss in that entry of W."""
    w = instance["w"]
    slopes = np.zeros(w.shape)
    for place in np.ndindex(w.shape):
        move = np.zeros(w.shape)
        move[place] = EPS
        slopes[place] = (_loss(instance, w + move) - _loss(instance, w - move)) / (2 * EPS)
    close(student.gradient(*_four(reference, instance)), slopes, scale=0.5, growth=2)


@check(points=1, examples=4, given={"instance": instances, "eta": rates, "steps": st.integers(2, 3)})
def descent_on_any_graph(student, reference, instance, eta, steps):
    """Every step starts from the weights that the last one left, and every loss belongs to its weights."""
    wanted = reference.descend(*instance.values(), eta=eta, steps=steps)
    close(student.descend(*instance.values(), eta=eta, steps=steps), wanted, scale=1, growth=8)


@check(points=0.5, examples=4, given={"adjacency": graphs, "width": st.integers(1, 4), "seed": seeds})
def two_parts_of_an_average(student, reference, *, adjacency, width, seed):
    """On any graph both parts are right, and together they are the average."""
    a_hat = reference.normalised_adjacency(adjacency)
    x = np.random.default_rng(seed).normal(0, 1, (len(adjacency), width))
    own, others = student.own_and_neighbours(a_hat, x)
    close((own, others), reference.own_and_neighbours(a_hat, x), scale=1)
    close(np.asarray(own) + np.asarray(others), reference.averaged_features(a_hat, x, 1), scale=1)


@check(points=0.5, examples=4, given={"instance": instances, "seed": seeds})
def sum_layer_on_any_graph(student, reference, instance, seed):
    """The sum layer is right for any graph and any two sets of weights."""
    adjacency, x, _, w = instance.values()
    given = (adjacency, x, np.random.default_rng(seed).normal(0, 1, w.shape), w)
    close(student.sum_layer(*given), reference.sum_layer(*given), scale=1, growth=4)


@check(points=0.5, examples=4, given={"adjacency": graphs, "p": st.floats(0.1, 0.9), "seed": seeds})
def own_weight_gives_the_probability(student, reference, *, adjacency, p, seed):
    """With that own weight the sum layer gives the node the very probability, at any node, of either class."""
    rng = np.random.default_rng(seed)
    x = rng.normal(0, 1, (len(adjacency), 2))
    x[:, 0] = x[:, 1] + rng.choice([-1, 1], len(x)) * rng.uniform(0.5, 2, len(x))
    for node, label in ((int(rng.integers(len(x))), 0), (int(rng.integers(len(x))), 1)):
        c = student.self_weight(adjacency, x, node, label, p)
        close(c, reference.self_weight(adjacency, x, node, label, p), scale=5)


@check(points=1, examples=4, given={"adjacency": graphs, "width": st.integers(1, 4), "seed": seeds})
def every_component_has_its_own_limit(student, reference, *, adjacency, width, seed):
    """The limit is right in every component, and averaging it once more leaves it as it is."""
    x = np.random.default_rng(seed).normal(0, 1, (len(adjacency), width))
    limit = reference.smoothing_limit(adjacency, x)
    close(student.smoothing_limit(adjacency, x), limit, scale=1, growth=8)
    close(student.averaged_features(reference.normalised_adjacency(adjacency), limit, 1), limit, scale=1)
