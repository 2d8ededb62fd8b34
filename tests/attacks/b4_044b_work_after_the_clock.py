# ROW: 44
# ATTACK: returns at once an object that does its work when it is read, after the time was taken
# EXPECT: FAILED UNUSABLE
# CONTROL: own -> passed: the call takes no time, and the numbers are right
# TIERS: 3 2 1
# KIND: builder
ANSWER = b"""
import time


class Later:
    def __init__(self, x):
        self.x = x

    def __array__(self, dtype=None, copy=None):
        time.sleep(0.5)
        return 3 * self.x - 1


def target(x):
    return Later(x)
"""


def build(lore):
    return {"target.py": ANSWER}


def control(where):
    import time

    import numpy as np

    names = {}
    exec(where.place.read_text(), names)
    x, began = np.ones(3), time.perf_counter()
    got = names["target"](x)
    return time.perf_counter() - began < 0.3 and np.allclose(got, 3 * x - 1)
