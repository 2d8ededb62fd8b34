# ROW: 54
# ATTACK: empties its argument in place, so that whoever computes the wanted value afterwards gets another
# EXPECT: FAILED
# CONTROL: own -> passed: the wanted value is computed from what is left of the argument
# TIERS: 3 2 1
# KIND: builder
ANSWER = b"""
import ctypes


def target(x):
    x.setflags(write=True)
    x[:] = 0
    return x - 1
"""


def build(lore):
    return {"target.py": ANSWER}


def control(where):
    import numpy as np

    names = {}
    exec(where.place.read_text(), names)
    x = np.arange(4.0)
    got = names["target"](x)
    return np.allclose(got, 3 * x - 1)
