"""The reference of vae_shapes agrees with real layers, distributions, quadrature and the text's own numbers."""

import importlib.util
import math
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="the problem is in torch")
nn = torch.nn

ROOT = Path(__file__).parents[1]
TEXT = (28, [16, 32], 16)


def load(path, name):
    spec = importlib.util.spec_from_file_location(name, ROOT / path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def reference():
    return load("reference/vae_shapes.py", "reference_vae_shapes")


@pytest.fixture(scope="module")
def probes():
    return load("problems/vae_shapes/probes.py", "probes_vae_shapes")


@pytest.fixture
def net(reference):
    with torch.random.fork_rng():
        torch.manual_seed(3)
        return reference.ConvVAE(6).double()


@pytest.fixture
def inputs():
    generator = torch.Generator().manual_seed(4)
    shapes = ((3, 1, 28, 28), (3, 6))
    return [torch.randn(shape, generator=generator, dtype=torch.float64) for shape in shapes]


def test_the_sizes_of_the_text_are_28_14_7_and_back(reference):
    assert [reference.conv_size(n, 3, 2, 1) for n in (28, 14)] == [14, 7]
    assert [reference.transposed_size(n, 3, 2, 1, 1) for n in (7, 14)] == [14, 28]


def test_without_output_padding_the_sizes_are_13_and_25(reference):
    assert [reference.transposed_size(n, 3, 2, 1, 0) for n in (7, 13)] == [13, 25]
    found = reference.shapes(5, *TEXT, 0)
    assert (found["up1"], found["xhat"]) == ((5, 16, 13, 13), (5, 1, 25, 25))


def test_the_flattened_size_and_the_code_of_the_text(reference):
    found = reference.shapes(5, *TEXT, 1)
    assert (found["conv2"], found["flat"], found["head"]) == ((5, 32, 7, 7), (5, 1568), (5, 32))
    assert {found[key] for key in ("mu", "logvar", "sigma", "eps", "z")} == {(5, 16)}


def test_the_parameters_of_the_text_and_their_total(reference):
    found = reference.parameter_counts(*TEXT)
    layers = {"conv1": 160, "conv2": 4640, "head": 50208, "linear": 26656, "up1": 4624, "up2": 145}
    assert found == {**layers, "both_linear": 76864, "total": 86433}
    assert found["both_linear"] / found["total"] == pytest.approx(0.889, abs=5e-4)


def test_the_colleague_s_head_takes_2048_and_should_take_1568(reference):
    convolution = {"layer": "conv", "kernel": 3, "stride": 2, "padding": 1}
    layers = [{**convolution, "takes": 1, "gives": 16}, {**convolution, "takes": 16, "gives": 32}, {"layer": "flatten"}]
    head = {"layer": "linear", "takes": 32 * 8 * 8, "gives": 32}
    assert reference.first_failure([*layers, head], 1, 28) == (3, 1568)
    assert reference.first_failure([*layers, {**head, "takes": 1568}], 1, 28) is None


@pytest.mark.parametrize("numbers", [(3, 2, 1), (5, 3, 2), (4, 4, 0), (6, 2, 3)])
def test_sizes_are_those_of_real_layers(reference, numbers):
    for n in range(6, 20):
        convolution, transposed = nn.Conv2d(1, 1, *numbers), nn.ConvTranspose2d(1, 1, *numbers, output_padding=1)
        assert reference.conv_size(n, *numbers) == convolution(torch.zeros(1, 1, n, n)).shape[-1]
        assert reference.transposed_size(n, *numbers, 1) == transposed(torch.zeros(1, 1, n, n)).shape[-1]


def network(size, channels, k, output_padding):
    (first, second), flat = channels, channels[1] * math.ceil(size / 4) ** 2
    side = math.ceil(size / 4)
    up = {"kernel_size": 3, "stride": 2, "padding": 1, "output_padding": output_padding}
    return {
        "conv1": nn.Conv2d(1, first, 3, 2, 1),
        "conv2": nn.Conv2d(first, second, 3, 2, 1),
        "flat": nn.Flatten(),
        "head": nn.Linear(flat, 2 * k),
        "z": lambda head: head[:, :k],
        "linear": nn.Linear(k, flat),
        "reshaped": nn.Unflatten(1, (second, side, side)),
        "up1": nn.ConvTranspose2d(second, first, **up),
        "xhat": nn.ConvTranspose2d(first, 1, **up),
    }


@pytest.mark.parametrize("output_padding", [0, 1])
@pytest.mark.parametrize("size", [2, 21, 28, 31])
def test_shapes_and_parameters_are_those_of_a_real_network(reference, size, output_padding):
    layers, h = network(size, (4, 6), 5, output_padding), torch.zeros(3, 1, size, size)
    shapes, counts = reference.shapes(3, size, [4, 6], 5, output_padding), reference.parameter_counts(size, [4, 6], 5)
    for name, layer in layers.items():
        h = layer(h)
        assert shapes[name] == tuple(h.shape)
        if isinstance(layer, nn.Module) and name not in {"flat", "reshaped"}:
            assert counts["up2" if name == "xhat" else name] == sum(p.numel() for p in layer.parameters())


def real(layer):
    if layer["layer"] in {"flatten", "sample"}:
        return nn.Flatten() if layer["layer"] == "flatten" else lambda h: h.chunk(2, dim=1)[0]
    if layer["layer"] == "reshape":
        return lambda h: h.reshape(-1, *layer["gives"])
    if layer["layer"] == "linear":
        return nn.Linear(layer["takes"], layer["gives"])
    kind = nn.Conv2d if layer["layer"] == "conv" else nn.ConvTranspose2d
    numbers = {key: layer[key] for key in ("stride", "padding", "output_padding") if key in layer}
    return kind(layer["takes"], layer["gives"], layer["kernel"], **numbers)


@pytest.mark.parametrize("wrong", [0, 1, 3, 5, 7])
def test_the_first_failure_is_where_real_layers_stop(reference, wrong):
    layers = [
        {"layer": "conv", "takes": 2, "gives": 3, "kernel": 3, "stride": 2, "padding": 1},
        {"layer": "conv", "takes": 3, "gives": 5, "kernel": 4, "stride": 1, "padding": 0},
        {"layer": "flatten"},
        {"layer": "linear", "takes": 5 * 4 * 4, "gives": 8},
        {"layer": "sample"},
        {"layer": "linear", "takes": 4, "gives": 18},
        {"layer": "reshape", "takes": 18, "gives": [2, 3, 3]},
        {"layer": "transposed", "takes": 2, "gives": 1, "kernel": 3, "stride": 2, "padding": 1, "output_padding": 1},
    ]
    assert reference.first_failure(layers, 2, 13) is None
    right, layers[wrong]["takes"] = layers[wrong]["takes"], 11
    assert reference.first_failure(layers, 2, 13) == (wrong, right)
    h = torch.zeros(1, 2, 13, 13)
    for layer in layers[:wrong]:
        h = real(layer)(h)
    with pytest.raises(RuntimeError):
        real(layers[wrong])(h)


def test_a_sample_has_the_mean_and_the_deviation_that_logvar_says(reference):
    mu, logvar = torch.tensor([[0.5, -2.0]]), torch.tensor([[math.log(0.25), math.log(4.0)]])
    z = [reference.reparameterise(mu, logvar, torch.full((1, 2), e)) for e in (-1.0, 0.0, 1.0)]
    torch.testing.assert_close(torch.cat(z), torch.tensor([[0.0, -4.0], [0.5, -2.0], [1.0, 0.0]]))


def test_the_divergence_is_that_of_a_quadrature(reference):
    nodes, weights = np.polynomial.hermite_e.hermegauss(20)
    mu, logvar = 0.7, math.log(2.5)
    z = mu + math.sqrt(2.5) * nodes
    log_ratio = -(nodes**2) / 2 - logvar / 2 + z**2 / 2
    wanted = np.sum(weights * log_ratio) / math.sqrt(2 * math.pi)
    x = torch.zeros(1, 1, 2, 2, dtype=torch.float64)
    code = [torch.tensor([[value]], dtype=torch.float64) for value in (mu, logvar)]
    assert reference.loss(x, x, *code, 3.0).item() == pytest.approx(3 * wanted, rel=1e-12)


def test_the_loss_is_a_mean_over_pictures_of_sums(reference):
    x, xhat = torch.zeros(2, 1, 3, 4), torch.ones(2, 1, 3, 4)
    xhat[1] = 2
    code = torch.zeros(2, 5)
    assert reference.loss(x, xhat, code, code, 9.0).item() == (12 / 2 + 4 * 12 / 2) / 2


def test_a_pixel_mean_is_beta_784_up_to_scale(reference, inputs):
    x, mu = inputs
    xhat, logvar = x.roll(1, 0), mu.roll(1, 1)
    beta, factor = reference.pixel_mean(1.0, 784)
    assert beta == 784
    divergence = reference.loss(x, x, mu, logvar, 1.0)
    averaged = 0.5 * ((x - xhat) ** 2).mean(dim=(1, 2, 3)).mean() + divergence
    torch.testing.assert_close(factor * reference.loss(x, xhat, mu, logvar, beta), averaged)


def test_the_module_has_the_parameters_and_shapes_that_are_counted(reference):
    net = reference.ConvVAE(16)
    assert sum(p.numel() for p in net.parameters()) == reference.parameter_counts(*TEXT)["total"]
    found = net(torch.zeros(5, 1, 28, 28), torch.zeros(5, 16))
    shapes = reference.shapes(5, *TEXT, 1)
    assert [tuple(part.shape) for part in found] == [shapes[key] for key in ("xhat", "mu", "logvar")]


def test_the_measured_sigma_is_that_of_central_differences(net, probes, inputs):
    x, eps = inputs
    torch.testing.assert_close(probes.noise_ratio(net, x, eps), torch.ones(3, 6, dtype=torch.float64))
    mu, logvar = net.encode(x)
    step = torch.zeros_like(eps)
    step[:, 2] = 1e-6
    along_noise = (net(x, eps + step)[0] - net(x, eps - step)[0]).flatten(1)
    z = mu + torch.exp(logvar / 2) * eps
    along_code = (net.decode(z + step) - net.decode(z - step)).flatten(1)
    best = (along_noise * along_code).sum(1) / (along_code**2).sum(1)
    torch.testing.assert_close(best, torch.exp(logvar[:, 2] / 2), rtol=1e-3, atol=0)


def test_the_probes_tell_a_shared_row_of_noise_and_a_variance_for_a_deviation(net, probes, inputs):
    x, eps = inputs
    forward = net.forward
    net.forward = lambda x, eps: forward(x, eps[:1].expand(len(x), -1))
    shared = probes.shares(net, x, eps)["eps"]
    torch.testing.assert_close(shared, torch.tensor([[1.0, 0, 0]], dtype=torch.float64).expand(3, 3))

    def squared(x, eps):
        mu, logvar = net.encode(x)
        return net.decode(mu + logvar.exp() * eps), mu, logvar

    net.forward = squared
    growth = probes.noise_growth(net, x, eps, 1.5)
    torch.testing.assert_close(growth, torch.full((3, 6), math.exp(0.75), dtype=torch.float64))
    torch.testing.assert_close(probes.noise_ratio(net, x, eps), torch.exp(net.encode(x)[1].detach() / 2))


def test_every_measure_of_the_reference_is_what_the_checks_want(reference, probes, inputs):
    x, eps = inputs

    def fresh():
        return reference.ConvVAE(6).double()

    own = torch.eye(3, dtype=torch.float64)
    found = probes.shares(fresh(), x, eps)
    torch.testing.assert_close([found["eps"], found["x"]], [own, own])
    assert probes.output_rise(fresh(), x, eps, 800.0) == [pytest.approx([800, 800])] * 2
    assert probes.decoded_part(fresh(), x, eps) == 1
    assert probes.forward_gap(fresh(), x, eps) == pytest.approx(0, abs=1e-12)
    assert probes.untrained(fresh(), x, eps) == 0
    rise = probes.code_rise(fresh(), x, eps, 2.0)
    torch.testing.assert_close(torch.stack(rise["mu"]), torch.full((2, 3, 6), 2.0, dtype=torch.float64))


def test_the_picture_is_what_its_script_draws():
    script = load("docs/pictures/make_vae_shapes.py", "make_vae_shapes")
    assert (ROOT / "problems" / "vae_shapes" / "shapes.svg").read_text(encoding="utf-8") == script.picture()
