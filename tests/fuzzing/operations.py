# ruff: noqa: NPY002 - students write like this
"""A student's file that computes with all that numbers depend on; run in children and outside of them alike.

Every draw is seeded here, so that the numbers are the same wherever the same kernels compute them.
"""

import numpy as np


def with_numpy():
    """Results by operation."""
    rng = np.random.default_rng(7)
    found = {"normal": rng.standard_normal(50), "integers": rng.integers(0, 1000, 50), "order": rng.permutation(50)}
    for kind in (np.float32, np.float64):
        for n in (5, 33, 160):
            a, b = rng.standard_normal((n, n)).astype(kind), rng.standard_normal((n, n)).astype(kind)
            good = a @ a.T + n * np.eye(n, dtype=kind)
            results = {
                "matmul": a @ b,
                "product": a @ b[0],
                "dot": a[1] @ b[1],
                "einsum": np.einsum("ij,kj->ik", a, b),
                "sum": a.sum(),
                "sums": a.sum(axis=0),
                "variance": a.var(axis=1),
                "exp": np.exp(a),
                "log": np.log(np.abs(a)),
                "sin": np.sin(100 * a),
                "tanh": np.tanh(a),
                "power": np.abs(a) ** 0.3,
                "division": a / b,
                "svd": np.linalg.svd(a, compute_uv=False),
                "solve": np.linalg.solve(good, b),
                "inverse": np.linalg.inv(good),
                "eigen": np.linalg.eigvalsh(good),
                "qr": np.linalg.qr(a)[1],
                "cholesky": np.linalg.cholesky(good),
                "fft": np.fft.fft(a),
                "convolution": np.convolve(a.ravel(), b[0]),
                "cumulated": np.cumsum(a),
                "quantile": np.quantile(a, 0.3, axis=0),
            }
            found.update({f"{name} {kind.__name__} {n}": np.asarray(value) for name, value in results.items()})
    np.random.seed(3)
    found["legacy"] = np.random.randn(20)
    return found


def placed(array, offset):
    """Return the same numbers at an address of our choice, modulo a cache line."""
    room = np.empty(array.nbytes + 128, np.uint8)
    start = -room.ctypes.data % 64 + offset
    there = room[start : start + array.nbytes].view(array.dtype).reshape(array.shape)
    there[...] = array
    return there


def wherever_it_lies():
    """The same products of the same numbers, which lie at different places in memory."""
    import torch

    rng = np.random.default_rng(11)
    matrix, vector = rng.standard_normal((100, 100)), rng.standard_normal(100)
    found = []
    for offset in range(0, 64, 8):
        a, v = placed(matrix, offset), placed(vector, offset)
        one, other = torch.from_numpy(a), torch.from_numpy(v)
        products = [a @ a, a @ v, v @ v, (one @ one).numpy(), (one @ other).numpy(), (other @ other).numpy()]
        good = one @ one.T + 100 * torch.eye(100, dtype=torch.float64)
        found.append([*products, torch.linalg.cholesky(good).numpy(), torch.linalg.svdvals(one).numpy()])
    return found


def with_torch():
    """Results by operation."""
    import torch
    from torch import nn

    torch.manual_seed(5)
    draws = {"randn": torch.randn(100), "perm": torch.randperm(50), "coins": torch.bernoulli(torch.full((50,), 0.3))}
    found = draws | {"dropout": nn.functional.dropout(torch.ones(60), 0.4), "uniform": torch.rand(33)}
    for kind in (torch.float32, torch.float64):
        for n in (5, 33, 160):
            a, b = torch.randn(n, n, dtype=kind), torch.randn(n, n, dtype=kind)
            good = a @ a.T + n * torch.eye(n, dtype=kind)
            results = {
                "matmul": a @ b,
                "product": a @ b[0],
                "dot": a[1] @ b[1],
                "uneven": torch.cat([a[0], a[1]])[1 : n + 1] @ b[0],
                "batched": torch.bmm(a[None], b[None]),
                "sum": a.sum(),
                "mean": a.mean(0),
                "variance": a.var(1),
                "exp": a.exp(),
                "gelu": nn.functional.gelu(a),
                "softmax": a.softmax(1),
                "logsumexp": a.logsumexp(0),
                "norm": a.norm(),
                "svd": torch.linalg.svdvals(a),
                "solve": torch.linalg.solve(good, b),
                "eigen": torch.linalg.eigvalsh(good),
                "cholesky": torch.linalg.cholesky(good),
                "fft": torch.view_as_real(torch.fft.fft(a)),
                "cumulated": a.cumsum(0),
                "conv1d": nn.functional.conv1d(a[None], b[:, :, None].repeat(1, 1, 3)),
                "conv2d": nn.functional.conv2d(a[None, None], b[None, None, :3, :3]),
            }
            found |= {f"{name} {kind} {n}": value for name, value in results.items()}
    for name, module in (
        ("lstm", nn.LSTM(6, 9)),
        ("attention", nn.TransformerEncoderLayer(6, 2, 12, dropout=0.1)),
        ("network", nn.Sequential(nn.Linear(6, 20), nn.BatchNorm1d(20), nn.Tanh(), nn.Linear(20, 3))),
    ):
        found |= trained(name, module, torch.randn(7, 6) if name == "network" else torch.randn(7, 4, 6))
    return {name: value.detach().numpy() for name, value in found.items()}


def trained(name, module, inputs):
    """A few steps of learning: gradients and an optimiser."""
    import torch

    optimiser = torch.optim.Adam(module.parameters(), lr=0.01)
    for _ in range(3):
        optimiser.zero_grad()
        made = module(inputs)
        loss = (made[0] if isinstance(made, tuple) else made).square().mean()
        loss.backward()
        optimiser.step()
    learned = {f"{name} {part}": value for part, value in module.named_parameters()}
    return learned | {f"{name} loss": loss}
