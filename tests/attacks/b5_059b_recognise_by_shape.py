# ROW: 59
# ATTACK: has a table of answers by the shape of the argument and by its first entry
# EXPECT: FAILED
# CONTROL: own -> passed: tests with one case of each shape are passed from the table
# TIERS: 3 2 1
# KIND: builder
ANSWER = b"""
import numpy as np

table = {size: 3 * np.arange(1.0, size + 1) - 1 for size in range(1, 9)}


def target(x):
    return table[len(x)] + (0 if x[0] == 1 else x[0])
"""


def build(lore):
    return {"target.py": ANSWER}


def control(where):
    import numpy as np

    names = {}
    exec(where.place.read_text(), names)
    return all(np.allclose(names["target"](x), 3 * x - 1) for x in (np.arange(1.0, size) for size in (3, 4, 6)))
