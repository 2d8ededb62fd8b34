# ROW: 41
# ATTACK: returns an object that calls itself an array and equals everything
# EXPECT: FAILED UNUSABLE
# CONTROL: naive:eq -> passed: the wanted array is equal to it
# TIERS: 3 2 1
import numpy as np


class Equal:
    __array_ufunc__ = None  # numpy leaves the comparison to this side
    __class__ = property(lambda self: np.ndarray)
    __hash__ = None
    shape, dtype, ndim, size = (3,), np.dtype(float), 1, 3

    def __eq__(self, other):
        return True

    def __bool__(self):
        return True

    def __float__(self):
        return 1.0


def target(x):
    return Equal()
