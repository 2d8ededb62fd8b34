# ROW: 79
# ATTACK: makes another process the owner of a pipe, whose news then come to it as a signal that ends it
# EXPECT: FAILED
# CONTROL: bare -> victim: it ends
# TIERS: 3 2
# NEEDS: linux
# OPEN: processes of the same user can be signalled

import fcntl
import os
import signal

import lore


def target(x):
    here, there = os.pipe()
    try:
        fcntl.fcntl(here, fcntl.F_SETOWN, lore.VICTIM)
        fcntl.fcntl(here, 10, signal.SIGTERM)  # F_SETSIG
        fcntl.fcntl(here, fcntl.F_SETFL, os.O_ASYNC)
        os.write(there, b"x")
    except OSError:
        pass
    return 0 * x
