"""Other sizes, networks, specifications, codes and losses; and what a ConvVAE does, whatever its first values are."""

import numpy as np
from hypothesis import strategies as st

from grader import check, close, equal, normal, uniform

KERNELS = st.tuples(st.integers(2, 6), st.integers(2, 4), st.integers(1, 3)).filter(lambda t: t[2] < t[0])
SIZES = st.integers(9, 40)
CHANNELS = st.lists(st.integers(2, 40), min_size=2, max_size=2, unique=True)
CODES = st.integers(3, 20)
BETA = st.floats(1.5, 8.0)

# Neither k nor 2k is the size of another parameter, so that the biases of mu and logvar are told by theirs.
LENGTHS = st.sampled_from([3, 4, 5, 6, 7, 9])
PASSES = st.tuples(st.integers(2, 3), LENGTHS).flatmap(
    lambda sizes: st.fixed_dictionaries({"x": uniform((sizes[0], 1, 28, 28)), "eps": normal(sizes)})
)

SAMPLES = st.tuples(st.integers(5, 8), st.integers(2, 4)).flatmap(
    lambda sizes: st.fixed_dictionaries(
        {"mu": normal(sizes), "logvar": uniform(sizes, -2.5, 2.5), "eps": normal(sizes, 2.0)}
    )
)
LOSSES = st.tuples(st.integers(2, 4), st.integers(5, 8), st.integers(2, 9), st.integers(5, 9)).flatmap(
    lambda sizes: st.fixed_dictionaries(
        {
            "x": uniform((sizes[0], 1, sizes[2], sizes[3])),
            "xhat": normal((sizes[0], 1, sizes[2], sizes[3])),
            "mu": normal(sizes[:2]),
            "logvar": uniform(sizes[:2], -2.5, 2.5),
            "beta": BETA,
        }
    )
)


@check(points=0.5, given={"n": SIZES, "numbers": KERNELS}, examples=8)
def sizes_for_any_kernel(student, reference, n, numbers):
    """Both size formulas are right for any side, kernel, stride and padding, and one undoes the other."""
    equal(student.conv_size(n, *numbers), reference.conv_size(n, *numbers))
    for output_padding in (0, 1):
        large = reference.transposed_size(n, *numbers, output_padding)
        equal(student.transposed_size(n, *numbers, output_padding), large)
    equal(student.conv_size(large, *numbers), n)


@check(points=1, given={"batch": st.integers(1, 64), "size": SIZES, "channels": CHANNELS, "k": CODES}, examples=8)
def shapes_for_any_network(student, reference, *, batch, size, channels, k):
    """Every shape is right for any batch, picture, channels and code, with output padding and without."""
    for padded in (0, 1):
        equal(student.shapes(batch, size, channels, k, padded), reference.shapes(batch, size, channels, k, padded))


@check(points=1, given={"size": SIZES, "channels": CHANNELS, "k": CODES}, examples=8)
def parameters_for_any_network(student, reference, size, channels, k):
    """Every layer's parameters are right for any picture, channels and code, and so are both sums."""
    equal(student.parameter_counts(size, channels, k), reference.parameter_counts(size, channels, k))


@st.composite
def _specifications(draw):
    """A sound network, and up to two of its layers made to take a wrong number."""
    channels, size = draw(st.integers(1, 3)), draw(st.integers(17, 40))
    layers, count, side = [], channels, size
    for _ in range(draw(st.integers(1, 2))):
        kernel, stride, padding = draw(st.sampled_from([(3, 2, 1), (4, 2, 1), (5, 3, 2), (3, 3, 0), (2, 2, 0)]))
        gives = draw(st.integers(4, 40))
        layers.append({"layer": "conv", "takes": count, "gives": gives, "kernel": kernel, "stride": stride})
        layers[-1]["padding"] = padding
        count, side = gives, (side + 2 * padding - kernel) // stride + 1
    k, flat, narrow = draw(CODES), count * side * side, draw(st.integers(2, 9))
    layers += [{"layer": "flatten"}, {"layer": "linear", "takes": flat, "gives": 2 * k}, {"layer": "sample"}]
    layers += [{"layer": "linear", "takes": k, "gives": flat}]
    layers += [{"layer": "reshape", "takes": flat, "gives": [count, side, side]}]
    padded = draw(st.integers(0, 1))
    layers += [{"layer": "transposed", "takes": count, "gives": narrow, "kernel": 3, "stride": 2, "padding": 1}]
    layers[-1]["output_padding"] = padded
    side = 2 * side - 1 + padded
    layers += [{"layer": "flatten"}, {"layer": "linear", "takes": narrow * side * side, "gives": 10}]
    faults = [
        (place, "takes") for place, layer in enumerate(layers) if layer["layer"] in {"conv", "linear", "transposed"}
    ]
    faults += [(place - 1, "gives") for place, layer in enumerate(layers) if layer["layer"] == "reshape"]
    wrong = draw(st.sampled_from([0, 1, 2, 2]))
    for place, key in draw(st.lists(st.sampled_from(faults), min_size=wrong, max_size=wrong, unique=True)):
        layers[place][key] += draw(st.integers(1, 99))
    return {"layers": layers, "channels": channels, "size": size}


@check(points=1, given=_specifications())
def the_first_failure_of_any_network(student, reference, layers, channels, size):
    """The first layer that cannot take what arrives is found in any specification, and what it should take."""
    equal(student.first_failure(layers, channels, size), reference.first_failure(layers, channels, size))


@check(points=0.5, given={"beta": BETA, "pixels": st.integers(12, 2000)}, examples=8)
def pixel_mean_for_any_picture(student, reference, beta, pixels):
    """A mean over the pixels is told as a beta and a factor for pictures of any size."""
    close(student.pixel_mean(beta, pixels), reference.pixel_mean(beta, pixels))


@check(points=1, given=SAMPLES, examples=8)
def sampling_for_any_code(student, reference, mu, logvar, eps):
    """Samples are right at any mean and variance; without noise they are the means."""
    close(student.reparameterise(mu, logvar, eps), reference.reparameterise(mu, logvar, eps))
    close(student.reparameterise(mu, logvar, 0 * eps), mu)


@check(points=1, given=LOSSES, examples=8)
def loss_of_any_batch(student, reference, *, x, xhat, mu, logvar, beta):
    """The loss is right for any batch and picture, and both of its terms are right alone."""
    close(student.loss(x, xhat, mu, logvar, 0.0), reference.loss(x, xhat, mu, logvar, 0.0))
    close(student.loss(x, x, mu, logvar, beta), reference.loss(x, x, mu, logvar, beta))
    close(student.loss(x, xhat, mu, logvar, beta), reference.loss(x, xhat, mu, logvar, beta))


@check(points=1, given=PASSES, examples=2)
def a_module_for_any_code(student, x, eps):
    """For any code length and batch the module has the right layers and returns the right shapes."""
    (batch, k), vae = eps.shape, student.ConvVAE(eps.shape[1])
    equal(student.probe.code_shapes(vae, x), [[batch, k]] * 2)
    equal(student.probe.picture_shape(vae, eps), [batch, 1, 28, 28])
    equal(student.probe.shapes(vae, x, eps), [[batch, 1, 28, 28], [batch, k], [batch, k]])
    sizes = student.probe.parameter_sizes(vae)
    others = [1, 16, 16, 32, 144, 144, 1568, 4608, 4608, 1568 * k]
    one, two = [2 * k, 1568 * 2 * k], [k, k, 1568 * k, 1568 * k]
    equal(sizes, sorted(others + (two if len(sizes) == len(others + two) else one)))


@check(points=1, given=PASSES, examples=1)
def each_picture_has_its_own_noise(student, x, eps):
    """A reconstruction depends on its own picture and on its own noise, and on those of no other example."""
    own = np.eye(len(x))
    close(student.probe.shares(student.ConvVAE(eps.shape[1]), x, eps), {"eps": own, "x": own})


@check(points=1, given=PASSES, examples=1)
def noise_is_scaled_by_sigma(student, x, eps):
    """In a whole pass noise moves the code by exp(logvar / 2) of its own, measured through the decoder."""
    vae, ones = student.ConvVAE(eps.shape[1]), np.ones(eps.shape)
    close(student.probe.noise_growth(vae, x, eps, 1.5), ones)
    close(student.probe.noise_ratio(vae, x, eps), ones)


@check(points=1, given=PASSES, examples=1)
def a_pass_decodes_the_sample(student, x, eps):
    """A pass returns xhat, mu and logvar in this order, and xhat is what the decoder makes of the sample."""
    vae = student.ConvVAE(eps.shape[1])
    equal(student.probe.decoded_part(vae, x, eps), 1)
    close(student.probe.forward_gap(vae, x, eps), 0.0, scale=1.0)


@check(points=0.5, given=PASSES, examples=1)
def nothing_squashes_the_code(student, x, eps):
    """The numbers of mu and logvar may be large, of either sign: nothing bends them behind the linear layer."""
    got = student.probe.code_rise(student.ConvVAE(eps.shape[1]), x, eps, 2.0)
    rise = np.full(eps.shape, 2.0)
    close(got["mu"], [rise, rise])
    close(got["logvar, second less first"], 0 * rise, scale=2.0)


@check(points=0.5, given=PASSES, examples=1)
def nothing_squashes_the_picture(student, x, eps):
    """The pixels of xhat may be any numbers: each of them rises with the last layer's bias, and just as far."""
    close(student.probe.output_rise(student.ConvVAE(eps.shape[1]), x, eps, 800.0), [[800.0, 800.0]] * 2)


@check(points=0.5, given=PASSES, examples=1)
def the_reconstruction_trains_everything(student, x, eps):
    """Going back from the reconstruction alone, every parameter of encoder and decoder gets a slope."""
    equal(student.probe.untrained(student.ConvVAE(eps.shape[1]), x, eps), 0)
