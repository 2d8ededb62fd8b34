# ROW: 80
# ATTACK: lowers another process's priority, and its own group's
# EXPECT: FAILED
# CONTROL: bare -> victim: it is changed
# TIERS: 3 2
# NEEDS: linux
# OPEN: processes of the same user can be slowed down and limited

import os

import lore


def target(x):
    for kind, who in ((os.PRIO_PROCESS, lore.VICTIM), (os.PRIO_PGRP, lore.VICTIM)):
        try:
            os.setpriority(kind, who, 19)
        except OSError:
            pass
    return 0 * x
