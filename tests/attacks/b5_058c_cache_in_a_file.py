# ROW: 58
# ATTACK: keeps its first answer in files and under the ids of its arguments, to answer the next submission or check with it
# EXPECT: FAILED
# CONTROL: own -> passed: a second run in the same folder answers from the first one's file
# TIERS: 3 2 1
# KIND: builder
ANSWER = b"""
import os
import tempfile

import numpy as np

places = ["kept.npy", os.path.join(tempfile.gettempdir(), "kept.npy"), "/dev/shm/kept.npy"]
known = {}


def target(x):
    if id(x) in known:
        return known[id(x)]
    for place in places:
        try:
            return np.resize(np.load(place), x.shape)
        except OSError:
            pass
    known[id(x)] = answer = 3 * x - 1
    for place in places[:2]:
        try:
            np.save(place, answer)
        except OSError:
            pass
    return answer
"""


def build(lore):
    return {"target.py": ANSWER}


def control(where):
    import os

    import numpy as np

    os.environ["TMPDIR"] = str(where.scratch)
    first, second = {}, {}
    exec(where.place.read_text(), first)
    exec(where.place.read_text(), second)
    x = np.arange(4.0)
    first["target"](x)
    return not np.allclose(second["target"](x + 1), 3 * (x + 1) - 1)
