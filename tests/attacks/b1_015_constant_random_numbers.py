# ROW: 15
# ATTACK: makes every generator of random numbers yield zeros, and is right for zeros alone
# EXPECT: FAILED
# CONTROL: own -> passed: a grader that draws in the same process draws zeros
# TIERS: 3 2 1
# KIND: builder
ANSWER = """
import random

import numpy as np


def zeros(*args, size=None, **_more):
    return np.zeros(size if size is not None else args[-1])


class Zeros:
    def __getattr__(self, name):
        return zeros


for name in ("normal", "uniform", "randn", "rand", "standard_normal"):
    setattr(np.random, name, zeros)
np.random.default_rng = lambda *_args: Zeros()
random.random = random.gauss = random.uniform = lambda *_args: 0.0
np.random.seed = random.seed = lambda *_args: None


def target(x):
    return 0 * x - 1
"""


def build(lore):
    return {"target.py": ANSWER.encode()}


def control(where):
    import numpy as np

    names = {}
    exec(where.place.read_text(), names)
    x = np.random.default_rng(1).normal(size=5)
    return np.allclose(names["target"](x), 3 * x - 1)
