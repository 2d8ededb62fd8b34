# ROW: 73
# ATTACK: raises the limit of recursion and recurses through C until the stack is used up
# EXPECT: CRASHED
# CONTROL: plain -> signal11: the process ends by a segmentation fault
# TIERS: 3 2 1
# NEEDS: linux
# LIMITS: seconds=4
import ctypes
import sys

sys.setrecursionlimit(10**9)
BACK = ctypes.CFUNCTYPE(ctypes.c_int)


def again():
    return step()


step = BACK(again)


def target(x):
    return x * step()
