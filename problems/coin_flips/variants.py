"""Right answers of another make, and known mistakes with the question that leads out of them."""

import math
from fractions import Fraction
from itertools import pairwise, product

import numpy as np
import torch

from grader import right, wrong

# Right answers: the folded line and networks


@right(replaces="slopes")
def slopes_in_fractions(x, y):
    x, y = list(map(Fraction, x.tolist())), list(map(Fraction, y.tolist()))
    return np.array([float((d - b) / (c - a)) for (a, c), (b, d) in zip(pairwise(x), pairwise(y), strict=True)])


@right(replaces="counts")
def counts_without_division(x, y):
    points = list(zip(x.tolist(), y.tolist(), strict=True))
    kinks = 0
    for (a, p), (b, q), (c, r) in zip(points, points[1:], points[2:], strict=False):
        kinks += (q - p) * (c - b) != (r - q) * (b - a)
    return {"kinks": np.int64(kinks), "label_changes": sum(p != q for (_, p), (_, q) in pairwise(points))}


@right(replaces="folded_line")
def interp_with_longer_ends(x, y, new):
    far = 1e3
    s = np.diff(y) / np.diff(x)
    ends = np.concatenate([[x[0] - far], x, [x[-1] + far]]).astype(float)
    return np.interp(new, ends, [y[0] - far * s[0], *y, y[-1] + far * s[-1]])


@right(replaces="folded_line")
def folded_line_by_absolute_values(x, y, new):
    x, y, new = (torch.as_tensor(array.astype(float)) for array in (x, y, new))
    s = torch.diff(y) / torch.diff(x)
    bends = (torch.diff(s) / 2 * (torch.abs(new[:, None] - x[1:-1]) - torch.abs(x[0] - x[1:-1]))).sum(dim=1)
    return (y[0] + (s[0] + s[-1]) / 2 * (new - x[0]) + bends).numpy()


@right(replaces="network")
def mirrored_units_from_the_right(x, y):
    s = np.diff(y) / np.diff(x)
    inner = [(k, after - before) for k, before, after in zip(x[1:-1], s, s[1:], strict=False) if before != after]
    units = [(-3.0, 3.0 * k, change / 3) for k, change in reversed(inner)]
    w, c, v = zip(*units, strict=True) if units else ([], [], [])
    return {"a": y[-1] - s[-1] * x[-1], "b": s[-1], "w": w, "c": c, "v": v}


@right(replaces="network")
def fewer_units_where_lines_cross(x, y):
    s = np.diff(y) / np.diff(x)
    a, piece, units = y - np.append(s, 0) * x, 0, []
    while piece < len(s) - 1:
        two = piece + 2 < len(s) and (s[piece + 1] - s[piece]) * (s[piece + 2] - s[piece + 1]) > 0
        after = piece + 1 + two  # the middle one of three pieces that keep turning one way is cut off
        if s[after] != s[piece]:
            units.append(((a[piece] - a[after]) / (s[after] - s[piece]), s[after] - s[piece]))
        piece = after
    return a[0], s[0], np.ones(len(units)), [-k for k, _ in units], [change for _, change in units]


@right(replaces="network")
def weights_from_a_linear_system(x, y):
    x, y = torch.as_tensor(x.astype(float)), torch.as_tensor(y.astype(float))
    s = torch.diff(y) / torch.diff(x)
    kinks = x[1:-1][torch.diff(s).abs() > 1e-9]
    columns = torch.cat([torch.ones_like(x)[:, None], x[:, None], torch.relu(x[:, None] - kinks)], dim=1)
    a, b, *v = torch.linalg.lstsq(columns, y[:, None], driver="gelsd").solution.ravel()
    return a, b, torch.ones_like(kinks), -kinks, v


@right(replaces="forward")
def forward_by_loops(z, net):
    a, b, w, c, v = net
    units = list(zip(w.tolist(), c.tolist(), v.tolist(), strict=True))
    return [a + b * t + sum(out * max(0.0, weight * t + bias) for weight, bias, out in units) for t in z.tolist()]


# Right answers: the line, fresh flips, the comparison


@right(replaces="least_squares")
def polyfit_turned_round(x, y):
    return np.polyfit(x, y, 1)[::-1]


@right(replaces="least_squares")
def normal_equations_in_fractions(x, y):
    x, y = list(map(Fraction, x.tolist())), list(map(Fraction, y.tolist()))
    n, sx, sy = len(x), sum(x), sum(y)
    sxx, sxy = sum(t * t for t in x), sum(t * u for t, u in zip(x, y, strict=True))
    below = n * sxx - sx**2
    return float((sy * sxx - sx * sxy) / below), float((n * sxy - sx * sy) / below)


@right(replaces="least_squares")
def lstsq_in_torch(x, y):
    x, y = torch.from_numpy(x.copy()), torch.from_numpy(y.copy())
    return torch.linalg.lstsq(torch.stack([torch.ones_like(x), x], dim=1), y[:, None]).solution[:, 0].numpy()


@right(replaces="residuals")
def residuals_by_projection(x, y):
    q, _ = np.linalg.qr(np.column_stack([np.ones(len(x)), x]))
    return y - q @ (q.T @ y)


@right(replaces="mse")
def mse_in_fractions(p, y):
    return sum((Fraction(t) - Fraction(u)) ** 2 for t, u in zip(p.tolist(), y.tolist(), strict=True)) / len(p)


@right(replaces="expected_loss")
def over_all_rows_of_flips(p, q):
    total = 0.0
    for row in product([0, 1], repeat=len(p)):
        chance = math.prod(q if flip else 1 - q for flip in row)
        total += chance * sum((t - flip) ** 2 for t, flip in zip(p.tolist(), row, strict=True)) / len(row)
    return total


@right(replaces="expected_loss")
def simulated_with_four_million_draws(p, q):
    ones = np.random.default_rng().binomial(4_000_000, q, size=len(p)) / 4_000_000
    return np.mean(ones * (p - 1) ** 2 + (1 - ones) * p**2)


@right(replaces="standard_error")
def from_the_two_values_of_each_error(p, q, draws):
    apart = [abs((t - 1) ** 2 - t**2) for t in p.tolist()]
    return math.hypot(*(math.sqrt(q * (1 - q)) * d for d in apart)) / len(apart) / math.sqrt(draws)


@right(replaces="best_constant")
def best_constant_in_fractions(q):
    q = Fraction(q)
    return {"prediction": q, "loss": q - q**2}


@right(replaces="ranking")
def ranking_with_ties_the_other_way(x, y, new, q):
    losses = {name: round(float(both["expected"]), 9) for name, both in report(x, y, new, q).items()}
    return tuple(sorted(sorted(losses), key=losses.get))


# Known mistakes: the folded line


@wrong(
    replaces="slopes",
    caught_by="slopes_at_sight",
    hint="These are rises. The four flips lie one apart; do all points?",
)
def rises_in_place_of_slopes(x, y):  # noqa: ARG001 - the mistake: the inputs do not count
    return np.diff(y)


@wrong(
    replaces="slopes",
    caught_by="slopes_at_any_points",
    hint="You have a slope at each point, a mean of its neighbours'. The slopes asked for belong to the pieces between "
    "the points: how many are there?",
)
def gradients_at_the_points(x, y):
    return np.gradient(y, x, edge_order=1)


@wrong(
    replaces="counts",
    caught_by="changes_of_label_and_kinks_at_sight",
    hint="You count a kink for every change of label. Draw the four flips: at which of the points does the line bend?",
)
def a_kink_at_every_change_of_label(x, y):  # noqa: ARG001 - the mistake: only labels count
    changes = int(np.sum(y[1:] != y[:-1]))
    return {"label_changes": changes, "kinks": changes}


@wrong(
    replaces="counts",
    caught_by="counts_where_points_go_straight_on",
    hint="You count every inner point as a kink. What if a point and its neighbours lie on one line?",
)
def every_inner_point_a_kink(x, y):
    return {"label_changes": int(np.sum(y[1:] != y[:-1])), "kinks": len(x) - 2}


@wrong(
    replaces="counts",
    caught_by="counts_for_any_flips",
    hint="You count the peaks and the valleys. Can a line bend without turning from up to down?",
)
def peaks_and_valleys(x, y):
    s = np.diff(y) / np.diff(x)
    return {"label_changes": int(np.sum(y[1:] != y[:-1])), "kinks": int(np.sum(s[1:] * s[:-1] < 0))}


@wrong(
    replaces="folded_line",
    caught_by="the_end_pieces_go_on",
    hint="Between the points you are right. What does your routine do with inputs beyond the last point, and what does "
    "a network do there?",
)
def flat_beyond_the_ends(x, y, new):
    return np.interp(new, x, y)


@wrong(
    replaces="folded_line",
    caught_by="folded_line_at_sight",
    hint="Every input takes over the label of a point nearby. What lies on the straight line between two points?",
)
def label_of_the_nearest_point(x, y, new):
    return y[np.abs(new[:, None] - x).argmin(axis=1)]


@wrong(
    replaces="folded_line",
    caught_by="folded_line_between_any_points",
    hint="Your curve meets every label too, but it is a smooth one. Of what kind are the pieces of a ReLU network?",
)
def one_polynomial_through_all(x, y, new):
    x, y, new = (array.astype(float) for array in (x, y, new))
    return np.vander(new, len(x)) @ np.linalg.solve(np.vander(x), y)


# Known mistakes: networks


@wrong(
    replaces="forward",
    caught_by="given_networks_at_sight",
    hint="Which parts of the formula stand inside of a relu? Is the whole of f one of them?",
)
def relu_around_the_output(z, net):
    a, b, w, c, v = net
    return np.maximum(a + b * z + np.maximum(np.outer(z, w) + c, 0) @ v, 0)


@wrong(
    replaces="forward",
    caught_by="forward_for_any_network",
    hint="What does a unit give where its argument is below zero?",
)
def units_without_relu(z, net):
    a, b, w, c, v = net
    return a + b * z + (np.outer(z, w) + c) @ v


@wrong(
    replaces="forward",
    caught_by="given_networks_at_sight",
    hint="Your units bend at zero, wherever their biases would have them bend. Where does the bias belong?",
)
def biases_after_the_relu(z, net):
    a, b, w, c, v = net
    return a + b * z + (np.maximum(np.outer(z, w), 0) + c) @ v


def _bends(x, y):
    s = np.diff(y) / np.diff(x)
    at = np.flatnonzero(np.diff(s))
    return s, at, x[1:-1][at], np.diff(s)[at]


@wrong(
    replaces="network",
    caught_by="networks_at_sight",
    hint="Beyond its kink each of your units adds the new slope to the old one. By how much must the slope change?",
)
def slopes_as_outgoing_weights(x, y):
    s, at, k, _ = _bends(x, y)
    return y[0] - s[0] * x[0], s[0], np.ones(len(k)), -k, s[at + 1]


@wrong(
    replaces="network",
    caught_by="networks_at_sight",
    hint="At which input is the argument of relu(x + 2) zero? Your kinks lie on the wrong side of 0.",
)
def kinks_mirrored_at_zero(x, y):
    s, _, k, change = _bends(x, y)
    return y[0] - s[0] * x[0], s[0], np.ones(len(k)), k, change


@wrong(
    replaces="network",
    caught_by="networks_for_any_labels",
    hint="Your network spends a unit on every inner point. Which of them does nothing?",
)
def a_unit_for_every_inner_point(x, y):
    s = np.diff(y) / np.diff(x)
    return y[0] - s[0] * x[0], s[0], np.ones(len(x) - 2), -x[1:-1], np.diff(s)


@wrong(
    replaces="network",
    caught_by="networks_at_sight",
    hint="You make the first piece by a unit as well. Which part of the formula has a slope without costing a unit?",
)
def a_unit_for_the_first_piece(x, y):
    s, _, k, change = _bends(x, y)
    starts, steps = np.append(x[0], k), np.append(s[0], change)
    return y[0], 0.0, np.ones(len(starts)), -starts, steps


@wrong(
    replaces="network",
    caught_by="networks_for_any_flips",
    hint="The first of the four flips lies at input 0. What is a if the first piece starts elsewhere?",
)
def first_label_as_the_constant(x, y):
    s, _, k, change = _bends(x, y)
    return y[0], s[0], np.ones(len(k)), -k, change


@wrong(
    replaces="network",
    caught_by="networks_for_any_flips",
    hint="You put the kinks at the numbers of the points. Which coordinate says where a point lies?",
)
def kinks_at_the_places_in_the_list(x, y):
    s, at, k, change = _bends(x, y)
    return y[0] - s[0] * x[0], s[0], np.ones(len(k)), -(at + 1.0), change


# Known mistakes: the line


@wrong(
    replaces="least_squares",
    caught_by="the_line_for_any_labels",
    hint="On the four flips intercept and slope are equal. Raise all labels by one: which of "
    "your two numbers should move?",
)
def slope_before_intercept(x, y):
    return tuple(np.polyfit(x, y, 1))


@wrong(
    replaces="least_squares",
    caught_by="the_line_at_sight",
    hint="Your line goes through the origin. Who asked it to?",
)
def through_the_origin(x, y):
    return 0.0, x @ y / (x @ x)


@wrong(
    replaces="least_squares",
    caught_by="the_line_at_sight",
    hint="The slope is right. At the mean of the inputs the line takes the mean of the labels: does yours?",
)
def mean_label_as_the_intercept(x, y):
    return y.mean(), np.polyfit(x, y, 1)[0]


@wrong(
    replaces="residuals",
    caught_by="residuals_for_any_labels",
    hint="Which is subtracted from which? At the first of the four flips the line lies above the label.",
)
def prediction_minus_label(x, y):
    a, b = least_squares(x, y)
    return a + b * x - y


@wrong(
    replaces="mse",
    caught_by="losses_of_any_number_of_points",
    hint="Would your loss stay as it is if every point came twice?",
)
def summed_squares(p, y):
    return np.sum((p - y) ** 2)


@wrong(
    replaces="mse",
    caught_by="residuals_and_losses_at_sight",
    hint="You return a root. Is it the loss that the statement defines?",
)
def root_of_the_mean(p, y):
    return np.sqrt(np.mean((p - y) ** 2))


@wrong(
    replaces="mse",
    caught_by="losses_of_any_number_of_points",
    hint="Take a single point with an error of one. Which loss does the statement give it, and which do you?",
)
def half_the_mean(p, y):
    return np.mean((p - y) ** 2) / 2


# Known mistakes: fresh flips


@wrong(
    replaces="expected_loss",
    caught_by="expected_losses_at_sight",
    hint="You measure the distance to the mean label alone. What error is left when the prediction is that very mean?",
)
def variance_of_the_label_left_out(p, q):
    return np.mean((p - q) ** 2)


@wrong(
    replaces="expected_loss",
    caught_by="expected_losses_for_any_coin",
    hint="Is this number an average over all that the flips may bring, or what a few draws brought?",
)
def averaged_over_a_few_draws(p, q):
    flips = np.random.default_rng(5).random((7, len(p))) < q
    return np.mean((p - flips) ** 2)


@wrong(
    replaces="expected_loss",
    caught_by="expected_losses_for_any_coin",
    hint="Right for a fair coin. Where does q enter, and where else?",
)
def every_coin_taken_as_fair(p, q):  # noqa: ARG001 - the mistake: the coin does not count
    return np.mean((p - 0.5) ** 2) + 0.25


@wrong(
    replaces="expected_loss",
    caught_by="expected_losses_for_any_coin",
    hint="Right for a fair coin. Of which of the two labels is q the probability?",
)
def chances_of_the_labels_swapped(p, q):
    return np.mean((p - 1 + q) ** 2) + q * (1 - q)


@wrong(
    replaces="expected_loss",
    caught_by="expected_losses_at_sight",
    hint="You average the predictions first. Do errors above and below the mean label cancel in a squared loss?",
)
def mean_prediction_alone(p, q):
    return (np.mean(p) - q) ** 2 + q * (1 - q)


@wrong(
    replaces="expected_loss",
    caught_by="nothing_gets_below_the_floor",
    hint="Would the loss of two new points at which the same is predicted be that of one?",
)
def summed_over_the_new_points(p, q):
    return np.sum((p - q) ** 2 + q * (1 - q))


@wrong(
    replaces="standard_error",
    caught_by="standard_errors_at_sight",
    hint="You divide a deviation by the number of draws. What is divided by it, the deviation or its square?",
)
def deviation_over_the_number_of_draws(p, q, draws):
    return math.sqrt(q * (1 - q) * np.sum((1 - 2 * p) ** 2)) / len(p) / draws


@wrong(
    replaces="standard_error",
    caught_by="standard_errors_for_any_coin",
    hint="You have the deviation of the loss at one new point. What does the mean over m points make of it?",
)
def one_point_in_place_of_all(p, q, draws):
    return math.sqrt(q * (1 - q) * np.mean((1 - 2 * p) ** 2) / draws)


@wrong(
    replaces="standard_error",
    caught_by="standard_errors_at_sight",
    hint="You have the deviation of the mean label. Two squared errors can be equal although the labels differ: when?",
)
def deviation_of_the_labels(p, q, draws):
    return math.sqrt(q * (1 - q) / len(p) / draws)


@wrong(
    replaces="best_constant",
    caught_by="nothing_gets_below_the_floor",
    hint="Right for a fair coin. Which number lies closest, in mean square, to the labels of another coin?",
)
def one_half_for_every_coin(q):  # noqa: ARG001 - the mistake: the coin does not count
    return 0.5, 0.25


@wrong(
    replaces="best_constant",
    caught_by="the_floor_at_sight",
    hint="You bet on the likelier label. Is it also best when the loss is a squared error? Try a number between.",
)
def the_likelier_label(q):
    return (1.0 if q > 0.5 else 0.0), min(q, 1 - q)


# Known mistakes: the comparison


@wrong(
    replaces="report",
    caught_by="the_report_at_sight",
    hint="Your new labels come from the network itself, so it cannot be wrong about them. Where do those of the "
    "statement come from?",
)
def new_points_labelled_by_the_network(x, y, new, q):
    a, b = least_squares(x, y)
    fresh, half = folded_line(x, y, new), 0.5
    losses = report_losses(x, y, new, q)
    losses["network"]["expected"] = 0.0
    losses["line"]["expected"] = np.mean((a + b * new - fresh) ** 2)
    losses["constant"]["expected"] = np.mean((half - fresh) ** 2)
    return losses


@wrong(
    replaces="report",
    caught_by="reports_on_any_points",
    hint="Half-way between the four flips the network predicts one half. What does it predict elsewhere?",
)
def network_always_at_a_quarter(x, y, new, q):
    losses = report_losses(x, y, new, q)
    losses["network"]["expected"] = 0.25
    return losses


def report_losses(x, y, new, q):
    a, b = least_squares(x, y)
    both = {"network": [folded_line(x, y, z) for z in (x, new)], "line": [a + b * z for z in (x, new)]}
    both["constant"] = [0.5 + 0 * x, 0.5 + 0 * new]
    return {name: {"training": mse(old, y), "expected": expected_loss(p, q)} for name, (old, p) in both.items()}


@wrong(
    replaces="ranking",
    caught_by="the_ranking_at_sight",
    hint="You order by the training losses. Do they say how the predictors do on flips that they have not seen?",
)
def best_fit_first(x, y, new, q):
    losses = report(x, y, new, q)
    return sorted(losses, key=lambda name: round(losses[name]["training"], 9))  # rounding must not decide ties


@wrong(
    replaces="ranking",
    caught_by="rankings_on_any_points",
    hint="You take the better fit for the worse predictor, since it must have overfitted. Compute the expected losses "
    "first, then compare.",
)
def worst_fit_first(x, y, new, q):
    losses = report(x, y, new, q)
    return sorted(losses, key=lambda name: -round(losses[name]["training"], 9))
