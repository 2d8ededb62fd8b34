# ROW: 25
# ATTACK: raises the limit on core files, makes itself readable and ends by a signal that writes one
# EXPECT: CRASHED
# SAYS: SIGABRT
# CONTROL: plain -> worked, signal6: a core of any size may be written
# TIERS: 3 2 1
# NEEDS: linux
import ctypes
import os
import resource

import lore


def target(x):
    ctypes.CDLL(None).prctl(4, 1, 0, 0, 0)
    try:
        resource.setrlimit(resource.RLIMIT_CORE, (2**20, 2**20))
        lore.worked(resource.getrlimit(resource.RLIMIT_CORE))
    except (OSError, ValueError):
        pass
    os.abort()
