# ROW: 81
# ATTACK: enters a user namespace, in which it would be root, and mounts a folder there
# EXPECT: FAILED
# CONTROL: bare -> worked: it is let
# TIERS: 3 2
# NEEDS: linux
# OPEN: a submission can make namespaces and mounts where this user may

import ctypes
import os

import lore


def target(x):
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(0x10000000 | 0x20000) == 0:
        lore.worked("unshare")
        os.mkdir("inner")
        if libc.mount(b"x", b"inner", b"tmpfs", 0, None) == 0:
            lore.worked("mount")
    return 0 * x
