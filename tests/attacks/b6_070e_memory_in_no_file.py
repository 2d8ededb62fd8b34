# ROW: 70
# ATTACK: writes to files that lie in memory only and maps none of them
# EXPECT: FAILED
# CONTROL: bare -> worked: 128 MiB are held under a limit of 32, and the watch sees none
# TIERS: 3 2
# NEEDS: linux
# LIMITS: memory_mib=32
# OPEN: memory in files that have no name is not counted
import os

import lore

kept = []


def target(x):
    try:
        while len(kept) < 32:
            kept.append(os.memfd_create("x"))
            os.write(kept[-1], bytes(2**22))
        lore.worked(len(kept))
    except OSError:
        pass
    return 0 * x

