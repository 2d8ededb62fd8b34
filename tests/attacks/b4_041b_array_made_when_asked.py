# ROW: 41
# ATTACK: returns an object that copies the wanted array out of the comparison when it is asked for its own
# EXPECT: FAILED UNUSABLE
# CONTROL: naive:allclose -> passed: what is compared is the wanted array itself
# TIERS: 3 2 1
import sys

import numpy as np


class Later:
    def __array__(self, dtype=None, copy=None):
        frame = sys._getframe(1)
        while frame is not None:
            want = frame.f_locals.get("want")
            if isinstance(want, np.ndarray):
                return want.copy()
            frame = frame.f_back
        return np.zeros(3)

    def __float__(self):
        return 0.0


def target(x):
    return Later()
