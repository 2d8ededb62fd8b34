# ROW: 22
# ATTACK: attaches to another process as a debugger does, by attach and by seize
# EXPECT: FAILED
# CONTROL: bare -> worked: the other process is taken over
# TIERS: 3 2
# NEEDS: linux
# OPEN: another process of the grader's user can be stopped, read and changed as by a debugger
import ctypes
import os

import lore

ATTACH, SEIZE, INTERRUPT = 16, 0x4206, 0x4207


def target(x):
    libc = ctypes.CDLL(None, use_errno=True)
    none = ctypes.c_long(0)
    if libc.ptrace(ATTACH, lore.VICTIM, none, none) == 0:
        lore.worked("attached")
        os.waitpid(lore.VICTIM, 0x40000000)
    elif libc.ptrace(SEIZE, lore.VICTIM, none, none) == 0:
        lore.worked("seized")
        libc.ptrace(INTERRUPT, lore.VICTIM, none, none)
    return 0 * x
