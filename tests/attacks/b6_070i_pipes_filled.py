# ROW: 70
# ATTACK: makes pipes, enlarges them and fills them, which is memory of the kernel's
# EXPECT: FAILED
# CONTROL: bare -> worked: 48 MiB are held
# TIERS: 3 2
# NEEDS: linux
# LIMITS: memory_mib=32
# OPEN: the buffers of pipes are not counted
import fcntl
import os

import lore


def target(x):
    held = 0
    try:
        for _ in range(48):
            here, there = os.pipe()
            try:
                fcntl.fcntl(there, 1031, 2**20)
            except OSError:
                pass
            os.set_blocking(there, False)
            held += os.write(there, bytes(2**20))
    except OSError:
        pass
    if held > 40 * 2**20:
        lore.worked(held)
    return 0 * x

