# ROW: 83
# ATTACK: opens files by number, past every folder and every rule about paths
# EXPECT: FAILED
# CONTROL: bare -> worked: the kernel obeys
# TIERS: 3 2
# NEEDS: linux
# OPEN: the parts of the kernel that this user may use, and that have had many holes

import ctypes
import os
import struct

import lore


def target(x):
    handle = ctypes.create_string_buffer(struct.pack("Ii", 128, 0), 136)
    try:
        lore.call((303, 264), -100, os.__file__.encode(), handle, ctypes.byref(ctypes.c_int()), 0)
        lore.worked("handle")
        lore.call((304, 265), os.open("/", os.O_RDONLY), handle, 0)
        lore.worked("opened")
    except OSError:
        pass
    return 0 * x
