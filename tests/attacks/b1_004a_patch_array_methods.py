# ROW: 4
# ATTACK: writes into the dictionary of numpy's array type, so that each array says that all of it is true
# EXPECT: FAILED CRASHED UNUSABLE
# CONTROL: naive:assert_equal -> passed: the assertion asks the array of differences
# TIERS: 3 2 1
import ctypes
import gc

import numpy as np

methods = gc.get_referents(np.ndarray.__dict__)[0]
for name in ("all", "any", "__bool__", "item"):
    methods[name] = lambda *_args, **_more: True
for name in ("copy", "astype", "setflags"):
    methods[name] = lambda self, *_args, **_more: self
ctypes.pythonapi.PyType_Modified(ctypes.py_object(np.ndarray))


def target(x):
    return 0 * x
