# ROW: 35
# ATTACK: makes another process the owner of its pipe, so that the pipe's traffic sends it signals
# EXPECT: FAILED
# CONTROL: bare -> victim: the other process is killed by it
# TIERS: 3 2
# NEEDS: linux
# OPEN: processes of the grader's user can be signalled
import fcntl
import os
import signal

import lore


def target(x):
    take, give = os.pipe()
    try:
        fcntl.fcntl(take, fcntl.F_SETOWN, lore.VICTIM)
        fcntl.fcntl(take, 10, signal.SIGKILL)
        fcntl.fcntl(take, fcntl.F_SETFL, fcntl.fcntl(take, fcntl.F_GETFL) | os.O_ASYNC)
    except OSError:
        pass
    os.write(give, b"x")
    return 0 * x
