# ROW: 80
# ATTACK: has another process run only when nothing else does
# EXPECT: FAILED
# CONTROL: bare -> victim: it is changed
# TIERS: 3 2
# NEEDS: linux
# OPEN: processes of the same user can be slowed down and limited

import os
import struct

import lore


def target(x):
    ways = (
        lambda: os.sched_setscheduler(lore.VICTIM, os.SCHED_IDLE, os.sched_param(0)),
        lambda: os.sched_setparam(lore.VICTIM, os.sched_param(0)),
        lambda: lore.call((314, 274), lore.VICTIM, struct.pack("IIQiIQQQ", 48, os.SCHED_BATCH, 0, 0, 0, 0, 0, 0), 0),
    )
    for way in ways:
        try:
            way()
        except OSError:
            pass
    return 0 * x
