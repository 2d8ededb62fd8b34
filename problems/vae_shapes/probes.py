"""What is measured beside a student's ConvVAE. Parameters are told by their sizes, never by names or order.

What is not there counts as zero, and what has no place to be measured gives an empty list.
"""

import torch


def parameter_sizes(net, x, eps):
    """How many entries each parameter has, smallest first; a first pass gives lazy layers theirs."""
    net(x, eps)
    return sorted(parameter.numel() for parameter in net.parameters())


def shapes(net, x, eps):
    """The shapes of what a pass returns."""
    return [list(part.shape) for part in net(x, eps)]


def code_shapes(net, x):
    """The shapes of what the encoder returns."""
    return [list(part.shape) for part in net.encode(x)]


def picture_shape(net, z):
    """The shape of what the decoder returns."""
    return list(net.decode(z).shape)


def shares(net, x, eps):
    """How each reconstruction's slope is shared out among the batch: rows are reconstructions.

    One table for the slopes with respect to the noise, one for those with respect to the pictures.
    """
    net(x, eps)
    _stir(net)
    inputs = [x.clone().requires_grad_(), eps.clone().requires_grad_()]
    slopes = [_slopes(_read(picture), inputs) for picture in net(*inputs)[0]]
    tables = [torch.stack([row.flatten(1).norm(dim=1) for row in rows]) for rows in zip(*slopes, strict=True)]
    of_x, of_eps = [table / table.sum(dim=1, keepdim=True).clamp_min(1e-30) for table in tables]
    return {"eps": of_eps, "x": of_x}


def noise_growth(net, x, eps, rise):
    """What becomes of (measured sigma) / exp(logvar / 2) when the biases of mu and logvar grow by ``rise``."""
    before = noise_ratio(net, x, eps)
    _lift(net, eps.shape[1], rise)
    return _ratio(net, x, eps) / before


def noise_ratio(net, x, eps):
    """Sigma as measured, the slope along the noise by the slope along the code, over exp(logvar / 2)."""
    net(x, eps)
    _stir(net)
    return _ratio(net, x, eps)


def _ratio(net, x, eps):
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
    net(x, eps)
    codes = []
    for step in (-2 * rise, rise, 2 * rise, rise):
        _lift(net, eps.shape[1], step)
        codes.append([part.detach().clone() for part in net.encode(x)])
    rises = [[high - low for low, high in zip(*pair, strict=True)] for pair in (codes[:2], codes[2:])]
    (mu_low, logvar_low), (mu_high, logvar_high) = rises
    return {"mu": [mu_low, mu_high], "logvar, second less first": logvar_high - logvar_low}


def output_rise(net, x, eps, rise):
    """How far the pixels rise, least and most, with the last bias: from -2 rise to -rise, from rise to 2 rise."""
    net(x, eps)
    last = [parameter for parameter in net.parameters() if parameter.numel() == 1]
    if len(last) != 1:
        return []
    levels = []
    for level in (-2 * rise, -rise, rise, 2 * rise):
        last[0].data.fill_(level)
        levels.append(net(x, eps)[0].detach().clone())
    rises = [levels[1] - levels[0], levels[3] - levels[2]]
    return [[change.min().item(), change.max().item()] for change in rises]


def decoded_part(net, x, eps):
    """Which of what a pass returns, counted from 0, decodes to its xhat where there is no noise."""
    net(x, eps)
    _stir(net)
    xhat, *parts = net(x, torch.zeros_like(eps))
    distances = [(net.decode(part) - xhat).abs().max().item() for part in parts]
    return 1 + distances.index(min(distances))


def forward_gap(net, x, eps):
    """How far xhat is from the decoded sample, relative to its largest pixel."""
    net(x, eps)
    _stir(net)
    xhat, mu, logvar = net(x, eps)
    gap = net.decode(mu + torch.exp(logvar / 2) * eps) - xhat
    return (gap.abs().max() / xhat.abs().max()).item()


def untrained(net, x, eps):
    """How many parameters get no slope from the reconstruction."""
    net(x, eps)
    _stir(net)
    slopes = _slopes(_read(net(x, eps)[0]), list(net.parameters()))
    return sum(int(not slope.abs().max() > 0) for slope in slopes)


def _stir(net):
    """Move every parameter a little, the same way in every net, so that none is left at zero."""
    for parameter in net.parameters():
        wave = torch.cos(1.7 * torch.arange(parameter.numel(), dtype=parameter.dtype, device=parameter.device) + 0.3)
        parameter.data.add_(0.02 * wave.view(parameter.shape))


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
