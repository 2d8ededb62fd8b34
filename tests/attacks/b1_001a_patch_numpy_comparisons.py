# ROW: 1
# ATTACK: replaces numpy's comparisons by ones that always agree, and answers zeros
# EXPECT: FAILED
# CONTROL: naive:allclose -> passed: zeros are taken for the answer
# TIERS: 3 2 1
import numpy as np


def agree(*_args, **_more):
    return True


for name in ("allclose", "isclose", "array_equal", "array_equiv", "all", "isfinite"):
    setattr(np, name, agree)


def target(x):
    return 0 * x
