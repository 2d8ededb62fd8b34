# ROW: 58
# ATTACK: returns memory that it has not written, where the reference may have left the right answer
# EXPECT: FAILED
# CONTROL: own -> passed: the memory of the right answer, just let go, is the wrong answer's
# TIERS: 3 2 1
# KIND: builder
ANSWER = b"""
import numpy as np


def target(x):
    return np.empty_like(x)
"""


def build(lore):
    return {"target.py": ANSWER}


def control(where):
    import numpy as np

    names = {}
    exec(where.place.read_text(), names)
    x = np.linspace(1, 2, 30)
    right = 3 * x
    right -= 1
    kept = right.tolist()
    del right
    return names["target"](x).tolist() == kept
