# ROW: 8
# ATTACK: aborts the process
# EXPECT: CRASHED
# CONTROL: naive:allclose -> signal6: the grader is gone with it
# TIERS: 3 2 1
# NEEDS: posix
# SAYS: the program aborted
import os


def target(x):
    os.abort()
