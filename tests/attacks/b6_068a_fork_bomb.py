# ROW: 68
# ATTACK: forks, and each of its children forks again
# EXPECT: FAILED
# CONTROL: bare -> worked: sixteen processes came of it
# TIERS: 3 2
# NEEDS: posix
# OPEN: processes can be started, as many as this user may have
import os
import time

import lore


def target(x):
    here, there = os.pipe()
    for _ in range(4):  # a bomb has no such bound
        try:
            os.fork()
        except OSError:
            break
    if os.getpid() != TOP:
        os.write(there, b"x")
        time.sleep(0.2)
        os._exit(0)
    os.close(there)
    came = 0
    while os.read(here, 1):
        came += 1
    if came:
        lore.worked(came)
    return 0 * x


TOP = os.getpid()

