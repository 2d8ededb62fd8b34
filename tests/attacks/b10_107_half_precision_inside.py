# ROW: 107
# ATTACK: computes in half precision and returns the result as float64
# EXPECT: FAILED
# CONTROL: own -> passed: a tolerance made for training runs lets it through
# TIERS: 3 2 1
# KIND: builder
ANSWER = b"""
import numpy as np


def target(x):
    return (np.float16(3) * x.astype("f2") - np.float16(1)).astype(x.dtype)
"""


def build(lore):
    return {"target.py": ANSWER}


def control(where):
    import numpy as np

    names = {}
    exec(where.place.read_text(), names)
    x = np.array([1.2345, -0.333, 2.7])
    return np.allclose(names["target"](x), 3 * x - 1, rtol=1e-2, atol=1e-3)
