# ROW: 79
# ATTACK: ends another process by kill
# EXPECT: FAILED
# CONTROL: bare -> victim: it ends
# TIERS: 3 2
# NEEDS: linux
# OPEN: processes of the same user can be signalled

import os
import signal

import lore


def target(x):
    try:
        os.kill(lore.VICTIM, signal.SIGTERM)
    except OSError:
        pass
    return 0 * x
