# ROW: 49
# ATTACK: returns one number where an array of equal numbers is wanted
# EXPECT: FAILED
# CONTROL: own -> passed: the number is compared with each entry
# TIERS: 3 2 1
# SAYS: shape
# KIND: builder
ANSWER = b"""
def target(x):
    return float(3 * x.sum() / len(x) - 1)
"""


def build(lore):
    return {"target.py": ANSWER}


def control(where):
    import numpy as np

    names = {}
    exec(where.place.read_text(), names)
    x = np.full(5, 2.0)
    return np.testing.assert_allclose(names["target"](x), 3 * x - 1) is None
