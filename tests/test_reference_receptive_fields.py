"""The reference of receptive_fields agrees with enumeration, plain loops, autograd and the text's own numbers.

Row 4f of the known mistakes is about judging: that a derivative is told from zero, however small, is tested here too.
"""

import importlib.util
import math
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from grader import course, problem
from grader.judge import bench
from grader.student import Log
from grader.trusted import trusted
from grader.verdict import Status

torch = pytest.importorskip("torch", reason="half of the problem is in torch")

ROOT = Path(__file__).parents[1]
SLUG = "receptive_fields"
ARCHITECTURES = ("recurrence", "convolution", "messages")


def _load(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


fields = _load(ROOT / "reference" / f"{SLUG}.py")
probes = _load(ROOT / "problems" / SLUG / "probes.py")
visible = _load(ROOT / "problems" / SLUG / "visible.py")


@pytest.fixture(scope="module")
def whole():
    return problem.load(course.find(ROOT).problem(SLUG))


@pytest.fixture(autouse=True)
def in_float64():
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    torch.manual_seed(5)
    yield
    torch.set_default_dtype(before)


def edges(architecture, length, layer, kernel, base):
    """The inputs that each position of one layer reads, from the formulas of the statement."""
    if architecture == "recurrence":
        return {t: set(range(t + 1)) for t in range(length)}
    if architecture == "messages":
        return {t: {s for s in range(length) if abs(s - t) <= 1} for t in range(length)}
    return {t: {t - j * base**layer for j in range(kernel)} & set(range(length)) for t in range(length)}


def found_by_search(architecture, length, layers, kernel, base):
    frontier = {length - 1}
    for layer in reversed(range(layers)):
        read = edges(architecture, length, layer, kernel, base)
        frontier = set().union(*(read[t] for t in frontier))
    return [t in frontier for t in range(length)]


def test_the_counts_of_the_text():
    assert [fields.layer_parameters(name, 128, 2) for name in ARCHITECTURES] == [32_896] * 3
    assert [fields.layers_needed(name, 64, 2, 2) for name in ARCHITECTURES] == [1, 6, 63]
    totals = [fields.total_parameters(name, 64, 128, 2, 2) for name in ARCHITECTURES]
    assert totals == [32_896, 197_376, 2_072_448]
    assert [fields.stages(name, 64, 2, 2) for name in ARCHITECTURES] == [64, 6, 63]
    assert [fields.receptive_field(layers, 2, 2) for layers in range(7)] == [2**layers for layers in range(7)]


def test_the_mistakes_give_the_numbers_that_are_noted_for_them(whole):
    texts = {variant.name: trusted(variant.text, variant.name) for variant in whole.wrong}

    def answer(name, function, *args):
        return texts[name].call((function,), args, {}, tensors=False)

    assert answer("two_biases_as_in_the_library", "layer_parameters", "recurrence", 128, 2) == 33_024
    assert answer("messages_without_a_bias", "layer_parameters", "messages", 128, 2) == 32_768
    assert answer("messages_without_a_bias", "total_parameters", "messages", 64, 128, 2, 2) == 2_064_384
    assert answer("without_the_current_position", "receptive_field", 6, 2, 2) == 63
    assert answer("without_the_current_position", "layers_needed", "convolution", 64, 2, 2) == 7
    assert answer("without_the_current_position", "total_parameters", "convolution", 64, 128, 2, 2) == 230_272
    assert answer("taps_in_place_of_gaps", "receptive_field", 6, 2, 2) == 127
    assert answer("a_hop_for_every_node", "total_parameters", "messages", 64, 128, 2, 2) == 2_105_344
    assert answer("weights_for_every_step", "total_parameters", "recurrence", 64, 128, 2, 2) == 2_105_344


@pytest.mark.parametrize("architecture", ARCHITECTURES)
@pytest.mark.parametrize(("kernel", "base"), [(2, 1), (2, 2), (3, 2), (2, 3), (3, 5), (4, 4)])
def test_what_is_reached_is_found_by_search(architecture, kernel, base):
    for length, layers in product((2, 7, 30), range(4)):
        wanted = found_by_search(architecture, length, layers, kernel, base)
        assert fields.reached(architecture, length, layers, kernel, base) == wanted


@pytest.mark.parametrize(("kernel", "base"), [(2, 1), (2, 2), (3, 1), (3, 2), (3, 3), (5, 5), (5, 2)])
def test_the_layers_needed_are_the_first_with_which_a_search_arrives(kernel, base):
    for architecture, length in product(ARCHITECTURES, (2, 3, 5, 9, 10, 26)):
        arrives = (n for n in range(length) if found_by_search(architecture, length, n, kernel, base)[0])
        assert fields.layers_needed(architecture, length, kernel, base) == next(arrives)


@pytest.mark.parametrize(("kernel", "base"), [(2, 1), (2, 2), (3, 5), (4, 2)])
def test_the_receptive_field_ends_at_the_farthest_input_of_a_long_sequence(kernel, base):
    for layers in range(4):
        seen = found_by_search("convolution", 200, layers, kernel, base)
        assert fields.receptive_field(layers, kernel, base) == 200 - seen.index(True)


def modules(width=3, layers=2, kernel=3, base=2):
    return {
        "recurrence": (fields.Recurrence(width), 1),
        "convolution": (fields.DilatedStack(width, layers, kernel, base), layers),
        "messages": (fields.MessagePassing(width, layers), layers),
    }


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_a_module_learns_as_many_numbers_as_its_layers_count(architecture):
    net, layers = modules()[architecture]
    assert probes.settle(net, 0.1, 0.2, 0) == layers * fields.layer_parameters(architecture, 3, 3)


def test_the_recurrence_is_its_formula_entry_by_entry():
    net, x = fields.Recurrence(3), torch.randn(5, 3)
    u, b, w = (p.tolist() for p in (net.from_input.weight, net.from_input.bias, net.from_state.weight))
    h = [0.0] * 3
    for row, got in zip(x.tolist(), net(x).tolist(), strict=True):
        h = [math.tanh(b[i] + sum(u[i][j] * row[j] + w[i][j] * h[j] for j in range(3))) for i in range(3)]
        assert got == pytest.approx(h, abs=1e-12)


def test_the_stack_is_its_formula_entry_by_entry():
    net, x = fields.DilatedStack(2, 3, 3, 2), torch.randn(9, 2)
    h = x.tolist()
    for layer, convolution in enumerate(net.convolutions):
        weight, b = convolution.weight.tolist(), convolution.bias.tolist()
        new = []
        for t in range(9):
            taps = [
                (2 - j, t - j * 2**layer) for j in range(3) if t >= j * 2**layer
            ]  # the library's oldest tap is first
            sums = [b[i] + sum(weight[i][j][tap] * h[s][j] for tap, s in taps for j in range(2)) for i in range(2)]
            new.append([math.tanh(number) for number in sums])
        h = new
    np.testing.assert_allclose(net(x).detach().numpy(), h, atol=1e-12)


def test_message_passing_is_its_formula_node_by_node():
    net, x = fields.MessagePassing(2, 3), torch.randn(6, 2)
    h = x.tolist()
    for own, others in zip(net.own, net.others, strict=True):
        w0, b, w1 = own.weight.tolist(), own.bias.tolist(), others.weight.tolist()
        new = []
        for t in range(6):
            near = [h[s] for s in (t - 1, t + 1) if 0 <= s < 6]
            sums = [
                b[i] + sum(w0[i][j] * h[t][j] + w1[i][j] * sum(row[j] for row in near) for j in range(2))
                for i in range(2)
            ]
            new.append([math.tanh(number) for number in sums])
        h = new
    np.testing.assert_allclose(net(x).detach().numpy(), h, atol=1e-12)


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_autograd_reaches_what_the_search_reaches_at_random_weights(architecture):
    net, layers = modules(base=4)[architecture]
    x = torch.randn(12, 3)
    jacobian = torch.autograd.functional.jacobian(net, x).abs().sum(dim=(1, 3)).numpy()
    assert (jacobian[-1] != 0).tolist() == found_by_search(architecture, 12, layers, 3, 4)
    if architecture != "messages":
        assert not np.triu(jacobian, 1).any()


def test_the_probe_measures_derivatives():
    net, x = fields.MessagePassing(3, 2), torch.randn(6, 3)
    summed = torch.autograd.functional.jacobian(lambda x: net(x).sum(dim=1), x).abs().sum(dim=2)
    measured = probes.reach(net, x, [0, 4])
    torch.testing.assert_close(measured["slopes"], summed[[0, 4]])
    torch.testing.assert_close(measured["outputs"], net(x))
    assert not probes.reach(torch.ones_like, x, [0])["slopes"].any()
    assert not probes.reach(lambda x: x.detach().tanh(), x, [0])["slopes"].any()


def test_what_is_settled_lies_between_the_bounds_and_is_the_same_for_the_same_seed():
    net = fields.MessagePassing(3, 2)
    first, again, other = ((probes.settle(net, 0.1, 0.3, seed), _learned(net))[1] for seed in (7, 7, 8))
    assert torch.equal(first, again)
    assert not torch.equal(first, other)
    assert bool(((first >= 0.1) & (first <= 0.3)).all())
    assert len(first.unique()) == len(first)


def _learned(net):
    return torch.cat([parameter.detach().flatten() for parameter in net.parameters()])


def test_at_64_positions_the_derivatives_of_the_checks_are_far_above_what_underflows():
    x = torch.randn(64, 4)
    for net in (fields.Recurrence(4), fields.DilatedStack(4, 6, 2, 2), fields.MessagePassing(4, 63)):
        probes.settle(net, 0.1 / 4, 0.3 / 4, 0)
        assert probes.reach(net, x, [63])["slopes"][0, 0] > 1e-150


def test_the_reversed_path_gives_the_reversed_output_and_the_other_two_do_not():
    for architecture, (net, _) in modules().items():
        x = torch.randn(7, 3)
        same = torch.allclose(net(x.flip(0)), net(x).flip(0), rtol=0, atol=1e-12)
        assert same == (architecture == "messages")


def test_a_change_of_the_input_cannot_be_told_from_rounding_and_a_derivative_can():
    """The library's layer as it comes: the first input's effect drowns in the output's last digit."""
    net = torch.nn.RNN(128, 128)
    x = torch.randn(64, 128)
    slope = float(probes.reach(lambda x: net(x)[0], x, [63])["slopes"][0, 0])
    assert 0 < slope < 1e-12
    moved = x.clone()
    moved[0] += 1e-3
    assert float((net(moved)[0][63] - net(x)[0][63]).detach().abs().max()) < 1e-14


def judged(whole, text, name, **example):
    return bench(whole, "float64").run(whole.check(name), example, trusted(text, "answer", whole.probes), Log()).status


X = np.random.default_rng(3).normal(size=(64, 2))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("return torch.stack(states)", "return torch.stack(states) * 1e-60 + torch.stack(states).detach()"),
        (
            "# END SOLUTION\n\n    def forward",
            "[torch.nn.init.zeros_(p) for p in self.parameters()]\n\n    def forward",
        ),
        ("# END SOLUTION\n\n    def forward", "[p.data.mul_(1000) for p in self.parameters()]\n\n    def forward"),
    ],
    ids=["derivatives of 1e-100", "zeros to start with", "saturated to start with"],
)
def test_a_dependence_counts_however_small_and_whatever_the_initial_values(whole, old, new):
    assert old in whole.reference
    text = whole.reference.replace(old, new)
    assert judged(whole, text, "states_depend_on_all_before", x=X, seed=1) is Status.PASSED


def test_a_leak_that_no_tolerance_would_see_is_a_dependence(whole):
    text = whole.reference.replace("return h.T\n", "return h.T + 1e-30 * x.flip(0)\n")
    example = {"x": X[:12], "seed": 1, "layers": 2, "kernel": 2, "base": 2}
    assert judged(whole, text, "stack_is_causal", **example) is Status.FAILED
    assert judged(whole, whole.reference, "stack_is_causal", **example) is Status.PASSED


def test_the_visible_outputs_are_those_of_one_number_a_position():
    """With all that is learned at 1/4 every position holds one number twice, and plain loops are enough."""
    s, c = visible.X.sum(axis=1).tolist(), 0.25

    def at(values, t):
        return values[t] if 0 <= t < len(values) else 0.0

    recurrence = []
    for number in s:
        recurrence.append(math.tanh(c * number + c * 2 * at(recurrence, len(recurrence) - 1) + c))
    stack = messages = s
    for layer in range(2):
        stack = [2 * math.tanh(c * (stack[t] + at(stack, t - 2**layer)) + c) for t in range(4)]
        messages = [2 * math.tanh(c * (at(messages, t - 1) + messages[t] + at(messages, t + 1)) + c) for t in range(4)]
    for net, wanted in (
        (fields.Recurrence(2), recurrence),
        (fields.DilatedStack(2, 2, 2, 2), [number / 2 for number in stack]),
        (fields.MessagePassing(2, 2), [number / 2 for number in messages]),
    ):
        probes.settle(net, c, c, 0)
        np.testing.assert_allclose(net(torch.tensor(visible.X)).detach(), np.array([wanted, wanted]).T, atol=1e-12)


def test_the_picture_is_what_its_script_draws_and_its_counts_are_right():
    script = _load(ROOT / "docs" / "pictures" / "make_receptive_fields.py")
    assert (ROOT / "problems" / SLUG / "reaches.svg").read_text(encoding="utf-8") == script.svg()
    for architecture, panel in zip(ARCHITECTURES, script.PANELS, strict=True):
        layers, waits = (f(architecture, 8, 2, 2) for f in (fields.layers_needed, fields.stages))
        assert panel[1] == f"{layers} layer{'s' * (layers > 1)}, {waits} stages"
