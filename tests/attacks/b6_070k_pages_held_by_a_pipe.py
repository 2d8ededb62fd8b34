# ROW: 70
# ATTACK: gives pages to a pipe and unmaps them: the pipe holds each, and the huge page around it, for nobody's account
# EXPECT: FAILED
# CONTROL: bare -> worked: the pipe takes them
# TIERS: 3 2
# NEEDS: linux
# OPEN: pages that a pipe holds are not counted
import ctypes
import mmap
import os
import struct

import lore


def target(x):
    here, there = os.pipe()
    region = mmap.mmap(-1, 2**22, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    region[: 2**22] = b"x" * 2**22
    address = ctypes.addressof(ctypes.c_char.from_buffer(region))
    try:
        lore.call((278, 75), there, struct.pack("QQ", address, 4096), 1, 0)
        if os.read(here, 4) == b"xxxx":
            lore.worked()
    except OSError:
        pass
    return 0 * x

