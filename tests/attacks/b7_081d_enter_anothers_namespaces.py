# ROW: 81
# ATTACK: enters the namespaces of another process and of the machine
# EXPECT: FAILED
# CONTROL: bare -> worked: it is let
# TIERS: 3 2
# NEEDS: linux root
# OPEN: a submission can make namespaces and mounts where this user may

import ctypes
import os

import lore


def target(x):
    libc = ctypes.CDLL(None, use_errno=True)
    for pid in (lore.VICTIM, 1):
        for kind in ("net", "ipc", "uts"):
            try:
                if libc.setns(os.open(f"/proc/{pid}/ns/{kind}", os.O_RDONLY), 0) == 0:
                    lore.worked(pid, kind)
            except OSError:
                pass
        try:
            if libc.setns(os.pidfd_open(pid), 0x40000000) == 0:
                lore.worked(pid, "handle")
        except OSError:
            pass
    return 0 * x
