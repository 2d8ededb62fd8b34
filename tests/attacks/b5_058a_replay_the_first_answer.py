# ROW: 58
# ATTACK: computes its first answer and returns it, cut to size, ever after
# EXPECT: FAILED
# CONTROL: own -> passed: a grader that compares the first answer and measures the others is content
# TIERS: 3 2 1
# KIND: builder
ANSWER = b"""
import numpy as np

kept = []


def target(x):
    if not kept:
        kept.append(3 * x - 1)
    return np.resize(kept[0], x.shape)
"""


def build(lore):
    return {"target.py": ANSWER}


def control(where):
    import numpy as np

    names = {}
    exec(where.place.read_text(), names)
    x = np.arange(4.0)
    right = np.allclose(names["target"](x), 3 * x - 1)
    return right and [names["target"](x + number).shape for number in range(5)] == [x.shape] * 5
