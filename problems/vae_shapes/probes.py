"""What is measured beside a student's ConvVAE. Parameters are told by their sizes, never by names or order.

What is not there counts as zero, and what has no place to be measured gives an empty list.
"""

import torch

_PERIOD = 997  # a prime number, so that no two rows or channels are moved alike


def parameter_sizes(net):
    """How many entries each parameter has, smallest first; those of lazy layers are there after a pass."""
    return sorted(parameter.numel() for parameter in net.parameters())


def shapes(net, x, eps):
    """The shapes of what a pass returns."""
    with torch.no_grad():
        return [list(part.shape) for part in net(x, eps)]


def code_shapes(net, x):
    """The shapes of what the encoder returns."""
    with torch.no_grad():
        return [list(part.shape) for part in net.encode(x)]


def picture_shape(net, z):
    """The shape of what the decoder returns."""
    with torch.no_grad():
        return list(net.decode(z).shape)


def shares(net, x, eps):
    """How each reconstruction's slope is shared out among the batch: rows are reconstructions.

    One table for the slopes with respect to the noise, one for those with respect to the pictures.
    """
    _stir(net, x, eps)
    inputs = [x.clone().requires_grad_(), eps.clone().requires_grad_()]
    slopes = [_slopes(_read(picture), inputs) for picture in net(*inputs)[0]]
    tables = [torch.stack([row.flatten(1).norm(dim=1) for row in rows]) for rows in zip(*slopes, strict=True)]
    of_x, of_eps = [table / table.sum(dim=1, keepdim=True).clamp_min(1e-30) for table in tables]
    return {"eps": of_eps, "x": of_x}


def noise_growth(net, x, eps, rise):
    """What becomes of (measured sigma) / exp(logvar / 2) when the biases of mu and logvar grow by ``rise``."""
    _stir(net, x, eps)
    before = noise_ratio(net, x, eps)
    _lift(net, eps.shape[1], rise)
    return noise_ratio(net, x, eps) / before


def noise_ratio(net, x, eps):
    """Sigma as measured, the slope along the noise by the slope along the code, over exp(logvar / 2).

    The net is taken as it stands, after any other measurement.
    """
    silence = torch.zeros_like(eps).requires_grad_()
    xhat, mu, logvar = net(x, silence)
    z = mu.detach().clone().requires_grad_()
    (along_noise,) = _slopes(_read(xhat), [silence])
    (along_code,) = _slopes(_read(net.decode(z)), [z])
    return along_noise / along_code / torch.exp(logvar.detach() / 2)


def code_rise(net, x, eps, rise):
    """How far mu rises where the biases of mu and logvar go from -2 rise to -rise, and from rise to 2 rise.

    Beside it, by how much the second rise of logvar is more than the first.
    """
    _complete(net, x, eps)
    codes = []
    for step in (-2 * rise, rise, 2 * rise, rise):
        _lift(net, eps.shape[1], step)
        with torch.no_grad():
            codes.append([part.clone() for part in net.encode(x)])
    rises = [[high - low for low, high in zip(*pair, strict=True)] for pair in (codes[:2], codes[2:])]
    (mu_low, logvar_low), (mu_high, logvar_high) = rises
    return {"mu": [mu_low, mu_high], "logvar, second less first": logvar_high - logvar_low}


def output_rise(net, x, eps, rise):
    """How far the pixels rise, least and most, with the last bias: from -2 rise to -rise, from rise to 2 rise."""
    _complete(net, x, eps)
    last = [parameter for parameter in net.parameters() if parameter.numel() == 1]
    if len(last) != 1:
        return []
    levels = []
    for level in (-2 * rise, -rise, rise, 2 * rise):
        last[0].data.fill_(level)
        with torch.no_grad():
            levels.append(net(x, eps)[0].clone())
    rises = [levels[1] - levels[0], levels[3] - levels[2]]
    return [[change.min().item(), change.max().item()] for change in rises]


def decoded_part(net, x, eps):
    """Which of what a pass returns, counted from 0, decodes to its xhat where there is no noise."""
    _stir(net, x, eps)
    with torch.no_grad():
        xhat, *parts = net(x, torch.zeros_like(eps))
        distances = [(net.decode(part) - xhat).abs().max().item() for part in parts]
    return 1 + distances.index(min(distances))


def forward_gap(net, x, eps):
    """How far xhat is from the decoded sample, relative to its largest pixel.

    The net is taken as it stands, after any other measurement.
    """
    with torch.no_grad():
        xhat, mu, logvar = net(x, eps)
        gap = net.decode(mu + torch.exp(logvar / 2) * eps) - xhat
    return (gap.abs().max() / xhat.abs().max()).item()


def untrained(net, x, eps):
    """How many parameters get no slope from the reconstruction."""
    _stir(net, x, eps)
    slopes = _slopes(_read(net(x, eps)[0]), list(net.parameters()))
    return sum(int(not slope.abs().max() > 0) for slope in slopes)


def _complete(net, x, eps):
    """Let lazy layers make their parameters, by a first pass."""
    with torch.no_grad():
        net(x, eps)


def _stir(net, x, eps):
    """Complete a net and move every parameter a little, the same way in every net, so that none is left at zero."""
    _complete(net, x, eps)
    parameters = list(net.parameters())
    most = max((parameter.numel() for parameter in parameters), default=0)
    wave = 0.02 * torch.cos(1.7 * torch.arange(_PERIOD, dtype=eps.dtype, device=eps.device) + 0.3)
    wave = wave.repeat(most // _PERIOD + 1)
    for parameter in parameters:
        parameter.data.add_(wave[: parameter.numel()].view(parameter.shape))


def _lift(net, k, rise):
    """Add to the biases of mu and logvar: one parameter of 2k entries, or two of k."""
    for parameter in net.parameters():
        if parameter.numel() in {k, 2 * k}:
            parameter.data.add_(rise)


def _read(picture):
    """One number that depends on every pixel, on none as on another."""
    weights = torch.cos(torch.arange(picture.numel(), dtype=picture.dtype, device=picture.device))
    return (picture.flatten() * weights).sum()


def _slopes(number, inputs):
    if not number.requires_grad:
        return [torch.zeros_like(one) for one in inputs]
    found = torch.autograd.grad(number, inputs, retain_graph=True, allow_unused=True)
    return [torch.zeros_like(one) if slope is None else slope for slope, one in zip(found, inputs, strict=True)]
