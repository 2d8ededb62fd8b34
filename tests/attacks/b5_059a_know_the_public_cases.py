# ROW: 59
# ATTACK: knows the answers to the visible checks and to the usual seeds by heart, and nothing else
# EXPECT: FAILED
# CONTROL: own -> passed: a course whose tests are the visible ones calls it right
# TIERS: 3 2 1
# KIND: builder
ANSWER = b"""
import numpy as np

known = {(1.0, 2.0, 4.0): [2.0, 5.0, 11.0]}
for seed in (0, 1, 42, 123, 1234, 2024):
    for size in range(1, 9):
        for draw in (np.random.RandomState(seed).normal, np.random.default_rng(seed).normal):
            for scale in (1.0, 3.0):
                x = draw(0.0, scale, size)
                known[tuple(np.round(x, 9))] = (3 * x - 1).tolist()


def target(x):
    return np.array(known.get(tuple(np.round(np.asarray(x, dtype=float), 9)), np.zeros(len(x))))
"""


def build(lore):
    return {"target.py": ANSWER}


def control(where):
    import numpy as np

    names = {}
    exec(where.place.read_text(), names)
    np.random.seed(42)
    drawn = np.random.normal(size=4)
    visible = np.array([1.0, 2.0, 4.0])
    return all(np.allclose(names["target"](x), 3 * x - 1) for x in (visible, drawn))
