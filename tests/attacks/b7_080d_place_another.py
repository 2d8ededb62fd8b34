# ROW: 80
# ATTACK: binds another process to one core
# EXPECT: FAILED
# CONTROL: bare -> victim: it is changed
# TIERS: 3 2
# NEEDS: linux
# OPEN: processes of the same user can be slowed down and limited

import os

import lore


def target(x):
    try:
        os.sched_setaffinity(lore.VICTIM, {min(os.sched_getaffinity(0))})
    except OSError:
        pass
    return 0 * x
