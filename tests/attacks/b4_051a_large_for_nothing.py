# ROW: 51
# ATTACK: returns an array of a gigabyte and more that takes eight bytes, by a stride of zero
# EXPECT: UNUSABLE OUT_OF_MEMORY
# CONTROL: own -> memory: whoever looks at its entries makes room for them
# TIERS: 3 2 1
# KIND: builder
ANSWER = b"""
import numpy as np


def target(x):
    return np.broadcast_to(x[0], (25, 2**24))
"""


def build(lore):
    return {"target.py": ANSWER}


def control(where):
    import numpy as np

    names = {}
    exec(where.place.read_text(), names)
    return bool(np.isfinite(names["target"](np.ones(2))).all())
