"""Right answers of another make, and known mistakes with the question that leads out of them."""

import math
from fractions import Fraction
from itertools import product

import numpy as np

from grader import right, wrong

# Right answers: certificates


@right(replaces="verifies")
def in_whole_numbers(points, labels, kind, numbers):
    common = math.lcm(*(Fraction(number).denominator for number in numbers))
    whole = [int(number * common) for number in numbers]
    if kind == "weights":
        fits = []
        for point, label in zip(points, labels, strict=True):
            z = whole[-1]
            for w, a in zip(whole, point, strict=False):
                z += w * a
            fits.append(z > 0 if label else z <= 0)
        return all(fits)
    positive = [m for m, label in zip(whole, labels, strict=True) if label]
    negative = [m for m, label in zip(whole, labels, strict=True) if not label]
    if min(whole) < 0 or sum(positive) == 0 or sum(positive) != sum(negative):
        return False
    left = [sum(m * p[k] for m, p, y in zip(whole, points, labels, strict=True) if y) for k in range(len(points[0]))]
    both = [sum(m * p[k] for m, p in zip(whole, points, strict=True)) for k in range(len(points[0]))]
    return all(2 * one == two for one, two in zip(left, both, strict=True))


@right(replaces="certificate")
def by_the_perceptron_rule(points, labels):
    w1 = w2 = b = 0
    for _ in range(60):
        mistakes = 0
        for (x1, x2), label in zip(points, labels, strict=True):
            miss = label - int(w1 * x1 + w2 * x2 + b > 0)
            w1, w2, b = w1 + miss * x1, w2 + miss * x2, b + miss
            mistakes += abs(miss)
        if not mistakes:
            return ("weights", (w1, w2, b))
    # No line was found, but that proves nothing; that the two diagonals share their midpoint does.
    return ("multipliers", (Fraction(1, 2),) * 4)


@right(replaces="certificate")
def on_a_grid_of_halves(points, labels):
    grid = np.array(list(product(np.arange(-1.5, 2.0, 0.5), repeat=3)))
    answers = grid @ np.column_stack([points, np.ones(4)]).T > 0
    fitting = grid[(answers == np.array(labels, dtype=bool)).all(axis=1)]
    return ["weights", fitting[-1]] if len(fitting) else ["multipliers", np.full(4, 0.25)]


# Right answers: networks


@right(replaces="network")
def absolute_difference():
    return np.array([[1.0, -1.0], [-1.0, 1.0]]), np.zeros(2), np.ones(2), 0.0


@right(replaces="network")
def tent_upside_down():
    return [[-1, -1], [1, 1]], [1, -1], [-1, -1], 1


@right(replaces="network")
def units_swapped_and_scaled():
    return {"w": [[0.3, 0.3], [7.0, 7.0]], "c": (-0.3, 0.0), "v": (-2 / 0.3, 1 / 7), "b": np.array([0.0])}


@right(replaces="forward")
def forward_by_loops(x, c, v):
    hidden, outputs = [], []
    for row in x.tolist():
        s = math.fsum(row)
        h1, h2 = max(0.0, s + c[0]), max(0.0, s + c[1])
        hidden.append((h1, h2))
        outputs.append(v[0] * h1 + v[1] * h2)
    return np.array(hidden), np.array(outputs)


@right(replaces="forward")
def forward_in_single_precision(x, c, v):
    x, c, v = (np.asarray(part, dtype=np.float32) for part in (x, c, v))
    z = x @ np.ones((x.shape[1], 2), dtype=np.float32) + c
    h = np.where(z > 0, z, np.float32(0))
    return h, np.einsum("nj,j->n", h, v)


@right(replaces="loss")
def loss_by_a_product(y, t):
    error = np.subtract(y, t)
    return np.dot(error, error) / len(error)


@right(replaces="gradients")
def gradients_in_fractions(x, t, c, v):
    n, (c1, c2), (v1, v2) = len(t), map(Fraction, c.tolist()), map(Fraction, v.tolist())
    found = dict.fromkeys(("c1", "c2", "v2"), Fraction(0))
    for row, target in zip(x.tolist(), t.tolist(), strict=True):
        s = sum(map(Fraction, row))
        h1, h2 = max(s + c1, Fraction(0)), max(s + c2, Fraction(0))
        delta = 2 * (v1 * h1 + v2 * h2 - Fraction(target)) / n
        found["v2"] += delta * h2
        found["c2"] += delta * v2 if h2 else 0
        found["c1"] += delta * v1 if h1 else 0
    return {name: float(number) for name, number in found.items()}


@right(replaces="gradients")
def gradients_in_matrices(x, t, c, v):
    z = x.sum(axis=1, keepdims=True) + c
    delta = 2 * (np.clip(z, 0, None) @ v - t) / t.size
    by_bias = v * (delta @ np.heaviside(z, 1))
    return {"v2": delta @ np.clip(z, 0, None)[:, 1], "c2": by_bias[1], "c1": by_bias[0]}


@right(replaces="kinks")
def kinks_by_loops(x, c):
    return [[abs(math.fsum([*row, bias])) < 1e-9 for bias in c.tolist()] for row in x.tolist()]


@right(replaces="descend")
def descend_in_closed_form(x, t, c, v, *, eta, steps):
    h, _ = forward(x, c, v)
    h1, h2 = np.asarray(h).T
    lowest = float(h2 @ (t - v[0] * h1) / (h2 @ h2))
    factor = 1 - 2 * eta * float(h2 @ h2) / len(t)
    return [lowest + (float(v[1]) - lowest) * factor**k for k in range(1, steps + 1)]


# Known mistakes: certificates


@wrong(
    replaces="certificate",
    caught_by="and_and_xor_have_certificates",
    hint="What does the unit of the statement answer where its argument is exactly zero?",
)
def weights_with_a_positive_on_the_line(points, labels):
    for w1, w2, b in product(range(-2, 3), repeat=3):
        if all((w1 * p + w2 * q + b >= 0) == bool(label) for (p, q), label in zip(points, labels, strict=True)):
            return "weights", [w1, w2, b]
    return "multipliers", [1, 1, 1, 1]


@wrong(
    replaces="certificate",
    caught_by="and_and_xor_have_certificates",
    hint="A search that found nothing has looked at finitely many lines. What rules all the others out at once?",
)
def an_empty_search_as_proof(points, labels):
    for w1, w2, b in product(range(-3, 4), repeat=3):
        if verifies(points, labels, "weights", [w1, w2, b]):
            return "weights", [w1, w2, b]
    return "multipliers", [0, 0, 0, 0]


@wrong(
    replaces="certificate",
    caught_by="all_sixteen_functions_have_certificates",
    hint="Is XOR the only function of two inputs that no line separates?",
)
def only_xor_is_impossible(points, labels):
    if all(label == (p != q) for (p, q), label in zip(points, labels, strict=True)):
        return "multipliers", [1, 1, 1, 1]
    for w1, w2, b in product(range(-1, 3), repeat=3):
        if verifies(points, labels, "weights", [w1, w2, b]):
            return "weights", [w1, w2, b]
    return "weights", [0, 0, 0]


@wrong(
    replaces="certificate",
    caught_by="all_sixteen_functions_have_certificates",
    hint="Which corner does each label belong to? The rows of the points say so, and their order may change.",
)
def corners_in_their_usual_order(points, labels):
    corners = sorted(points)
    for w1, w2, b in product((0, 1, -1, 2, -2), repeat=3):
        if verifies(corners, labels, "weights", [w1, w2, b]):
            return "weights", [w1, w2, b]
    return "multipliers", [1, 1, 1, 1]


def _rows(points):
    return [[*point, 1] for point in points]


def _balanced(multipliers, labels, rows):
    signed = [m if label else -m for m, label in zip(multipliers, labels, strict=True)]
    return all(sum(m * a for m, a in zip(signed, column, strict=True)) == 0 for column in zip(*rows, strict=True))


def _unit(numbers, points):
    return [sum(w * a for w, a in zip(numbers, row, strict=True)) for row in _rows(points)]


def _some_positive(multipliers, labels):
    return any(m > 0 and label for m, label in zip(multipliers, labels, strict=True))


def _contradiction(multipliers, labels, points):
    fair = min(multipliers) >= 0 and _some_positive(multipliers, labels)
    return fair and _balanced(multipliers, labels, _rows(points))


@wrong(
    replaces="verifies",
    caught_by="given_certificates_are_judged",
    hint="On which side of the boundary does the statement put a point whose argument is exactly zero?",
)
def zero_counts_as_one(points, labels, kind, numbers):
    if kind == "weights":
        return all((z >= 0) == bool(label) for z, label in zip(_unit(numbers, points), labels, strict=True))
    return _contradiction(numbers, labels, points)


@wrong(
    replaces="verifies",
    caught_by="weights_are_judged_in_any_dimension",
    hint="Two kinds of point may be asked of a line with two different signs. Which of the two signs is strict?",
)
def strict_on_both_sides(points, labels, kind, numbers):
    if kind == "weights":
        return all((z if label else -z) > 0 for z, label in zip(_unit(numbers, points), labels, strict=True))
    return _contradiction(numbers, labels, points)


@wrong(
    replaces="verifies",
    caught_by="multipliers_are_judged_in_any_dimension",
    hint="What does 0 = 0 contradict?",
)
def nothing_at_all_is_a_contradiction(points, labels, kind, numbers):
    if kind == "weights":
        return verifies_weights(points, labels, numbers)
    return min(numbers) >= 0 and _balanced(numbers, labels, _rows(points))


@wrong(
    replaces="verifies",
    caught_by="multipliers_are_judged_in_any_dimension",
    hint="What happens to an inequality when you multiply it by a number below zero?",
)
def any_sign_will_do(points, labels, kind, numbers):
    if kind == "weights":
        return verifies_weights(points, labels, numbers)
    return _some_positive(numbers, labels) and _balanced(numbers, labels, _rows(points))


@wrong(
    replaces="verifies",
    caught_by="multipliers_are_judged_in_any_dimension",
    hint="When you add the inequalities up, which unknown is still there?",
)
def the_bias_need_not_cancel(points, labels, kind, numbers):
    if kind == "weights":
        return verifies_weights(points, labels, numbers)
    return min(numbers) >= 0 and _some_positive(numbers, labels) and _balanced(numbers, labels, points)


@wrong(
    replaces="verifies",
    caught_by="verification_is_exact",
    hint="How large may a number be next to another before adding it to a float changes nothing?",
)
def in_floats(points, labels, kind, numbers):
    numbers = [float(number) for number in numbers]
    if kind == "weights":
        return verifies_weights(points, labels, numbers)
    return _contradiction(numbers, labels, points)


def verifies_weights(points, labels, numbers):
    return all((z > 0) == bool(label) for z, label in zip(_unit(numbers, points), labels, strict=True))


# Known mistakes: the network


@wrong(
    replaces="network",
    caught_by="two_units_compute_xor",
    hint="Where do your two units start to rise? If both bend at the same s, how often can the output bend?",
)
def both_units_bend_at_zero():
    return [[1.0, 1.0], [1.0, 1.0]], [0.0, 0.0], [1.0, -2.0], 0.0


@wrong(
    replaces="network",
    caught_by="two_units_compute_xor",
    hint="Which function is it if (1, 1) gets the same answer as (0, 1)? The second unit must do more than level off.",
)
def levels_off():
    return [[1.0, 1.0], [1.0, 1.0]], [0.0, -1.0], [1.0, -1.0], 0.0


@wrong(
    replaces="forward",
    caught_by="the_given_network_computes_xor",
    hint="Can a ReLU unit return a number below zero? See what comes first, the bias or the ReLU.",
)
def bias_after_the_relu(x, c, v):
    h = np.maximum(x.sum(axis=1)[:, None], 0) + c
    return h, h @ v


@wrong(
    replaces="forward",
    caught_by="forward_at_any_weights",
    hint="Which units of the statement carry a ReLU, and is the output one of them?",
)
def relu_on_the_output(x, c, v):
    h = np.maximum(x.sum(axis=1)[:, None] + c, 0)
    return h, np.maximum(h @ v, 0)


@wrong(
    replaces="loss",
    caught_by="loss_and_gradients_after_the_disturbance",
    hint="Would your loss change if every example were listed twice?",
)
def summed_loss(y, t):
    return float(np.sum((y - t) ** 2))


@wrong(
    replaces="loss",
    caught_by="loss_and_gradients_after_the_disturbance",
    hint="Take a single example with error 1. Which loss does the statement give it, and which do you?",
)
def halved_loss(y, t):
    return float(np.mean((y - t) ** 2) / 2)


@wrong(
    replaces="loss",
    caught_by="loss_of_any_number_of_examples",
    hint="Your divisor suits the four examples of XOR. Does every call bring four?",
)
def loss_over_four(y, t):
    return float(np.sum((y - t) ** 2) / 4)


# Known mistakes: the backward pass


def _parts(x, t, c, v, factor):
    """Return (dL/dv2, the errors' shares, which units are on) for L = factor / 2 times the sum of squares."""
    h, y = forward(x, c, v)
    delta = factor * (y - t)
    return delta @ h[:, 1], delta, h > 0


def _gradients(x, t, c, v, factor):
    by_v2, delta, on = _parts(x, t, c, v, factor)
    return {"v2": by_v2, "c2": v[1] * (delta @ on[:, 1]), "c1": v[0] * (delta @ on[:, 0])}


@wrong(
    replaces="gradients",
    caught_by="loss_and_gradients_after_the_disturbance",
    hint="List every example twice: the loss stays. Do your gradients?",
)
def gradients_of_the_sum(x, t, c, v):
    return _gradients(x, t, c, v, 2)


@wrong(
    replaces="gradients",
    caught_by="loss_and_gradients_after_the_disturbance",
    hint="Is this the derivative of exactly the loss in the statement? Differentiate one square on its own.",
)
def gradients_of_half_the_mean(x, t, c, v):
    return _gradients(x, t, c, v, 1 / len(t))


@wrong(
    replaces="gradients",
    caught_by="loss_and_gradients_after_the_disturbance",
    hint="Two constants of the loss went astray here. Write it out for one example and for two, then differentiate.",
)
def gradients_of_half_the_sum(x, t, c, v):
    return _gradients(x, t, c, v, 1)


@wrong(
    replaces="gradients",
    caught_by="gradients_at_any_weights",
    hint="The factor in front of your errors suits the four examples of XOR. Does every call bring four?",
)
def gradients_over_four(x, t, c, v):
    return _gradients(x, t, c, v, 2 / 4)


@wrong(
    replaces="gradients",
    caught_by="loss_and_gradients_after_the_disturbance",
    hint="A bias reaches the output through its unit and then through one more number. Which?",
)
def outgoing_weights_left_out(x, t, c, v):
    by_v2, delta, on = _parts(x, t, c, v, 2 / len(t))
    return {"v2": by_v2, "c2": delta @ on[:, 1], "c1": delta @ on[:, 0]}


@wrong(
    replaces="gradients",
    caught_by="a_network_in_general_position",
    hint="On the four XOR examples v1 = 1 hides a factor. What does h1 pass through on its way to the output?",
)
def first_outgoing_weight_left_out(x, t, c, v):
    by_v2, delta, on = _parts(x, t, c, v, 2 / len(t))
    return {"v2": by_v2, "c2": v[1] * (delta @ on[:, 1]), "c1": delta @ on[:, 0]}


@wrong(
    replaces="gradients",
    caught_by="loss_and_gradients_after_the_disturbance",
    hint="Which value does v2 have at the moment of the backward pass?",
)
def weight_before_the_disturbance(x, t, c, v):
    by_v2, delta, on = _parts(x, t, c, v, 2 / len(t))
    return {"v2": by_v2, "c2": -2 * (delta @ on[:, 1]), "c1": v[0] * (delta @ on[:, 0])}


@wrong(
    replaces="gradients",
    caught_by="loss_and_gradients_after_the_disturbance",
    hint="All gradients of one step belong to one set of weights. Did v2 move before you were done?",
)
def weight_after_the_step(x, t, c, v):
    by_v2, delta, on = _parts(x, t, c, v, 2 / len(t))
    return {"v2": by_v2, "c2": (v[1] - by_v2) * (delta @ on[:, 1]), "c1": v[0] * (delta @ on[:, 0])}


@wrong(
    replaces="gradients",
    caught_by="a_network_in_general_position",
    hint="Two of your derivatives happen to agree on the XOR examples. Say in words what each of them multiplies.",
)
def two_gradients_swapped(x, t, c, v):
    found = _gradients(x, t, c, v, 2 / len(t))
    return {"v2": found["c1"], "c2": found["c2"], "c1": found["v2"]}


@wrong(
    replaces="gradients",
    caught_by="gradients_at_any_weights",
    hint="If you nudge the bias of a unit that is off, does the output move?",
)
def every_unit_counts_as_on(x, t, c, v):
    by_v2, delta, _ = _parts(x, t, c, v, 2 / len(t))
    return {"v2": by_v2, "c2": v[1] * delta.sum(), "c1": v[0] * delta.sum()}


@wrong(
    replaces="gradients",
    caught_by="a_unit_that_is_off_passes_nothing_back",
    hint="The two units bend at different places. Whose state decides what comes back through h2?",
)
def one_gate_for_both_units(x, t, c, v):
    by_v2, delta, on = _parts(x, t, c, v, 2 / len(t))
    return {"v2": by_v2, "c2": v[1] * (delta @ on[:, 0]), "c1": v[0] * (delta @ on[:, 0])}


# Known mistakes: differences, kinks, steps


def _loss_at(x, t, c, v, *, name, by):
    moved = {"c": c.copy(), "v": v.copy()}
    moved[name[0]][int(name[1]) - 1] += by
    return loss(forward(x, moved["c"], moved["v"])[1], t)


@wrong(
    replaces="central_difference",
    caught_by="central_differences_and_kinks",
    hint="Where is your difference centred? Try it on p^2 at p = 1 with a large eps.",
)
def one_sided_difference(x, t, c, v, *, name, eps):
    return (_loss_at(x, t, c, v, name=name, by=eps) - _loss_at(x, t, c, v, name=name, by=0)) / eps


@wrong(
    replaces="central_difference",
    caught_by="central_differences_agree_off_the_kinks",
    hint="How far apart are the two places at which you take the loss?",
)
def divided_by_eps_alone(x, t, c, v, *, name, eps):
    return (_loss_at(x, t, c, v, name=name, by=eps) - _loss_at(x, t, c, v, name=name, by=-eps)) / eps


@wrong(
    replaces="central_difference",
    caught_by="central_differences_and_kinks",
    hint="Whatever eps is, you return the same. Can a number confirm the formula that it was computed with?",
)
def the_derivative_itself(x, t, c, v, *, name, eps):
    return gradients(x, t, c, v)[name] + 0 * eps


@wrong(
    replaces="kinks",
    caught_by="central_differences_and_kinks",
    hint="A unit bends where its own argument is zero. Is s that argument for both units?",
)
def kinks_where_s_is_zero(x, c):
    return np.stack([x.sum(axis=1) == 0] * len(c), axis=1)


@wrong(
    replaces="kinks",
    caught_by="kinks_are_where_an_argument_is_zero",
    hint="A unit that is off lies on a straight piece too. Where alone is there a bend?",
)
def kinks_wherever_a_unit_is_off(x, c):
    return forward(x, c, np.ones(2))[0] == 0


@wrong(
    replaces="descend",
    caught_by="only_v2_moves",
    hint="Which parameter does the task let you move? The first step looks right, the second one tells.",
)
def every_parameter_moves(x, t, c, v, *, eta, steps):
    path = []
    for _ in range(steps):
        h, y = forward(x, c, v)
        delta = 2 * (y - t) / len(t)
        by_c = v * (delta @ (h > 0))
        c, v = c - eta * by_c, v - eta * (delta @ h)
        path.append(v[1])
    return np.array(path)


@wrong(
    replaces="descend",
    caught_by="only_v2_moves",
    hint="The output has two weights. How many of them does the task let you move?",
)
def both_outgoing_weights_move(x, t, c, v, *, eta, steps):
    path = []
    for _ in range(steps):
        h, y = forward(x, c, v)
        v = v - eta * (2 * (y - t) / len(t) @ h)
        path.append(v[1])
    return np.array(path)


@wrong(
    replaces="descend",
    caught_by="each_step_halves_the_distance",
    hint="At which v2 is the gradient of the second step taken?",
)
def the_first_gradient_again_and_again(x, t, c, v, *, eta, steps):
    return v[1] - eta * gradients(x, t, c, v)["v2"] * np.arange(1, steps + 1)


@wrong(
    replaces="descend",
    caught_by="each_step_scales_the_distance",
    hint="Does the loss fall along your path? The gradient points to where it rises.",
)
def uphill(x, t, c, v, *, eta, steps):
    path = [v[1]]
    for _ in range(steps):
        path.append(path[-1] + eta * gradients(x, t, c, np.array([v[0], path[-1]]))["v2"])
    return np.array(path[1:])
