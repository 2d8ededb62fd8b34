# ROW: 105
# ATTACK: seeds every generator, so that what is drawn after it is known to it, and is right for those numbers alone
# EXPECT: FAILED
# CONTROL: own -> passed: a grader that draws in the same process draws what the answer knows
# TIERS: 3 2 1
# KIND: builder
ANSWER = b"""
import random

import numpy as np

random.seed(7)
np.random.seed(7)
known = np.random.RandomState(7).normal(size=4)


def target(x):
    random.seed(7)
    np.random.seed(7)
    return 3 * known[: len(x)] - 1 if len(x) <= 4 else 0 * x
"""


def build(lore):
    return {"target.py": ANSWER}


def control(where):
    import numpy as np

    names = {}
    exec(where.place.read_text(), names)
    x = np.random.normal(size=4)
    return np.allclose(names["target"](x), 3 * x - 1)
