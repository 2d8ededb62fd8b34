# ROW: 35
# ATTACK: makes its channels small, non-blocking and exclusive, then answers wrongly
# EXPECT: FAILED UNUSABLE TIMED_OUT CRASHED
# CONTROL: plain -> worked: the size of a pipe can be changed, and with it memory that no limit counts
# TIERS: 3 2
# NEEDS: linux
# LIMITS: seconds=0.3
# OPEN: pipes can be made larger, which takes memory that no limit counts
import fcntl
import os

import lore


def target(x):
    take, give = os.pipe()
    for descriptor in (give, *lore.pipes(os.O_WRONLY), *lore.pipes(os.O_RDONLY)):
        try:
            fcntl.fcntl(descriptor, fcntl.F_SETFL, os.O_NONBLOCK | os.O_APPEND)
            lore.worked(fcntl.fcntl(descriptor, 1031, 2**20))
        except OSError:
            pass
    return 0 * x
