# ROW: 45
# ATTACK: returns a matrix, which has one axis too many and hides it in comparisons
# EXPECT: UNUSABLE
# CONTROL: naive:allclose -> passed: the shape that is wrong is broadcast
# TIERS: 3 2 1
# SAYS: an array or tensor of a special class
import warnings

import numpy as np

warnings.simplefilter("ignore")


def target(x):
    return np.matrix(3 * x - 1)
