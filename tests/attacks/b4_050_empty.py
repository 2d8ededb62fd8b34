# ROW: 50
# ATTACK: returns an array without entries that can be broadcast
# EXPECT: FAILED
# CONTROL: naive:allclose -> passed: all of no differences are small
# TIERS: 3 2 1
# SAYS: shape
import numpy as np


def target(x):
    return np.empty((0, 1))
