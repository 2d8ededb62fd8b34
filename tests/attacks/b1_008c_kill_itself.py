# ROW: 8
# ATTACK: sends its own process the signal that ends it
# EXPECT: CRASHED
# CONTROL: naive:allclose -> signal9: the grader is gone with it
# TIERS: 3 2 1
# NEEDS: posix
# SAYS: killed
import os
import signal


def target(x):
    os.kill(os.getpid(), signal.SIGKILL)
