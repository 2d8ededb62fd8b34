# ROW: 40
# ATTACK: answers with an array of such objects, which libraries can store as pickles only
# EXPECT: UNUSABLE
# CONTROL: naive:pickle -> file: the grader that loads it does what it says
# TIERS: 3 2 1
import os

import lore
import numpy as np


class Payload:
    def __reduce__(self):
        return os.mkdir, (lore.OUTSIDE + "/unpickled",)


def target(x):
    held = np.empty(len(x), dtype=object)
    held[:] = [Payload() for _ in x]
    return held
