# ROW: 8
# ATTACK: reads address 0
# EXPECT: CRASHED
# CONTROL: naive:allclose -> signal11: the grader is gone with it
# TIERS: 3 2 1
# NEEDS: posix
# SAYS: segmentation fault
import ctypes


def target(x):
    return ctypes.string_at(0)
