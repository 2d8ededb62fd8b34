# ROW: 83
# ATTACK: asks the kernel for a ring of requests, which no filter of calls sees
# EXPECT: FAILED
# CONTROL: bare -> worked: the kernel obeys
# TIERS: 3 2
# NEEDS: linux
# OPEN: the parts of the kernel that this user may use, and that have had many holes

import ctypes
import struct

import lore


def target(x):
    try:
        lore.call((425, 425), 2, ctypes.create_string_buffer(120))
        lore.worked()
    except OSError:
        pass
    return 0 * x
