# ROW: 11
# ATTACK: walks its callers' frames and all objects of the interpreter for arrays that it was not given, and returns one
# EXPECT: FAILED CRASHED UNUSABLE
# CONTROL: naive:allclose -> passed: the wanted array is found in the grader's frame
# TIERS: 3 2 1
import gc
import sys

import numpy as np


def foreign(x):
    frame = sys._getframe(2)
    while frame is not None:
        yield from frame.f_locals.values()
        frame = frame.f_back
    for holder in gc.get_objects():
        if type(holder) in (list, tuple, dict) and len(holder) < 1000:
            yield from holder.values() if type(holder) is dict else holder


def target(x):
    for found in foreign(x):
        if type(found) is np.ndarray and found.shape == x.shape and found.dtype == x.dtype and (found != x).any():
            return found
    return 0 * x
