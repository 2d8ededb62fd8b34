"""Other lengths, widths, kernels and bases; what depends on what, and what reversing the path changes."""

import numpy as np
from hypothesis import strategies as st

from grader import Failure, check, close, equal, normal

ARCHITECTURES = ("recurrence", "convolution", "messages")
SEEDS = st.integers(0, 2**32 - 1)
WIDTHS = st.integers(2, 4)
ALL = st.tuples(st.integers(2, 5), st.integers(0, 4)).map(lambda drawn: (drawn[0], 1 + drawn[1] % drawn[0]))


def _input(low, high):
    return st.tuples(st.integers(low, high), WIDTHS).flatmap(normal)


@check(points=0.5, examples=6, given={"width": st.integers(1, 300), "kernel": st.integers(3, 6)})
def parameters_of_any_layer(student, reference, width, kernel):
    """A layer's count is right at any width and kernel, and the kernel counts in the convolution alone."""
    for architecture in ARCHITECTURES:
        for taps in (2, kernel):
            wanted = reference.layer_parameters(architecture, width, taps)
            equal(student.layer_parameters(architecture, width, taps), wanted)


@check(
    points=0.5,
    examples=8,
    given={"layers": st.integers(0, 7), "kernel": st.integers(2, 6), "base": st.integers(1, 6)},
)
def any_receptive_field(student, reference, layers, kernel, base):
    """The field is right for any number of layers, none included, any kernel and base, 1 included."""
    for given in ((layers, kernel, base), (layers + 1, kernel, 1), (1, kernel, base), (0, kernel, base)):
        equal(student.receptive_field(*given), reference.receptive_field(*given))


@check(
    points=1,
    examples=8,
    given={
        "length": st.integers(5, 40),
        "layers": st.integers(1, 5),
        "kernel": st.integers(2, 4),
        "more": st.integers(1, 3),
    },
)
def reached_anywhere(student, reference, *, length, layers, kernel, more):
    """It is right which inputs reach the last output, whether the dilations leave holes or not."""
    for architecture in ARCHITECTURES:
        bases = (1, kernel, kernel + more) if architecture == "convolution" else (kernel,)
        for depth, base in ((0, kernel), *((layers, base) for base in bases)):
            given = (architecture, length, depth, kernel, base)
            equal(student.reached(*given), reference.reached(*given))


@check(points=1, examples=8, given={"layers": st.integers(1, 5), "shape": ALL})
def layers_at_the_edge(student, reference, layers, shape):
    """The number of layers is right at lengths that fill a receptive field exactly and at one position more."""
    full, before = (reference.receptive_field(depth, *shape) for depth in (layers, layers - 1))
    for length, wanted in ((full, layers), (full + 1, layers + 1), (before + 1, layers)):
        equal(student.layers_needed("convolution", length, *shape), wanted)
    equal(student.layers_needed("messages", full, *shape), full - 1)
    equal(student.layers_needed("recurrence", full, *shape), 1)
    equal(student.layers_needed("convolution", 125, 5, 5), 3)


@check(points=0.5, examples=6, given={"length": st.integers(3, 99), "width": st.integers(1, 200), "shape": ALL})
def totals_anywhere(student, reference, *, length, width, shape):
    """The total of all layers is right at any length and width, two positions included."""
    for architecture in ARCHITECTURES:
        for given in ((architecture, length, width, *shape), (architecture, 2, width, *shape)):
            equal(student.total_parameters(*given), reference.total_parameters(*given))


@check(points=0.5, examples=6, given={"length": st.integers(3, 99), "shape": ALL})
def stages_anywhere(student, reference, length, shape):
    """The number of stages in sequence is right at any length, two positions included."""
    for architecture in ARCHITECTURES:
        for given in ((architecture, length, *shape), (architecture, 2, *shape)):
            equal(student.stages(*given), reference.stages(*given))


@check(points=1, examples=2, given={"x": _input(3, 8), "number": st.floats(0.1, 0.3)})
def recurrence_anywhere(student, reference, x, number):
    """It learns two matrices and one bias, and the states are right with all of these at one number."""
    own = reference.Recurrence(x.shape[1])
    _same((student, student.Recurrence(x.shape[1])), (reference, own), x, number)


@check(points=1, examples=2, given={"x": _input(8, 20), "seed": SEEDS})
def states_depend_on_all_before(student, reference, x, seed):
    """Every state depends on its own input and each one before, on none after, and a second call starts afresh."""
    _depends((student, reference), student.Recurrence(x.shape[1]), x, seed, ("recurrence", 1, 2, 2))


DEEP = st.integers(2, 3)  # one layer cannot show whether weights are shared, or what stands before a hidden layer
STACKS = {"layers": DEEP, "kernel": st.integers(2, 4), "base": st.integers(2, 5)}
HOLED = {"layers": st.integers(1, 3), "kernel": st.integers(2, 3), "base": st.integers(3, 5)}  # most leave holes


@check(points=1, examples=2, given={"x": _input(6, 20), "number": st.floats(0.1, 0.3), **STACKS})
def stack_anywhere(student, reference, *, x, number, layers, kernel, base):
    """Every layer learns a matrix a tap and a bias, and outputs are right with all of these at one number."""
    given = (x.shape[1], layers, kernel, base)
    _same((student, student.DilatedStack(*given)), (reference, reference.DilatedStack(*given)), x, number)


@check(points=1, examples=2, given={"x": _input(12, 28), "seed": SEEDS, **HOLED})
def stack_is_causal(student, reference, *, x, seed, layers, kernel, base):
    """Every output depends on just those inputs that its taps lead to, by derivative, and on none after it."""
    net = student.DilatedStack(x.shape[1], layers, kernel, base)
    _depends((student, reference), net, x, seed, ("convolution", layers, kernel, base))


@check(points=1, examples=2, given={"x": _input(3, 9), "number": st.floats(0.1, 0.3), "layers": DEEP})
def messages_anywhere(student, reference, *, x, number, layers):
    """Every layer learns two matrices and a bias, and outputs are right with all of these at one number."""
    given = (x.shape[1], layers)
    _same((student, student.MessagePassing(*given)), (reference, reference.MessagePassing(*given)), x, number)


@check(points=1, examples=2, given={"x": _input(6, 15), "seed": SEEDS, "layers": st.integers(1, 4)})
def messages_go_a_hop_a_layer(student, reference, x, seed, layers):
    """Every output depends on the nodes within as many hops as there are layers, to both sides, and on no others."""
    _depends((student, reference), student.MessagePassing(x.shape[1], layers), x, seed, ("messages", layers, 2, 2))


@check(points=1, examples=2, given={"x": _input(4, 12), "seed": SEEDS, "layers": st.integers(1, 4)})
def reversing_the_path(student, x, seed, layers):
    """Messages on the reversed path give the same outputs in reversed order, whatever the parameters are."""
    net = student.MessagePassing(x.shape[1], layers)
    student.probe.settle(net, -0.5, 0.5, seed)
    forwards, backwards = (np.asarray(net(order)) for order in (x, x[::-1].copy()))
    equal(forwards.shape, x.shape)
    close(backwards, forwards[::-1], scale=1)


def _same(theirs, ours, x, number):
    """Compare two modules in which every learned number is the same: names, order and layout do not matter then."""
    (_, net), (_, own) = theirs, ours
    learned, wanted = (side.probe.settle(module, number, number, 0) for side, module in (theirs, ours))
    equal(learned, wanted)
    close(net(x), own(x))


def _depends(sides, net, x, seed, given):
    """Compare derivatives with exactly zero at the first, a middle and the last position.

    All parameters are positive, so that nothing cancels, and small, so that no tanh saturates.
    """
    student, reference = sides
    length, width = x.shape
    student.probe.settle(net, 0.1 / width, 0.3 / width, seed)
    answered = net(x)
    equal(np.shape(answered), x.shape)
    rows = [0, length // 2, length - 1]
    measured = student.probe.reach(net, x, rows)
    close(answered, measured["outputs"], scale=1)  # a second call gives the same
    for row, slopes in zip(rows, np.asarray(measured["slopes"]), strict=True):
        for position, (slope, depends) in enumerate(zip(slopes, _wanted(reference, row, length, given), strict=True)):
            if (slope != 0) != depends:
                does = "does not depend" if depends else "depends"
                sentence = f"output {row + 1} of {length} {does} on input {position + 1}: derivative {slope}"
                raise Failure(sentence, kind="value")


def _wanted(reference, row, length, given):
    architecture, layers, kernel, base = given
    before = reference.reached(architecture, row + 1, layers, kernel, base)
    after = [False] * (length - row - 1)
    if architecture == "messages":
        after = reference.reached(architecture, length - row, layers, kernel, base)[-2::-1]
    return [*before, *after]
