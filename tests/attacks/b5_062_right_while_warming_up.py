# ROW: 62
# ATTACK: is right in its first call, sleeps a little as if it worked, and skips the work in all later ones
# EXPECT: FAILED
# CONTROL: own -> passed: a grader that compares the warm-up alone calls it right, and fast
# TIERS: 3 2 1
# KIND: builder
ANSWER = b"""
import time

calls = []


def target(x):
    calls.append(x)
    if len(calls) == 1:
        time.sleep(0.02)
        return 3 * x - 1
    return x
"""


def build(lore):
    return {"target.py": ANSWER}


def control(where):
    import numpy as np

    names = {}
    exec(where.place.read_text(), names)
    x = np.arange(4.0)
    right = np.allclose(names["target"](x), 3 * x - 1)
    for _ in range(3):
        names["target"](x)
    return right
