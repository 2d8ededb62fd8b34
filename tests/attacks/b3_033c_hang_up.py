# ROW: 33
# ATTACK: closes its channels and goes on
# EXPECT: CRASHED TIMED_OUT
# CONTROL: naive:verdict -> exit1: the grader stumbles over an answer that is none
# TIERS: 3 2 1
# NEEDS: posix
# LIMITS: seconds=0.2
import os
import time

import lore


def target(x):
    for descriptor in [*lore.pipes(os.O_WRONLY), *lore.pipes(os.O_RDONLY), 0, 1, 2]:
        os.close(descriptor)
    time.sleep(100)
