# ROW: 81
# ATTACK: takes the read-only mark off the folders that it sees
# EXPECT: FAILED
# CONTROL: bare -> worked: it is let
# TIERS: 3 2
# NEEDS: linux
# OPEN: a submission can make namespaces and mounts where this user may

import ctypes
import os
import struct

import lore


def target(x):
    # Where nothing is protected, only a copy of its own is unsealed.
    bare = os.path.exists("/proc/1") and os.access(lore.OUTSIDE, os.W_OK)
    libc = ctypes.CDLL(None, use_errno=True)
    if bare and libc.unshare(0x10000000 | 0x20000):
        return 0 * x
    for path in (b"/usr/lib", b"/"):
        if libc.mount(b"none", path, None, 32 | 4096, None) == 0:
            lore.worked("remount", path)
        try:
            lore.call((442, 442), -100, path, 0, struct.pack("QQQQ", 0, 1, 0, 0), 32)
            lore.worked("setattr", path)
        except OSError:
            pass
    return 0 * x
