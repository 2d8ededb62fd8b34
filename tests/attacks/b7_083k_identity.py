# ROW: 83
# ATTACK: takes another identity, or asks for capabilities
# EXPECT: FAILED
# CONTROL: bare -> worked: the kernel obeys
# TIERS: 3 2
# NEEDS: linux root
# OPEN: the parts of the kernel that this user may use, and that have had many holes

import os
import struct

import lore


def target(x):
    for way in (
        lambda: os.setgroups([]),
        lambda: os.setresgid(1, 1, 1),
        lambda: os.setresuid(1, 1, 1),
        lambda: lore.call((126, 91), struct.pack("Ii", 0x20080522, 0), struct.pack("6I", 1, 1, 0, 0, 0, 0)),
    ):
        try:
            way()
            lore.worked()
        except OSError:
            pass
    return 0 * x
