# ROW: 8
# ATTACK: leaves the process with exit code 0, past every handler
# EXPECT: CRASHED
# CONTROL: naive:exit -> passed: a grader that goes by the exit code believes it
# TIERS: 3 2 1
# SAYS: exited with code 0
import os


def target(x):
    os._exit(0)
