# ROW: 83
# ATTACK: loads a program and a table into the kernel
# EXPECT: FAILED
# CONTROL: bare -> worked: the kernel obeys
# TIERS: 3 2
# NEEDS: linux root
# OPEN: the parts of the kernel that this user may use, and that have had many holes

import struct

import lore


def target(x):
    try:
        lore.call((321, 280), 0, struct.pack("IIII48x", 2, 4, 8, 1), 64)
        lore.worked()
    except OSError:
        pass
    return 0 * x
