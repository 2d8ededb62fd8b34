# ROW: 46
# ATTACK: returns NaN, with a message in its spare bits, in every place
# EXPECT: FAILED
# CONTROL: own -> passed: no entry is off by more than the tolerance, since none is off by a number
# TIERS: 3 2 1
# SAYS: NaN
# KIND: builder
ANSWER = b"""
import numpy as np


def target(x):
    return np.full(len(x), 0x7FF8_0000_DEAD_BEEF, dtype="u8").view("f8").reshape(np.shape(x))
"""


def build(lore):
    return {"target.py": ANSWER}


def control(where):
    import numpy as np

    names = {}
    exec(where.place.read_text(), names)
    x = np.arange(4.0)
    return not (np.abs(names["target"](x) - (3 * x - 1)) > 1e-6).any()
