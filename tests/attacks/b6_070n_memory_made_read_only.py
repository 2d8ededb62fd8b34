# ROW: 70
# ATTACK: fills memory and makes it read-only, since the limit on data counts only what can be written
# EXPECT: OUT_OF_MEMORY
# CONTROL: plain -> memory: it gets all that it asks for
# TIERS: 3 2 1
# NEEDS: linux
# LIMITS: memory_mib=64
import ctypes
import mmap

import lore

kept = []


def target(x):
    while len(kept) < 100:  # without this bound it would go on
        region = mmap.mmap(-1, 2**22, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        region[:] = b"x" * 2**22
        address = ctypes.addressof(ctypes.c_char.from_buffer(region))
        kept.append(region)
        try:
            lore.call((10, 226), address, 2**22, mmap.PROT_READ)
        except OSError:
            pass
    return 0 * x
