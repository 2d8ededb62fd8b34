# ROW: 79
# ATTACK: ends another process by a handle of it
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
        signal.pidfd_send_signal(os.pidfd_open(lore.VICTIM), signal.SIGTERM)
    except OSError:
        pass
    return 0 * x
