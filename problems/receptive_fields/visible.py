"""The text's own numbers, and small instances in general position worked out by hand."""

import numpy as np

from grader import Failure, check, close, equal, settings

limits = settings(
    seconds=5,
    dtype="float64",  # a derivative through 63 steps is less than float32 can hold, and small is not zero
    source="Where the chapters meet, problem 4",
)

ARCHITECTURES = ("recurrence", "convolution", "messages")
X = np.array([[1.0, -0.5], [0.5, 2.0], [-1.5, 1.0], [0.25, -2.25]])
D = 2


@check(points=0.5)
def parameters_at_sight(student):
    """A layer of width 128 learns 32,896 numbers in each architecture; at width 5 a third tap adds 25."""
    for architecture in ARCHITECTURES:
        equal(student.layer_parameters(architecture, 128, 2), 32_896)
    for architecture, count in zip(ARCHITECTURES, (55, 80, 55), strict=True):
        equal(student.layer_parameters(architecture, 5, 3), count)


@check(points=0.5)
def fields_at_sight(student):
    """Six layers of kernel 2 and base 2 look at 64 positions; other stacks look at 1, 2, 15, 25 and 7."""
    for given, field in (
        ((6, 2, 2), 64),
        ((0, 2, 2), 1),
        ((1, 2, 2), 2),
        ((3, 3, 2), 15),
        ((2, 5, 5), 25),
        ((2, 4, 1), 7),
    ):
        equal(student.receptive_field(*given), field)


@check(points=0.5)
def reach_at_sight(student):
    """It is right which inputs reach the last output on a few short sequences, one of them with holes."""
    equal(student.reached("recurrence", 3, 0, 2, 2), [False, False, True])
    equal(student.reached("recurrence", 4, 1, 2, 2), [True] * 4)
    equal(student.reached("convolution", 6, 2, 2, 2), [False, False, True, True, True, True])
    equal(student.reached("convolution", 7, 2, 2, 3), [False, False, True, True, False, True, True])
    equal(student.reached("messages", 5, 2, 2, 2), [False, False, True, True, True])


@check(points=0.5)
def layers_and_totals_at_sight(student):
    """1, 6 and 63 layers for 64 positions, with 32,896, 197,376 and 2,072,448 parameters; the same for 100."""
    for architecture, layers, total in zip(ARCHITECTURES, (1, 6, 63), (32_896, 197_376, 2_072_448), strict=True):
        equal(student.layers_needed(architecture, 64, 2, 2), layers)
        equal(student.total_parameters(architecture, 64, 128, 2, 2), total)
    for architecture, layers, total in zip(ARCHITECTURES, (1, 6, 99), (55, 480, 5445), strict=True):
        equal(student.layers_needed(architecture, 100, 3, 2), layers)
        equal(student.total_parameters(architecture, 100, 5, 3, 2), total)


@check(points=0.5)
def stages_at_sight(student):
    """64, 6 and 63 stages run one after another for 64 positions; 100, 6 and 99 for 100 positions, kernel 3."""
    for architecture, few, many in zip(ARCHITECTURES, (64, 6, 63), (100, 6, 99), strict=True):
        equal(student.stages(architecture, 64, 2, 2), few)
        equal(student.stages(architecture, 100, 3, 2), many)


@check(points=0.5)
def recurrence_at_sight(student):
    """With width 2 it learns 10 numbers, with all at 1/4 the states are right, and the last of 64 sees the first."""
    net = student.Recurrence(D)
    _constant(student, net, 10, [0.358357398351, 0.783425647801, 0.475158979795, -0.012419871442])
    _positive(student, net)
    _sees(student, net, 64, first=True)


@check(points=0.5)
def stack_at_sight(student):
    """Two layers learn 20 numbers and answer rightly with all at 1/4; by 6 the last of 64 sees the first, of 65 not."""
    net = student.DilatedStack(D, 2, 2, 2)
    _constant(student, net, 20, [0.404634707160, 0.558600821558, 0.633207946936, 0.423228405750])
    net = student.DilatedStack(D, 6, 2, 2)
    _positive(student, net)
    _sees(student, net, 64, first=True)
    _sees(student, net, 65, first=False)


@check(points=0.5)
def messages_at_sight(student):
    """Two layers learn 20 numbers and answer rightly with all at 1/4; by 7 the last of 8 sees the first, of 9 not."""
    net = student.MessagePassing(D, 2)
    _constant(student, net, 20, [0.754253842169, 0.802362390219, 0.496939251397, 0.190909240541])
    net = student.MessagePassing(D, 7)
    _positive(student, net)
    _sees(student, net, 8, first=True)
    _sees(student, net, 9, first=False)


def _constant(student, net, count, rows):
    equal(student.probe.settle(net, 0.25, 0.25, 0), count)
    close(net(X), np.repeat(np.array(rows)[:, None], D, axis=1))


def _positive(student, net):
    """Let nothing cancel, so that a derivative is exactly zero only where no way leads."""
    student.probe.settle(net, 0.1 / D, 0.3 / D, 1)


def _sees(student, net, length, *, first):
    x = np.cos(np.arange(length * D)).reshape(length, D)
    measured = student.probe.reach(net, x, [length - 1])
    equal(np.shape(measured["outputs"]), x.shape)
    slope = np.asarray(measured["slopes"])[0, 0]
    if (slope != 0) != first:
        does = "does not depend" if first else "depends"
        sentence = f"the output at position {length} {does} on the input at position 1: derivative {slope}"
        raise Failure(sentence, kind="value")
