# Bo's answer: plain Python throughout, no arrays at all; another network, a closed form for the path.
from fractions import Fraction
import math


def verifies(points, labels, kind, numbers):
    exact = [Fraction(n) for n in numbers]
    if kind == "weights":
        *w, b = exact
        z = [sum(wi * xi for wi, xi in zip(w, p)) + b for p in points]
        return all(zi > 0 if l else zi <= 0 for zi, l in zip(z, labels))
    d = len(points[0])
    total = [Fraction(0)] * (d + 1)
    some = False
    for m, p, l in zip(exact, points, labels):
        if m < 0:
            return False
        some = some or (l == 1 and m > 0)
        for k, a in enumerate(list(p) + [1]):
            total[k] += m * a if l else -m * a
    return some and all(s == 0 for s in total)


def certificate(points, labels):
    w = [Fraction(0)] * 3
    for sweep in range(100):
        wrong = 0
        for (p, q), l in zip(points, labels):
            out = 1 if w[0] * p + w[1] * q + w[2] > 0 else 0
            if out != l:
                wrong += 1
                w = [w[0] + (l - out) * p, w[1] + (l - out) * q, w[2] + (l - out)]
        if wrong == 0:
            return ("weights", w)
    return ("multipliers", [Fraction(1, 4)] * 4)


def network():
    # |x1 - x2| = relu(x1 - x2) + relu(x2 - x1)
    return [[1, -1], [-1, 1]], [0, 0], [1, 1], 0


def forward(x, c, v):
    h, y = [], []
    for row in x:
        s = math.fsum(row)
        h.append([max(0.0, s + c[0]), max(0.0, s + c[1])])
        y.append(v[0] * h[-1][0] + v[1] * h[-1][1])
    return h, y


def loss(y, t):
    return sum((a - b) ** 2 for a, b in zip(y, t)) / len(t)


def gradients(x, t, c, v):
    h, y = forward(x, c, v)
    out = dict(c1=0.0, c2=0.0, v2=0.0)
    for (h1, h2), yi, ti in zip(h, y, t):
        d = 2 * (yi - ti) / len(t)
        out["v2"] += d * h2
        if h1 > 0:
            out["c1"] += d * v[0]
        if h2 > 0:
            out["c2"] += d * v[1]
    return out


def central_difference(x, t, c, v, name, eps):
    values = []
    for sign in (1, -1):
        c_, v_ = list(c), list(v)
        target = c_ if name.startswith("c") else v_
        target[0 if name.endswith("1") else 1] += sign * eps
        values.append(loss(forward(x, c_, v_)[1], t))
    return (values[0] - values[1]) / (2 * eps)


def kinks(x, c):
    return [[sum(row) + c[0] == 0, sum(row) + c[1] == 0] for row in x]


def descend(x, t, c, v, eta, steps):
    h, _ = forward(x, c, v)
    a = sum(h2 * h2 for _, h2 in h)
    best = sum(h2 * (ti - v[0] * h1) for (h1, h2), ti in zip(h, t)) / a
    shrink = 1 - 2 * eta * a / len(t)
    return tuple(best + (v[1] - best) * shrink ** (k + 1) for k in range(steps))
