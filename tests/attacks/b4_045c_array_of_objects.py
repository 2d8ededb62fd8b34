# ROW: 45
# ATTACK: returns an array of objects, each of which equals everything
# EXPECT: UNUSABLE
# CONTROL: naive:array_equal -> passed: each entry is asked
# TIERS: 3 2 1
# SAYS: an array whose entries are not plain numbers
import numpy as np


class Equal:
    def __eq__(self, other):
        return True


def target(x):
    return np.array([Equal() for _ in x], dtype=object)
