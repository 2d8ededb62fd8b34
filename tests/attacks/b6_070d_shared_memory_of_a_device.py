# ROW: 70
# ATTACK: makes the same shared memory by mapping /dev/zero
# EXPECT: FAILED
# CONTROL: bare -> worked: 128 MiB are held under a limit of 32, and the watch sees none
# TIERS: 3 2
# NEEDS: linux
# LIMITS: memory_mib=32 seconds=2
# OPEN: shared memory that is not resident is not counted
import mmap
import os

import lore

MIB = 2**20


def target(x):
    try:
        held = mmap.mmap(os.open("/dev/zero", os.O_RDWR), 128 * MIB)
    except OSError:
        return 0 * x
    for start in range(0, 128 * MIB, MIB):
        held[start : start + MIB] = b"x" * MIB
        held.madvise(mmap.MADV_DONTNEED)
    if held[5] == held[100 * MIB] == ord("x"):
        lore.worked("held")
    return 0 * x

