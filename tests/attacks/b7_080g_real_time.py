# ROW: 80
# ATTACK: asks to run before everybody else on its core
# EXPECT: FAILED
# CONTROL: bare -> worked: it may, as root
# TIERS: 3 2
# NEEDS: linux root
# OPEN: processes of the same user can be slowed down and limited

import os

import lore


def target(x):
    for policy in (os.SCHED_FIFO, os.SCHED_RR):
        try:
            os.sched_setscheduler(0, policy, os.sched_param(1))
            os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
            lore.worked(policy)
        except OSError:
            pass
    return 0 * x
