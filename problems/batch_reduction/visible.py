import numpy as np

from grader import check, close, settings

limits = settings(seconds=5, source="Where the chapters meet, problem 3")

# Five examples of three numbers, worked by hand: the residuals are -4.5, 9, 1.5, -6.5 and 4.5.
W = np.array([0.5, -1.0, 2.0])
X = np.array([[1.0, 2.0, -1.0], [0.0, -1.0, 3.0], [2.0, 1.0, 1.0], [-1.0, 3.0, 0.0], [1.0, 1.0, 2.0]])
Y = np.array([1.0, -2.0, 0.5, 3.0, -1.0])


@check(points=0.5)
def variances_at_sight(student):
    """At variance 4 and batches of 32 and 128, and at variance 2.25 and a batch of 9, both variances are right."""
    close(student.gradient_variance(4.0, 32, "sum"), 128.0)
    close(student.gradient_variance(4.0, 32, "mean"), 0.125)
    close(student.gradient_variance(4.0, 128, "mean"), 0.03125)
    close(student.gradient_variance(2.25, 9, "sum"), 20.25)
    close(student.gradient_variance(2.25, 9, "mean"), 0.25)


@check(points=0.5)
def deviations_at_sight(student):
    """The standard deviations of the steps are right at rate 0.1, variance 4, batch 32, and at 0.3, 2.25, 9."""
    close(student.step_deviation(0.1, 4.0, 32, "mean"), 0.03535533905932738)
    close(student.step_deviation(0.1, 4.0, 32, "sum"), 1.131370849898476)
    close(student.step_deviation(0.3, 2.25, 9, "mean"), 0.15)
    close(student.step_deviation(0.3, 2.25, 9, "sum"), 1.35)


@check(points=0.5)
def expected_steps_at_sight(student):
    """The expected steps have the right size and sign for means of either sign."""
    close(student.expected_step(0.1, 0.5, 32, "mean"), -0.05)
    close(student.expected_step(0.1, 0.5, 32, "sum"), -1.6)
    close(student.expected_step(0.25, -1.5, 6, "mean"), 0.375)
    close(student.expected_step(0.25, -1.5, 6, "sum"), 2.25)


@check(points=0.5)
def matching_rates_at_sight(student):
    """The sum's rate that matches the mean's is right at 0.1 with a batch of 32 and at 0.36 with a batch of 12."""
    close(student.matching_rate(0.1, 32), 0.003125)
    close(student.matching_rate(0.36, 12), 0.03)


@check(points=0.5)
def batch_change_at_sight(student):
    """All four factors are right when the batch grows from 32 to 128 and when it shrinks from 50 to 18."""
    close(student.batch_change(32, 128, "mean"), _factors(0.25, 0.5, 1.0, 0.5))
    close(student.batch_change(32, 128, "sum"), _factors(4.0, 2.0, 4.0, 0.5))
    close(student.batch_change(50, 18, "mean"), _factors(25 / 9, 5 / 3, 1.0, 5 / 3))
    close(student.batch_change(50, 18, "sum"), _factors(0.36, 0.6, 0.36, 5 / 3))


@check(points=0.5)
def one_step_at_sight(student):
    """One step on five examples is right with the mean, with the sum, and with the sum at a fifth of the rate."""
    close(student.sgd_step(W, X, Y, 0.1, "mean"), np.array([0.31, -0.37, 1.16]))
    close(student.sgd_step(W, X, Y, 0.1, "sum"), np.array([-0.45, 2.15, -2.2]))
    close(student.sgd_step(W, X, Y, 0.02, "sum"), np.array([0.31, -0.37, 1.16]))


@check(points=0.5)
def micro_weights_at_sight(student):
    """The factors of the micro-batches are right for sizes 5, 3, 2 and for sizes 1, 7."""
    close(student.micro_weights([5, 3, 2]), [0.5, 0.3, 0.2])
    close(student.micro_weights([1, 7]), [0.125, 0.875])


@check(points=0.5)
def accumulation_at_sight(student):
    """Cut into 2 and 3 or into 1, 3 and 1, the five examples give the gradient that they give in one piece."""
    close(student.accumulated_gradient(W, X, Y, [2, 3]), np.array([1.9, -6.3, 8.4]))
    close(student.accumulated_gradient(W, X, Y, [1, 3, 1]), np.array([1.9, -6.3, 8.4]))


def _factors(variance, deviation, expected, relative):
    return {
        "gradient_variance": variance,
        "step_deviation": deviation,
        "expected_step": expected,
        "relative_deviation": relative,
    }
