# ROW: 103
# ATTACK: makes numpy raise at every rounding, warnings errors, and printed numbers short, for whoever comes next
# EXPECT: FAILED
# CONTROL: own -> passed: the next student's right answer raises
# TIERS: 3 2 1
# KIND: builder
ANSWER = b"""
import gc
import locale
import os
import sys
import warnings

import numpy as np

np.seterr(all="raise")
np.set_printoptions(precision=0, threshold=0)
warnings.simplefilter("error")
sys.setrecursionlimit(60)
sys.setswitchinterval(100)
sys.set_int_max_str_digits(640)
gc.disable()
os.umask(0o777)
os.environ["PYTHONWARNINGS"] = "error"


def target(x):
    return 0 * x
"""


def build(lore):
    return {"target.py": ANSWER}


def control(where):
    import sys

    import numpy as np

    exec(where.place.read_text(), {})
    sys.setrecursionlimit(1000)
    try:
        np.exp(np.array([-1000.0]))
    except FloatingPointError:
        return True
    return False
