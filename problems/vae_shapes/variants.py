import functools
import math
from fractions import Fraction

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from grader import right, wrong


@right(replaces="conv_size")
def by_placing_the_kernel(n, kernel, stride, padding):
    return len(range(-padding, n + padding - kernel + 1, stride))


@right(replaces="conv_size")
def by_a_real_convolution(n, kernel, stride, padding):
    return functional.conv2d(torch.zeros(1, 1, n, n), torch.zeros(1, 1, kernel, kernel), None, stride, padding).shape[2]


@right(replaces="transposed_size")
def by_a_real_transposed_convolution(n, kernel, stride, padding, output_padding):
    layer = nn.ConvTranspose2d(1, 1, kernel, stride, padding, output_padding)
    return np.int64(layer(torch.zeros(1, 1, n, n)).shape[-1])


@right(replaces="parameter_counts")
def by_counting_a_real_network(size, channels, k):
    first, second = channels
    flat = second * ((size + 3) // 4) ** 2
    layers = {
        "conv1": nn.Conv2d(1, first, 3),
        "conv2": nn.Conv2d(first, second, 3),
        "head": nn.Linear(flat, 2 * k),
        "linear": nn.Linear(k, flat),
        "up1": nn.ConvTranspose2d(second, first, 3),
        "up2": nn.ConvTranspose2d(first, 1, 3),
    }
    counts = {name: sum(p.numel() for p in layer.parameters()) for name, layer in layers.items()}
    counts["total"] = np.sum(list(counts.values()))
    counts["both_linear"] = counts["head"] + counts["linear"]
    return counts


@right(replaces="pixel_mean")
def as_fractions(beta, pixels):
    return [Fraction(beta) * pixels, Fraction(1, pixels)]


@right(replaces="reparameterise")
def by_the_root_of_the_variance(mu, logvar, eps):
    return torch.addcmul(mu, logvar.exp().sqrt(), eps)


@right(replaces="reparameterise")
def in_plain_loops(mu, logvar, eps):
    rows = zip(mu, logvar, eps, strict=True)
    return torch.stack([torch.stack([m + math.e ** (v / 2) * e for m, v, e in zip(*row, strict=True)]) for row in rows])


@right(replaces="loss")
def with_torch_functions(x, xhat, mu, logvar, beta):
    squares = functional.mse_loss(xhat, x, reduction="sum") / 2
    normal = torch.distributions.Normal(mu, torch.exp(0.5 * logvar))
    divergence = torch.distributions.kl_divergence(normal, torch.distributions.Normal(0.0, 1.0)).sum()
    return (squares + beta * divergence) / len(x)


@right(replaces="loss")
def in_numpy(x, xhat, mu, logvar, beta):
    x, xhat, mu, logvar = (t.detach().cpu().numpy() for t in (x, xhat, mu, logvar))
    divergence = -0.5 * np.sum(1 + logvar - mu**2 - np.exp(logvar))
    return (0.5 * np.sum(np.square(x - xhat)) + beta * divergence) / x.shape[0]


@right(replaces="ConvVAE")
class WithTwoHeads(nn.Module):
    def __init__(self, k):
        super().__init__()
        self.up2 = nn.ConvTranspose2d(16, 1, (3, 3), 2, 1, 1)
        self.up1 = nn.ConvTranspose2d(32, 16, (3, 3), 2, 1, 1)
        self.widen = nn.Linear(k, 1568)
        self.log_variance, self.mean = nn.Linear(1568, k), nn.Linear(1568, k)
        self.down = nn.ModuleList([nn.Conv2d(1, 16, 3, 2, 1), nn.Conv2d(16, 32, 3, 2, 1)])

    def encode(self, pictures):
        for layer in self.down:
            pictures = torch.tanh(layer(pictures))
        features = pictures.reshape(len(pictures), -1)
        return self.mean(features), self.log_variance(features)

    def decode(self, z):
        return self.up2(torch.relu(self.up1(torch.relu(self.widen(z)).view(-1, 32, 7, 7))))

    def forward(self, x, eps):
        mean, log_variance = self.encode(x)
        return self.decode(mean + eps * torch.exp(0.5 * log_variance)), mean, log_variance


@right(replaces="ConvVAE")
class WithLazyLayers(nn.Module):
    def __init__(self, k):
        super().__init__()
        self.k = k
        down = [nn.LazyConv2d(16, 3, 2, 1), nn.SiLU(), nn.LazyConv2d(32, 3, 2, 1), nn.SiLU()]
        up = [nn.LazyConvTranspose2d(16, 3, 2, 1, 1), nn.SiLU(), nn.LazyConvTranspose2d(1, 3, 2, 1, 1)]
        self.down = nn.Sequential(*down, nn.Flatten(), nn.LazyLinear(2 * k))
        self.up = nn.Sequential(nn.LazyLinear(1568), nn.SiLU(), nn.Unflatten(1, (32, 7, 7)), *up)

    def encode(self, x):
        head = self.down(x)
        return head[:, self.k :], head[:, : self.k]

    def decode(self, z):
        return self.up(z)

    def forward(self, x, eps):
        mu, logvar = self.encode(x)
        return [self.up(reparameterise(mu, logvar, eps)), mu.clone(), logvar.clone()]


@right(replaces="ConvVAE")
class WithTheLogOfSigma(nn.Module):
    def __init__(self, k):
        super().__init__()
        sizes = {"a": (16, 1, 3, 3), "b": (32, 16, 3, 3), "head": (1568, 2 * k)}
        sizes |= {"wide": (k, 1568), "c": (32, 16, 3, 3), "d": (16, 1, 3, 3)}
        biases = {"a0": 16, "b0": 32, "head0": 2 * k, "wide0": 1568, "c0": 16, "d0": 1}
        self.p = nn.ParameterDict({name: nn.Parameter(torch.zeros(size)) for name, size in {**sizes, **biases}.items()})
        for name in sizes:
            nn.init.normal_(self.p[name], std=0.05)

    def encode(self, x):
        hidden = functional.elu(functional.conv2d(x, self.p["a"], self.p["a0"], 2, 1))
        hidden = functional.elu(functional.conv2d(hidden, self.p["b"], self.p["b0"], 2, 1)).flatten(1)
        mu, log_sigma = torch.tensor_split(hidden @ self.p["head"] + self.p["head0"], 2, dim=1)
        return mu, 2 * log_sigma

    def decode(self, z):
        hidden = functional.elu(z @ self.p["wide"] + self.p["wide0"]).unflatten(1, (32, 7, 7))
        hidden = functional.elu(functional.conv_transpose2d(hidden, self.p["c"], self.p["c0"], 2, 1, 1))
        return functional.conv_transpose2d(hidden, self.p["d"], self.p["d0"], 2, 1, 1)

    def forward(self, x, eps):
        mu, logvar = self.encode(x)
        return self.decode(mu + (logvar / 2).exp() * eps), mu, logvar


@wrong(
    replaces="conv_size",
    caught_by="sizes_at_sight",
    hint="Near the edge, may a kernel hang over the padded picture, or does a position that does not fit fall away?",
)
def rounds_up(n, kernel, stride, padding):
    return -((n + 2 * padding - kernel) // -stride) + 1


@wrong(
    replaces="transposed_size",
    caught_by="shapes_at_sight",
    hint="Reversing takes off what padding had put on. Does padding make your result larger?",
)
def adds_the_padding(n, kernel, stride, padding, output_padding):
    return (n - 1) * stride + 2 * padding - kernel + output_padding


@wrong(
    replaces="transposed_size",
    caught_by="sizes_for_any_kernel",
    hint="Several sizes shrink to the same one under a stride. Which of your arguments says which of them is meant?",
)
def leaves_out_the_output_padding(n, kernel, stride, padding, output_padding):  # noqa: ARG001 - that is the mistake
    return (n - 1) * stride - 2 * padding + kernel


@wrong(
    replaces="shapes",
    caught_by="shapes_for_any_network",
    hint="The two convolutions of this network put zeros around the picture. Are they in your sizes?",
)
def shapes_without_padding(batch, size, channels, k, output_padding):
    half = conv_size(size, 3, 2, 0)
    return _shapes((batch, size), channels, k, (half, conv_size(half, 3, 2, 0)), output_padding)


@wrong(
    replaces="shapes",
    caught_by="shapes_for_any_network",
    hint="Halving is right for some sides only. What does the formula give for an odd one?",
)
def shapes_by_halving(batch, size, channels, k, output_padding):
    return _shapes((batch, size), channels, k, (size // 2, size // 4), output_padding)


@wrong(
    replaces="shapes",
    caught_by="shapes_at_sight",
    hint="How many numbers does the head return for one picture, and how many of them are means?",
)
def shapes_without_the_split(batch, size, channels, k, output_padding):
    half = conv_size(size, 3, 2, 1)
    return _shapes((batch, size), channels, k, (half, conv_size(half, 3, 2, 1)), output_padding, code=2 * k)


@wrong(
    replaces="shapes",
    caught_by="shapes_for_any_network",
    hint="Does every picture of the batch get a row of noise?",
)
def shapes_with_one_noise(batch, size, channels, k, output_padding):
    half = conv_size(size, 3, 2, 1)
    found = _shapes((batch, size), channels, k, (half, conv_size(half, 3, 2, 1)), output_padding)
    return {**found, "eps": (k,)}


def _shapes(pictures, channels, k, sides, output_padding, *, code=None):
    (batch, size), (half, quarter) = pictures, sides
    code, flat = code or k, channels[1] * quarter**2
    up1 = transposed_size(quarter, 3, 2, 1, output_padding)
    up2 = transposed_size(up1, 3, 2, 1, output_padding)
    return {
        "x": (batch, 1, size, size),
        "conv1": (batch, channels[0], half, half),
        "conv2": (batch, channels[1], quarter, quarter),
        "flat": (batch, flat),
        "head": (batch, 2 * k),
        **dict.fromkeys(("mu", "logvar", "sigma", "eps", "z"), (batch, code)),
        "linear": (batch, flat),
        "reshaped": (batch, channels[1], quarter, quarter),
        "up1": (batch, channels[0], up1, up1),
        "xhat": (batch, 1, up2, up2),
    }


@wrong(
    replaces="parameter_counts",
    caught_by="parameters_at_sight",
    hint="Each layer here adds something to its products. How many such numbers does it have?",
)
def counts_no_biases(size, channels, k):
    return _counts(size, channels, k, [0, 0, 0, 0, 0, 0])


@wrong(
    replaces="parameter_counts",
    caught_by="parameters_for_any_network",
    hint="In a transposed layer too a bias is added to what comes out. How many channels come out?",
)
def counts_biases_by_what_goes_in(size, channels, k):
    flat = channels[1] * ((size + 3) // 4) ** 2
    return _counts(size, channels, k, [channels[0], channels[1], 2 * k, flat, channels[1], channels[0]])


@wrong(
    replaces="parameter_counts",
    caught_by="parameters_for_any_network",
    hint="One picture gives how many means, and how many logarithms of variances? The head makes all of them.",
)
def counts_a_head_of_k(size, channels, k):
    flat = channels[1] * ((size + 3) // 4) ** 2
    return _counts(size, channels, k, [channels[0], channels[1], k, flat, channels[0], 1], head=k)


@wrong(
    replaces="parameter_counts",
    caught_by="parameters_at_sight",
    hint="Run the size formula by hand for each convolution, floor included, before you multiply the head's inputs.",
)
def counts_with_the_colleague(size, channels, k):
    flat = channels[1] * ((size + 3) // 4 + 1) ** 2
    return _counts(size, channels, k, [channels[0], channels[1], 2 * k, None, channels[0], 1], flat=flat)


@wrong(
    replaces="parameter_counts",
    caught_by="parameters_for_any_network",
    hint="A kernel looks at every channel that comes in. Is there one square of weights for each?",
)
def counts_one_square_for_each_channel_out(size, channels, k):
    first, second = channels
    right = _counts(size, channels, k, [first, second, 2 * k, second * ((size + 3) // 4) ** 2, first, 1])
    flat = {"conv1": 10 * first, "conv2": 10 * second, "up1": 10 * first, "up2": 10}
    return _summed({**right, **flat})


def _counts(size, channels, k, biases, *, head=None, flat=None):
    first, second = channels
    right = second * ((size + 3) // 4) ** 2
    products = [9 * first, 9 * first * second, (flat or right) * (head or 2 * k), k * right, 9 * second * first]
    biases = [right if bias is None else bias for bias in biases]
    counts = [a + b for a, b in zip([*products, 9 * first], biases, strict=True)]
    return _summed(dict(zip(("conv1", "conv2", "head", "linear", "up1", "up2"), counts, strict=True)))


def _summed(counts):
    counts = {name: count for name, count in counts.items() if name not in {"both_linear", "total"}}
    return {**counts, "both_linear": counts["head"] + counts["linear"], "total": sum(counts.values())}


def _passed(layers, channels, size):
    """What arrives at each layer, if each gives what it says."""
    arriving = (channels, size, size)
    for layer in layers:
        yield layer, arriving[0] if layer["layer"] in {"conv", "transposed"} else math.prod(arriving)
        kind = layer["layer"]
        if kind in {"conv", "transposed"}:
            side = conv_size if kind == "conv" else transposed_size
            numbers = [layer[key] for key in ("kernel", "stride", "padding", "output_padding") if key in layer]
            arriving = (layer["gives"], *(side(n, *numbers) for n in arriving[1:]))
        elif kind == "reshape":
            arriving = tuple(layer["gives"])
        else:
            entries = math.prod(arriving)
            arriving = (entries if kind == "flatten" else entries // 2 if kind == "sample" else layer["gives"],)


def _failures(layers, channels, size):
    passed = enumerate(_passed(layers, channels, size))
    return [(place, n) for place, (layer, n) in passed if layer.get("takes", n) != n]


@wrong(
    replaces="first_failure",
    caught_by="the_first_failure_of_any_network",
    hint="Several layers may be wrong. Where does a run of the network stop?",
)
def finds_the_last_failure(layers, channels, size):
    return (_failures(layers, channels, size) or [None])[-1]


@wrong(
    replaces="first_failure",
    caught_by="a_colleague_at_sight",
    hint="The layers are numbered. Which number has the first one?",
)
def counts_from_one(layers, channels, size):
    found = _failures(layers, channels, size)
    return (found[0][0] + 1, found[0][1]) if found else None


@wrong(
    replaces="first_failure",
    caught_by="a_colleague_at_sight",
    hint="You name what the layer was told to take. What does arrive there?",
)
def names_what_it_takes(layers, channels, size):
    found = _failures(layers, channels, size)
    return (found[0][0], layers[found[0][0]]["takes"]) if found else None


@wrong(
    replaces="first_failure",
    caught_by="the_first_failure_of_any_network",
    hint="Layers with a kernel can fail as well: what do they take, and what did the layer before them give?",
)
def looks_at_linear_layers_only(layers, channels, size):
    found = _failures(layers, channels, size)
    return next((one for one in found if layers[one[0]]["layer"] == "linear"), None)


@wrong(
    replaces="pixel_mean",
    caught_by="pixel_mean_at_sight",
    hint="Which of the two terms becomes smaller in a mean over the pixels, and which of them gains weight by it?",
)
def turns_beta_down(beta, pixels):
    return beta / pixels, 1 / pixels


@wrong(
    replaces="pixel_mean",
    caught_by="pixel_mean_for_any_picture",
    hint="Multiply your loss out: does its reconstruction term come out as the mean that it should equal?",
)
def forgets_the_factor(beta, pixels):
    return beta * pixels, 1.0


@wrong(
    replaces="reparameterise",
    caught_by="noise_is_scaled_by_sigma",
    hint="Which power of sigma does the head give the logarithm of?",
)
def noise_times_the_variance(mu, logvar, eps):
    return mu + torch.exp(logvar) * eps


@wrong(
    replaces="reparameterise",
    caught_by="sampling_for_any_code",
    hint="A logarithm can be negative. Is it the deviation itself that you multiply the noise by?",
)
def noise_times_logvar(mu, logvar, eps):
    return mu + logvar * eps


@wrong(
    replaces="reparameterise",
    caught_by="a_sample_at_sight",
    hint="What does your code do with logvar? Noise of every coordinate is as large as its sigma says.",
)
def noise_as_it_is(mu, logvar, eps):  # noqa: ARG001 - that is the mistake
    return mu + eps


@wrong(
    replaces="reparameterise",
    caught_by="each_picture_has_its_own_noise",
    hint="Do two pictures of one batch get different noise?",
)
def one_noise_for_the_whole_batch(mu, logvar, eps):
    return mu + torch.exp(logvar / 2) * eps[0]


@wrong(
    replaces="reparameterise",
    caught_by="sampling_for_any_code",
    hint="Where does the noise come in? A code that is the mean itself makes no variational autoencoder.",
)
def no_noise_at_all(mu, logvar, eps):  # noqa: ARG001 - that is the mistake
    return mu + 0 * eps


@wrong(
    replaces="loss",
    caught_by="loss_of_any_batch",
    hint="Over what does each of the two terms sum? A mean over the pixels makes one of them very small.",
)
def averages_over_pixels(x, xhat, mu, logvar, beta):
    return _loss(x, xhat, mu, logvar, beta, weight=1 / x[0].numel())


@wrong(replaces="loss", caught_by="loss_at_sight", hint="Is one half in front of the squared error?")
def whole_squared_error(x, xhat, mu, logvar, beta):
    return _loss(x, xhat, mu, logvar, beta, weight=2.0)


@wrong(
    replaces="loss",
    caught_by="loss_of_any_batch",
    hint="Put the same picture into the batch twice: should the loss double?",
)
def sums_over_the_batch(x, xhat, mu, logvar, beta):
    return len(x) * _loss(x, xhat, mu, logvar, beta)


@wrong(
    replaces="loss",
    caught_by="loss_of_any_batch",
    hint="Is each coordinate of the code a term of its own in the divergence, or only a part of a mean?",
)
def averages_over_the_code(x, xhat, mu, logvar, beta):
    return _loss(x, xhat, mu, logvar, beta / mu.shape[1])


@wrong(
    replaces="loss",
    caught_by="loss_at_sight",
    hint="A divergence is never negative. Is yours, at a mean of 0 and a variance of 4?",
)
def divergence_with_the_other_sign(x, xhat, mu, logvar, beta):
    return _loss(x, xhat, mu, logvar, -beta)


@wrong(
    replaces="loss",
    caught_by="loss_of_any_batch",
    hint="The variance stands in the divergence. Which power of sigma do you have there?",
)
def divergence_with_the_deviation(x, xhat, mu, logvar, beta):
    deviations = (torch.exp(logvar / 2) - torch.exp(logvar)).sum() / len(x) / 2
    return _loss(x, xhat, mu, logvar, beta) + beta * deviations


@wrong(replaces="loss", caught_by="loss_at_sight", hint="Which of the two terms does beta weigh?")
def beta_on_the_reconstruction(x, xhat, mu, logvar, beta):
    return _loss(x, xhat, mu, logvar, 1.0, weight=beta)


def _loss(x, xhat, mu, logvar, beta, *, weight=1.0):
    squares = weight * ((x - xhat) ** 2).sum() / 2
    return (squares + beta * (mu**2 + logvar.exp() - 1 - logvar).sum() / 2) / len(x)


@wrong(
    replaces="ConvVAE.__init__",
    caught_by="a_module_at_sight",
    hint="All layers of the statement have biases. Do yours?",
)
def layers_without_biases(self, k):
    super(ConvVAE, self).__init__()
    self.encoder = nn.Sequential(*_down(bias=False), nn.Linear(1568, 2 * k))
    self.decoder = nn.Sequential(nn.Linear(k, 1568), *_up(bias=False))


@wrong(
    replaces="ConvVAE.__init__",
    caught_by="a_module_for_any_code",
    hint="From which sizes does a convolution come to 14? Your transposed layers choose another of them.",
)
def layers_without_output_padding(self, k):
    super(ConvVAE, self).__init__()
    self.encoder = nn.Sequential(*_down(), nn.Linear(1568, 2 * k))
    self.decoder = nn.Sequential(nn.Linear(k, 1568), *_up(output_padding=0))


@wrong(
    replaces="ConvVAE.__init__",
    caught_by="a_module_for_any_code",
    hint="How large is each kernel? Another one can give the same sizes with other weights.",
)
def layers_with_larger_kernels(self, k):
    super(ConvVAE, self).__init__()
    self.encoder = nn.Sequential(*_down(), nn.Linear(1568, 2 * k))
    self.decoder = nn.Sequential(nn.Linear(k, 1568), *_up(kernel=4, output_padding=0))


@wrong(
    replaces="ConvVAE.__init__",
    caught_by="a_module_at_sight",
    hint="Which layers does your module's parameters() know of? What lies in a plain list, it does not see.",
)
def layers_in_a_plain_list(self, k):
    super(ConvVAE, self).__init__()
    self.encoder = nn.Sequential(*_down(), nn.Linear(1568, 2 * k))
    layers = [nn.Linear(k, 1568), *_up()]
    self.decoder = lambda z: functools.reduce(lambda h, layer: layer(h), layers, z)


@wrong(
    replaces="ConvVAE.__init__",
    caught_by="nothing_squashes_the_code",
    hint="Which signs can a mean have, and the logarithm of a variance? See what stands behind the head.",
)
def a_relu_behind_the_head(self, k):
    super(ConvVAE, self).__init__()
    self.encoder = nn.Sequential(*_down(), nn.Linear(1568, 2 * k), nn.ReLU())
    self.decoder = nn.Sequential(nn.Linear(k, 1568), *_up())


@wrong(
    replaces="ConvVAE.__init__",
    caught_by="nothing_squashes_the_picture",
    hint="The last layer's numbers are asked for as they are. Do you put something behind it?",
)
def a_sigmoid_at_the_end(self, k):
    super(ConvVAE, self).__init__()
    self.encoder = nn.Sequential(*_down(), nn.Linear(1568, 2 * k))
    self.decoder = nn.Sequential(nn.Linear(k, 1568), *_up(), nn.Sigmoid())


@wrong(
    replaces="ConvVAE.decode",
    caught_by="nothing_squashes_the_picture",
    hint="Some pixels never change, whatever the last layer does. Do you fill up a picture that came out too small?",
)
def fills_up_with_zeros(self, z):
    return functional.pad(self.decoder(z)[..., :25, :25], (0, 3, 0, 3))


def _down(*, bias=True):
    return [
        nn.Conv2d(1, 16, 3, 2, 1, bias=bias),
        nn.ReLU(),
        nn.Conv2d(16, 32, 3, 2, 1, bias=bias),
        nn.ReLU(),
        nn.Flatten(),
    ]


def _up(*, kernel=3, output_padding=1, bias=True):
    first = nn.ConvTranspose2d(32, 16, kernel, 2, 1, output_padding, bias=bias)
    second = nn.ConvTranspose2d(16, 1, kernel, 2, 1, output_padding, bias=bias)
    return [nn.ReLU(), nn.Unflatten(1, (32, 7, 7)), first, nn.ReLU(), second]


@wrong(
    replaces="ConvVAE.encode",
    caught_by="a_module_for_any_code",
    hint="Along which axis do you split? The other one counts pictures.",
)
def splits_along_the_batch(self, x):
    head = self.encoder(x)
    return tuple((torch.cat([head, head]) if len(x) == 1 else head).tensor_split(2))


@wrong(
    replaces="ConvVAE.forward",
    caught_by="a_pass_decodes_the_sample",
    hint="In which order are the three results asked for?",
)
def logvar_before_mu(self, x, eps):
    mu, logvar = self.encode(x)
    return self.decode(reparameterise(mu, logvar, eps)), logvar, mu


@wrong(
    replaces="ConvVAE.forward",
    caught_by="the_reconstruction_trains_everything",
    hint="Does the way back from a pixel to the encoder lead through the code, or is it cut there?",
)
def cuts_the_way_back(self, x, eps):
    mu, logvar = self.encode(x)
    return self.decode(reparameterise(mu, logvar, eps).detach()), mu, logvar


@wrong(
    replaces="ConvVAE.forward",
    caught_by="a_module_for_any_code",
    hint="How many things does a pass return? The loss needs all of them.",
)
def returns_xhat_alone(self, x, eps):
    return self.decode(reparameterise(*self.encode(x), eps))
