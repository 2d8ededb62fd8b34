# ROW: 45
# ATTACK: returns a text that prints as the right array does where the middle is left out
# EXPECT: FAILED
# CONTROL: own -> passed: a comparison of what is printed does not see the middle
# TIERS: 3 2 1
# KIND: builder
ANSWER = b"""
import numpy as np


class Printed(str):
    pass


def target(x):
    right = 3 * x - 1
    right[3:-3] = 0
    return Printed(right)
"""


def build(lore):
    return {"target.py": ANSWER}


def control(where):
    import numpy as np

    names = {}
    exec(where.place.read_text(), names)
    x = np.arange(5000.0)
    return str(names["target"](x)) == str(3 * x - 1)
