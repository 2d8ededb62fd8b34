# ROW: 45
# ATTACK: returns an array of which every entry is masked
# EXPECT: UNUSABLE
# CONTROL: naive:assert_allclose -> passed: what is masked is not compared
# TIERS: 3 2 1
# SAYS: an array or tensor of a special class
import numpy as np


def target(x):
    return np.ma.masked_all_like(x)
