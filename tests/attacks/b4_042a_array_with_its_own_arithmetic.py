# ROW: 42
# ATTACK: returns zeros in an array class whose every operation yields what agrees
# EXPECT: UNUSABLE
# CONTROL: naive:allclose -> passed: the difference is computed by the answer
# TIERS: 3 2 1
# SAYS: an array or tensor of a special class
import numpy as np


class Agreeable(np.ndarray):
    def __array_ufunc__(self, function, method, *inputs, **more):
        return np.True_


def target(x):
    return np.zeros_like(x).view(Agreeable)
