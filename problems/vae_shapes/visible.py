import math

import numpy as np

from grader import check, close, equal, settings

limits = settings(seconds=4, source="Where the chapters meet, problem 6")


@check(points=0.5)
def sizes_at_sight(student):
    """Both size formulas are right on the pictures of 28 x 28 and on one picture in general position."""
    equal([student.conv_size(28, 3, 2, 1), student.conv_size(14, 3, 2, 1), student.conv_size(29, 5, 3, 2)], [14, 7, 10])
    equal([student.transposed_size(n, 3, 2, 1, 1) for n in (7, 14)], [14, 28])
    equal([student.transposed_size(n, 3, 2, 1, 0) for n in (7, 13)], [13, 25])
    equal(student.transposed_size(6, 5, 3, 2, 1), 17)


@check(points=0.5)
def shapes_at_sight(student):
    """Every shape is right for eight pictures of 28 x 28, and for three of 21 x 21 without output padding."""
    code = dict.fromkeys(("mu", "logvar", "sigma", "eps", "z"), (8, 16))
    want = {"x": (8, 1, 28, 28), "conv1": (8, 16, 14, 14), "conv2": (8, 32, 7, 7), "flat": (8, 1568), "head": (8, 32)}
    want |= {"linear": (8, 1568), "reshaped": (8, 32, 7, 7), "up1": (8, 16, 14, 14), "xhat": (8, 1, 28, 28)}
    equal(student.shapes(8, 28, [16, 32], 16, 1), want | code)
    code = dict.fromkeys(("mu", "logvar", "sigma", "eps", "z"), (3, 7))
    want = {"x": (3, 1, 21, 21), "conv1": (3, 5, 11, 11), "conv2": (3, 6, 6, 6), "flat": (3, 216), "head": (3, 14)}
    want |= {"linear": (3, 216), "reshaped": (3, 6, 6, 6), "up1": (3, 5, 11, 11), "xhat": (3, 1, 21, 21)}
    equal(student.shapes(3, 21, [5, 6], 7, 0), want | code)


@check(points=0.5)
def parameters_at_sight(student):
    """Every layer's parameters are right for the network of the text, and for a smaller one."""
    want = {"conv1": 160, "conv2": 4640, "head": 50208, "linear": 26656, "up1": 4624, "up2": 145}
    equal(student.parameter_counts(28, [16, 32], 16), want | {"both_linear": 76864, "total": 86433})
    want = {"conv1": 50, "conv2": 276, "head": 3038, "linear": 1728, "up1": 275, "up2": 46}
    equal(student.parameter_counts(21, [5, 6], 7), want | {"both_linear": 4766, "total": 5413})


@check(points=0.5)
def a_colleague_at_sight(student):
    """The layer that fails is found in the colleague's network and in one that fails elsewhere; a sound one passes."""
    equal(student.first_failure(_network(flat=2048), 1, 28), (3, 1568))
    equal(student.first_failure(_network(flat=1568, code=32), 1, 28), (5, 16))
    equal(student.first_failure(_network(flat=1568), 1, 28), None)


@check(points=0.5)
def pixel_mean_at_sight(student):
    """A mean over 784 pixels at beta 1 is the loss at beta 784, divided by 784; so too for 60 pixels at beta 0.5."""
    close(student.pixel_mean(1.0, 784), [784.0, 1 / 784])
    close(student.pixel_mean(0.5, 60), [30.0, 1 / 60])


@check(points=0.5)
def a_sample_at_sight(student):
    """Two codes are sampled right, with deviations of 1/2, 1, 2 and 4."""
    mu = np.array([[1.0, -2.0, 0.5], [0.0, 3.0, -1.0]])
    logvar = math.log(4) * np.array([[-1.0, 0.0, 1.0], [2.0, 1.0, -1.0]])
    eps = np.array([[1.0, 0.5, -1.5], [0.25, -1.0, 2.0]])
    close(student.reparameterise(mu, logvar, eps), np.array([[1.5, -1.5, -2.5], [1.0, 1.0, 0.0]]))


@check(points=0.5)
def loss_at_sight(student):
    """The loss of two pictures of 2 x 2 pixels with codes of length three is right at beta 0 and at beta 2."""
    x = np.array([[[[1.0, 0.0], [2.0, -1.0]]], [[[0.0, 1.0], [1.0, 0.0]]]])
    xhat = np.array([[[[0.5, 0.0], [1.0, 1.0]]], [[[0.0, 0.5], [1.0, -1.0]]]])
    mu = np.array([[1.0, -2.0, 0.5], [0.0, 3.0, 1.0]])
    logvar = math.log(4) * np.array([[0.0, 1.0, 0.0], [-1.0, 0.0, 1.0]])
    close(student.loss(x, xhat, mu, logvar, 0.0), 1.625)
    close(student.loss(x, xhat, mu, logvar, 2.0), 11.875 - math.log(2))


@check(points=1)
def a_module_at_sight(student):
    """ConvVAE(16) has its 86,433 parameters in the right layers, and encoder, decoder and pass return their shapes."""
    vae = student.ConvVAE(16)
    x, eps = np.linspace(0, 1, 2 * 784).reshape(2, 1, 28, 28), np.linspace(-1, 1, 32).reshape(2, 16)
    equal(student.probe.code_shapes(vae, x), [[2, 16], [2, 16]])
    equal(student.probe.picture_shape(vae, eps), [2, 1, 28, 28])
    equal(student.probe.shapes(vae, x, eps), [[2, 1, 28, 28], [2, 16], [2, 16]])
    sizes = student.probe.parameter_sizes(vae)
    two_heads = [1, 16, 16, 16, 16, 32, 144, 144, 1568, 4608, 4608, 25088, 25088, 25088]
    one_head = [1, 16, 16, 32, 32, 144, 144, 1568, 4608, 4608, 25088, 50176]
    equal(sizes, two_heads if len(sizes) == len(two_heads) else one_head)


def _network(flat, code=16):
    convolution = {"layer": "conv", "kernel": 3, "stride": 2, "padding": 1}
    transposed = convolution | {"layer": "transposed", "output_padding": 1}
    return [
        convolution | {"takes": 1, "gives": 16},
        convolution | {"takes": 16, "gives": 32},
        {"layer": "flatten"},
        {"layer": "linear", "takes": flat, "gives": 32},
        {"layer": "sample"},
        {"layer": "linear", "takes": code, "gives": 1568},
        {"layer": "reshape", "takes": 1568, "gives": [32, 7, 7]},
        transposed | {"takes": 32, "gives": 16},
        transposed | {"takes": 16, "gives": 1},
    ]
