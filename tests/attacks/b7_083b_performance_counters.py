# ROW: 83
# ATTACK: counts what the processor does, which tells what others compute
# EXPECT: FAILED
# CONTROL: bare -> worked: the kernel obeys
# TIERS: 3 2
# NEEDS: linux root
# OPEN: the parts of the kernel that this user may use, and that have had many holes

import struct

import lore


def target(x):
    try:
        lore.call((298, 241), struct.pack("IIQ112x", 1, 128, 0), 0, -1, -1, 0)
        lore.worked()
    except OSError:
        pass
    return 0 * x
