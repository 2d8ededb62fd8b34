# ROW: 80
# ATTACK: has another process's memory put where it is slow
# EXPECT: FAILED
# CONTROL: bare -> worked: the kernel obeys
# TIERS: 3 2
# NEEDS: linux
# OPEN: processes of the same user can be slowed down and limited

import struct

import lore


def target(x):
    pid, address, _ = lore.VICTIM_SECRET
    try:
        handle = lore.call((434, 434), pid, 0)
        lore.call((440, 440), handle, struct.pack("QQ", address & -4096, 4096), 1, 20, 0)
        lore.worked()
    except OSError:
        pass
    return 0 * x
