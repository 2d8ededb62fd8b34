# ROW: 51
# ATTACK: returns an array whose strides lead out of its memory
# EXPECT: CRASHED
# CONTROL: own -> signal11: whoever reads its entries dies
# TIERS: 3 2 1
# NEEDS: posix
# SAYS: segmentation fault
# KIND: builder
ANSWER = b"""
import numpy as np


def target(x):
    return np.lib.stride_tricks.as_strided(x, shape=(4,), strides=(2**41 + 8,))
"""


def build(lore):
    return {"target.py": ANSWER}


def control(where):
    import numpy as np

    names = {}
    exec(where.place.read_text(), names)
    return np.allclose(names["target"](np.ones(2)), 1)
