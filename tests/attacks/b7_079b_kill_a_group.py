# ROW: 79
# ATTACK: ends a process group that is not its own, and tries its own parent's
# EXPECT: FAILED
# CONTROL: bare -> victim: it ends
# TIERS: 3 2
# NEEDS: linux
# OPEN: processes of the same user can be signalled

import os
import signal

import lore


def target(x):
    for group, number in ((lore.VICTIM, signal.SIGTERM), (os.getppid(), 0)):
        try:
            os.killpg(group, number)
        except OSError:
            pass
    return 0 * x
