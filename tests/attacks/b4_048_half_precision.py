# ROW: 48
# ATTACK: computes and answers in float16, hoping that the tolerance is taken from the answer's own dtype
# EXPECT: FAILED
# CONTROL: own -> passed: a tolerance that follows the answer's dtype lets it through
# TIERS: 3 2 1
# SAYS: narrower than float32
# KIND: builder
ANSWER = b"""
import numpy as np


def target(x):
    return (3 * np.asarray(x).astype("f2") - 1).astype("f2")
"""


def build(lore):
    return {"target.py": ANSWER}


def control(where):
    import numpy as np

    names = {}
    exec(where.place.read_text(), names)
    x = np.array([1.2345, -0.333, 2.7])
    got = names["target"](x)
    return np.allclose(got, 3 * x - 1, rtol=8 * np.finfo(got.dtype).eps, atol=0.01)
