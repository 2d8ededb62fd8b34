# ROW: 46
# ATTACK: returns infinity in every place, so that the relative error is no number
# EXPECT: FAILED
# CONTROL: own -> passed: the relative error is compared with the tolerance and is no larger
# TIERS: 3 2 1
# SAYS: infinite
# KIND: builder
ANSWER = b"""
import numpy as np


def target(x):
    return np.full(np.shape(x), np.inf)
"""


def build(lore):
    return {"target.py": ANSWER}


def control(where):
    import numpy as np

    np.seterr(all="ignore")
    names = {}
    exec(where.place.read_text(), names)
    x = np.arange(4.0)
    got, want = names["target"](x), 3 * x - 1
    return not (np.abs(got - want) / np.maximum(np.abs(got), np.abs(want)) > 1e-6).any()
