import numpy as np
from hypothesis import strategies as st

from grader import check, close, normal, uniform

# A variance or a rate of exactly 1 would hide whether it was squared, so the ranges leave 1 out.
RATE = st.floats(0.02, 0.9)
SIGMA2 = st.floats(1.5, 9.0)
BATCH = st.integers(2, 512)
MU = st.one_of(st.floats(0.2, 3.0), st.floats(-3.0, -0.2))
SIZES = st.lists(st.integers(1, 9), min_size=3, max_size=5).filter(lambda sizes: len(set(sizes)) > 1)


def _data(batch, width):
    return {"w": uniform((width,), 1.0, 3.0), "x": normal((batch, width)), "y": normal((batch,), 2.0)}


# At least six rows and at most four columns: a batch is never square.
BATCHES = st.tuples(st.integers(6, 24), st.integers(2, 4)).flatmap(
    lambda shape: st.fixed_dictionaries({**_data(*shape), "eta": st.floats(0.02, 0.12)})
)
CUT_BATCHES = st.tuples(SIZES, st.integers(2, 4)).flatmap(
    lambda cut: st.fixed_dictionaries({**_data(sum(cut[0]), cut[1]), "sizes": st.just(cut[0])})
)


@check(points=0.5, given={"sigma2": SIGMA2, "batch": BATCH, "more": BATCH})
def variances_for_any_batch(student, reference, sigma2, batch, more):
    """Variances are right for any batch: those of two batches add up in the sum, and a batch of one has its own."""
    apart = reference.gradient_variance(sigma2, batch, "sum") + reference.gradient_variance(sigma2, more, "sum")
    close(student.gradient_variance(sigma2, batch + more, "sum"), apart)
    close(student.gradient_variance(sigma2, batch, "mean"), reference.gradient_variance(sigma2, batch, "mean"))
    close(student.gradient_variance(sigma2, 1, "mean"), sigma2)
    close(student.gradient_variance(sigma2, 1, "sum"), sigma2)


@check(points=0.5, given={"eta": RATE, "sigma2": SIGMA2, "batch": BATCH})
def deviations_for_any_batch(student, reference, eta, sigma2, batch):
    """The sum's step deviates B times as far as the mean's, at any rate, variance and batch."""
    of_the_mean = reference.step_deviation(eta, sigma2, batch, "mean")
    close(student.step_deviation(eta, sigma2, batch, "mean"), of_the_mean)
    close(student.step_deviation(eta, sigma2, batch, "sum"), batch * of_the_mean)


@check(points=0.5, given={"eta": RATE, "mu": MU, "batch": BATCH})
def expected_steps_for_any_batch(student, reference, eta, mu, batch):
    """The expected steps have the right size and sign at any rate, mean and batch, one example included."""
    for size in (batch, 1):
        for reduction in ("mean", "sum"):
            got = student.expected_step(eta, mu, size, reduction)
            close(got, reference.expected_step(eta, mu, size, reduction))


@check(points=0.5, given={"eta": RATE, "sigma2": SIGMA2, "mu": MU, "batch": BATCH})
def matching_makes_both_steps_one(student, reference, *, eta, sigma2, mu, batch):
    """At the matching rate the sum's step has the expectation and the deviation of the mean's."""
    rate = reference.matching_rate(eta, batch)
    close(student.matching_rate(eta, batch), rate)
    close(student.matching_rate(eta, 1), eta)
    close(student.expected_step(rate, mu, batch, "sum"), reference.expected_step(eta, mu, batch, "mean"))
    close(student.step_deviation(rate, sigma2, batch, "sum"), reference.step_deviation(eta, sigma2, batch, "mean"))


@check(
    points=1,
    given=st.fixed_dictionaries({"batch": st.integers(1, 200), "new_batch": st.integers(1, 200)}).filter(
        lambda sizes: sizes["batch"] != sizes["new_batch"]
    ),
)
def batch_change_for_any_sizes(student, reference, batch, new_batch):
    """All four factors are right for any two batch sizes, larger or smaller, under both reductions."""
    for reduction in ("mean", "sum"):
        got = student.batch_change(batch, new_batch, reduction)
        close(got, reference.batch_change(batch, new_batch, reduction))


@check(points=1, given=BATCHES)
def one_step_on_any_batch(student, reference, *, w, x, y, eta):
    """One step is right on any batch under both reductions, and they agree on a batch of one."""
    for reduction in ("mean", "sum"):
        got = student.sgd_step(w, x, y, eta, reduction)
        close(got, reference.sgd_step(w, x, y, eta, reduction), growth=8)
        got = student.sgd_step(w, x[:1], y[:1], eta, reduction)
        close(got, reference.sgd_step(w, x[:1], y[:1], eta, "mean"), growth=8)


@check(points=0.5, given=BATCHES)
def a_matched_sum_steps_like_the_mean(student, reference, *, w, x, y, eta):
    """At the matching rate a step with the sum changes the weights exactly as a step with the mean does."""
    close(student.sgd_step(w, x, y, eta / len(y), "sum"), reference.sgd_step(w, x, y, eta, "mean"), growth=8)


@check(points=0.5, given=BATCHES)
def repeating_the_batch(student, reference, *, w, x, y, eta):
    """With every example there three times the mean's step stays as it was and the sum's is three times as long."""
    x3, y3 = np.concatenate([x, x, x]), np.concatenate([y, y, y])
    close(student.sgd_step(w, x3, y3, eta, "mean"), reference.sgd_step(w, x, y, eta, "mean"), growth=8)
    close(student.sgd_step(w, x3, y3, eta, "sum"), reference.sgd_step(w, x, y, 3 * eta, "sum"), growth=8)


@check(points=0.5, given={"sizes": SIZES})
def micro_weights_for_any_sizes(student, reference, sizes):
    """The factors are right for any sizes, and the only micro-batch of a batch counts in full."""
    close(student.micro_weights(sizes), reference.micro_weights(sizes))
    close(student.micro_weights(sizes[:1]), [1.0])


@check(points=0.5, given=CUT_BATCHES)
def accumulation_over_any_cuts(student, reference, *, w, x, y, sizes):
    """However the batch is cut, into single examples or not at all, the gradient is that of the whole batch."""
    whole = reference.accumulated_gradient(w, x, y, [len(y)])
    for cut in (sizes, [1, len(y) - 1], [len(y)]):
        close(student.accumulated_gradient(w, x, y, cut), whole, growth=8)
