import math
from fractions import Fraction

import numpy as np
import torch

from grader import right, wrong


@right(replaces="gradient_variance")
def as_a_linear_combination(sigma2, batch, reduction):
    factors = np.ones(batch) if reduction == "sum" else np.full(batch, 1 / batch)
    return sigma2 * np.sum(factors**2)


@right(replaces="gradient_variance")
def one_example_after_another(sigma2, batch, reduction):
    share = Fraction(1) if reduction == "sum" else Fraction(1, batch)
    return sum(share**2 * Fraction(sigma2) for _ in range(batch))


@right(replaces="step_deviation")
def as_a_tensor(eta, sigma2, batch, reduction):
    of_the_mean = torch.tensor(eta) * torch.tensor(sigma2).div(batch).sqrt()
    return of_the_mean * batch if reduction == "sum" else of_the_mean


@right(replaces="expected_step")
def example_by_example(eta, mu, batch, reduction):
    share = 1.0 if reduction == "sum" else 1.0 / batch
    return math.fsum(-eta * share * mu for _ in range(batch))


@right(replaces="matching_rate")
def from_equal_expected_steps(eta, batch):
    return eta * expected_step(1.0, 1.0, batch, "mean") / expected_step(1.0, 1.0, batch, "sum")


@right(replaces="matching_rate")
def as_a_fraction(eta, batch):
    return Fraction(eta) / batch


@right(replaces="batch_change")
def as_quotients(batch, new_batch, reduction):
    deviation = step_deviation(1.0, 1.0, new_batch, reduction) / step_deviation(1.0, 1.0, batch, reduction)
    expected = expected_step(1.0, 1.0, new_batch, reduction) / expected_step(1.0, 1.0, batch, reduction)
    return {
        "expected_step": np.array(expected),
        "relative_deviation": np.sqrt(np.float64(batch) / new_batch),
        "step_deviation": deviation,
        "gradient_variance": deviation**2,
    }


@right(replaces="sgd_step")
def by_autograd(w, x, y, eta, reduction):
    leaf = w.clone().requires_grad_()
    loss = torch.nn.functional.mse_loss(x @ leaf, y, reduction=reduction) / 2
    loss.backward()
    return leaf - eta * leaf.grad


@right(replaces="sgd_step")
def by_an_optimiser(w, x, y, eta, reduction):
    parameter = torch.nn.Parameter(w)
    losses = 0.5 * (torch.einsum("bd,d->b", x, parameter) - y) ** 2
    getattr(losses, reduction)().backward()
    torch.optim.SGD([parameter], lr=eta).step()
    return parameter


@right(replaces="sgd_step")
def in_place(w, x, y, eta, reduction):
    gradient = ((x @ w - y)[:, None] * x).sum(0)
    w -= eta * gradient / (1 if reduction == "sum" else x.shape[0])
    return w


@right(replaces="sgd_step")
def in_plain_loops(w, x, y, eta, reduction):
    rate = eta / len(y) if reduction == "mean" else eta
    weights, slopes = w.tolist(), [0.0] * len(w)
    for row, target in zip(x.tolist(), y.tolist(), strict=True):
        residual = sum(a * b for a, b in zip(row, weights, strict=True)) - target
        slopes = [slope + residual * a for slope, a in zip(slopes, row, strict=True)]
    return [weight - rate * slope for weight, slope in zip(weights, slopes, strict=True)]


@right(replaces="micro_weights")
def as_an_array(sizes):
    return np.array(sizes) / np.sum(sizes)


@right(replaces="accumulated_gradient")
def by_backward_on_weighted_losses(w, x, y, sizes):
    leaf = w.clone().requires_grad_()
    for factor, rows, targets in zip(micro_weights(sizes), x.split(sizes), y.split(sizes), strict=True):
        (factor * ((rows @ leaf - targets) ** 2).mean() / 2).backward()
    return leaf.grad


@right(replaces="accumulated_gradient")
def by_a_running_mean(w, x, y, sizes):
    mean, seen = torch.zeros_like(w), 0
    for size in sizes:
        rows, targets = x[seen : seen + size], y[seen : seen + size]
        seen += size
        mean = mean + (rows.T @ (rows @ w - targets) / size - mean) * (size / seen)
    return mean


@right(replaces="accumulated_gradient")
def in_one_piece(w, x, y, sizes):  # noqa: ARG001 - any cut has the same answer
    return torch.func.grad(lambda weights: ((x @ weights - y) ** 2).mean() / 2)(w)


@wrong(
    replaces="gradient_variance",
    caught_by="variances_at_sight",
    hint="With the mean, your variance does not depend on the batch, as if averaging brought nothing. What happens to "
    "a variance when the variable is multiplied by a constant, and which constant turns the sum into the mean?",
)
def divided_only_once(sigma2, batch, reduction):
    return batch * sigma2 if reduction == "sum" else batch * sigma2 / batch


@wrong(
    replaces="gradient_variance",
    caught_by="variances_for_any_batch",
    hint="You treat the sum as one gradient taken B times. Different examples are independent, so their deviations "
    "partly cancel: what adds up over independent terms?",
)
def one_gradient_taken_many_times(sigma2, batch, reduction):
    return batch**2 * sigma2 if reduction == "sum" else sigma2


@wrong(
    replaces="gradient_variance",
    caught_by="variances_at_sight",
    hint="These numbers are in the unit of the gradient itself. In which unit is a variance?",
)
def a_deviation_in_its_place(sigma2, batch, reduction):
    return math.sqrt(batch * sigma2 if reduction == "sum" else sigma2 / batch)


@wrong(
    replaces="step_deviation",
    caught_by="deviations_at_sight",
    hint="You multiplied the variance by the learning rate. Is the answer to be a variance or a deviation, and which "
    "of the two belongs with the rate to the first power?",
)
def rate_times_variance(eta, sigma2, batch, reduction):
    return eta * gradient_variance(sigma2, batch, reduction)


@wrong(
    replaces="step_deviation",
    caught_by="deviations_for_any_batch",
    hint="The learning rate stands under your root as it is. To which power does it enter the variance of the step?",
)
def rate_under_the_root(eta, sigma2, batch, reduction):
    return math.sqrt(eta * gradient_variance(sigma2, batch, reduction))


@wrong(
    replaces="step_deviation",
    caught_by="deviations_at_sight",
    hint="This is the variance of the step. One operation separates it from the deviation.",
)
def variance_of_the_step(eta, sigma2, batch, reduction):
    return eta**2 * gradient_variance(sigma2, batch, reduction)


@wrong(
    replaces="expected_step",
    caught_by="expected_steps_at_sight",
    hint="Right in size. In which direction does gradient descent move when the gradient is positive?",
)
def up_the_slope(eta, mu, batch, reduction):
    return eta * mu * (batch if reduction == "sum" else 1)


@wrong(
    replaces="expected_step",
    caught_by="expected_steps_for_any_batch",
    hint="You give both reductions the same expected step, as if the sum were only noisier. What is the expected value "
    "of a sum of B terms?",
)
def same_for_both(eta, mu, batch, reduction):  # noqa: ARG001 - the mistake: the reduction changes nothing
    return -eta * mu


@wrong(
    replaces="matching_rate",
    caught_by="matching_rates_at_sight",
    hint="You divided by the root of the batch size. Write down both steps as sums over the examples and make "
    "them equal, term by term.",
)
def divided_by_the_root(eta, batch):
    return eta / math.sqrt(batch)


@wrong(
    replaces="matching_rate",
    caught_by="matching_makes_both_steps_one",
    hint="Your rate makes the sum's step, the longer of the two, longer still. In which direction must it go?",
)
def multiplied_by_the_batch(eta, batch):
    return eta * batch


@wrong(
    replaces="batch_change",
    caught_by="batch_change_at_sight",
    hint="Your variance changes as the deviation should. How do the two factors belong together?",
)
def variance_like_a_deviation(batch, new_batch, reduction):
    root = math.sqrt(new_batch / batch)
    if reduction == "sum":
        return _four(root, root, new_batch / batch, 1 / root)
    return _four(1 / root, 1 / root, 1.0, 1 / root)


@wrong(
    replaces="batch_change",
    caught_by="batch_change_for_any_sizes",
    hint="You answer for the mean under both names. Which of the four quantities behave differently in a sum?",
)
def the_mean_twice(batch, new_batch, reduction):  # noqa: ARG001 - the mistake: the reduction changes nothing
    root = math.sqrt(batch / new_batch)
    return _four(root**2, root, 1.0, root)


@wrong(
    replaces="batch_change",
    caught_by="batch_change_at_sight",
    hint="Your factors lead from the new batch to the old one. Which value is divided by which?",
)
def old_over_new(batch, new_batch, reduction):
    root = math.sqrt(new_batch / batch)
    if reduction == "sum":
        return _four(1 / root**2, 1 / root, 1 / root**2, root)
    return _four(root**2, root, 1.0, root)


@wrong(
    replaces="batch_change",
    caught_by="batch_change_for_any_sizes",
    hint="Your relative deviation does not follow from the other factors. Divide the factor of the deviation by that "
    "of the expected step, for each reduction, and compare.",
)
def the_sum_as_mere_noise(batch, new_batch, reduction):
    root = math.sqrt(new_batch / batch)
    if reduction == "sum":
        return _four(root**2, root, root**2, root)
    return _four(1 / root**2, 1 / root, 1.0, 1 / root)


@wrong(
    replaces="sgd_step",
    caught_by="one_step_at_sight",
    hint="Your gradient is twice too long: it belongs to the squared error. Which factor stands before the square in "
    "the statement's loss?",
)
def squared_error_without_its_half(w, x, y, eta, reduction):
    leaf = w.clone().requires_grad_()
    torch.nn.functional.mse_loss(x @ leaf, y, reduction=reduction).backward()
    return (leaf - eta * leaf.grad).detach()


@wrong(
    replaces="sgd_step",
    caught_by="a_matched_sum_steps_like_the_mean",
    hint="Your step is the mean's whatever reduction is asked for. Where does the word that names it enter?",
)
def always_the_mean(w, x, y, eta, reduction):  # noqa: ARG001 - the mistake: the reduction changes nothing
    return w - eta * x.T @ (x @ w - y) / len(y)


@wrong(
    replaces="sgd_step",
    caught_by="one_step_on_any_batch",
    hint="This step climbs. With which sign does the gradient enter a step of descent?",
)
def ascending(w, x, y, eta, reduction):
    return w + eta * x.T @ (x @ w - y) / (len(y) if reduction == "mean" else 1)


@wrong(
    replaces="sgd_step",
    caught_by="repeating_the_batch",
    hint="You divided by the number of entries of x. The mean is taken over examples: how many losses are there?",
)
def mean_over_all_entries(w, x, y, eta, reduction):
    return w - eta * x.T @ (x @ w - y) / (x.numel() if reduction == "mean" else 1)


@wrong(
    replaces="sgd_step",
    caught_by="one_step_on_any_batch",
    hint="Later examples of your batch see weights that earlier ones have already moved. At which weights is the "
    "gradient of a batch taken?",
)
def moving_within_the_batch(w, x, y, eta, reduction):
    rate = eta / len(y) if reduction == "mean" else eta
    for row, target in zip(x, y, strict=True):
        w = w - rate * (row @ w - target) * row
    return w


@wrong(
    replaces="micro_weights",
    caught_by="micro_weights_at_sight",
    hint="You give every micro-batch the same say. Does each example of the batch then count the same?",
)
def one_vote_each(sizes):
    return [1 / len(sizes) for _ in sizes]


@wrong(
    replaces="micro_weights",
    caught_by="micro_weights_for_any_sizes",
    hint="With these factors the sums over all examples add up. What is still missing for a mean?",
)
def back_to_the_sums(sizes):
    return [float(size) for size in sizes]


@wrong(
    replaces="accumulated_gradient",
    caught_by="accumulation_at_sight",
    hint="You averaged the micro-batches, each with the same weight. Does an example from a small micro-batch then "
    "count as much as one from a large one?",
)
def plain_average_of_means(w, x, y, sizes):
    return sum(_mean_gradients(w, x, y, sizes)) / len(sizes)


@wrong(
    replaces="accumulated_gradient",
    caught_by="accumulation_over_any_cuts",
    hint="You added up the means of the micro-batches as they are, so the result grows with the number of cuts. By "
    "what must each be multiplied first?",
)
def means_added_up(w, x, y, sizes):
    return sum(_mean_gradients(w, x, y, sizes))


@wrong(
    replaces="accumulated_gradient",
    caught_by="accumulation_at_sight",
    hint="Your result is the gradient of the summed loss. The statement asks for the mean's.",
)
def never_divided(w, x, y, sizes):
    return sum(size * slope for size, slope in zip(sizes, _mean_gradients(w, x, y, sizes), strict=True))


@wrong(
    replaces="accumulated_gradient",
    caught_by="accumulation_over_any_cuts",
    hint="Only the last micro-batch is left in your gradient. At which point of the loop do you set it back to zero?",
)
def zeroed_in_the_loop(w, x, y, sizes):
    leaf = w.clone().requires_grad_()
    for rows, targets in zip(x.split(sizes), y.split(sizes), strict=True):
        leaf.grad = None
        (((rows @ leaf - targets) ** 2).sum() / 2 / len(y)).backward()
    return leaf.grad


@wrong(
    replaces="accumulated_gradient",
    caught_by="accumulation_over_any_cuts",
    hint="Earlier micro-batches are in your total more than once. What does .grad hold after the second backward() if "
    "nothing has cleared it?",
)
def counted_again_and_again(w, x, y, sizes):
    leaf, total = w.clone().requires_grad_(), torch.zeros_like(w)
    for rows, targets in zip(x.split(sizes), y.split(sizes), strict=True):
        (((rows @ leaf - targets) ** 2).sum() / 2 / len(y)).backward()
        total += leaf.grad
    return total


def _four(variance, deviation, expected, relative):
    return {
        "gradient_variance": variance,
        "step_deviation": deviation,
        "expected_step": expected,
        "relative_deviation": relative,
    }


def _mean_gradients(w, x, y, sizes):
    cuts = zip(x.split(sizes), y.split(sizes), sizes, strict=True)
    return [rows.T @ (rows @ w - targets) / size for rows, targets, size in cuts]
