# ROW: 70
# ATTACK: fills shared maps and takes them out of its page tables, so that they are held without being resident
# EXPECT: FAILED
# CONTROL: bare -> worked: 256 MiB are held under a limit of 64, and the watch sees none
# TIERS: 3 2
# NEEDS: linux
# LIMITS: memory_mib=64 seconds=2
# OPEN: shared memory that is not resident is not counted
import mmap

import lore

MIB = 2**20


def target(x):
    try:
        held = mmap.mmap(-1, 256 * MIB)
    except OSError:
        return 0 * x
    for start in range(0, 256 * MIB, MIB):
        held[start : start + MIB] = b"x" * MIB
        held.madvise(mmap.MADV_DONTNEED)
    if held[5] == held[200 * MIB] == ord("x"):
        lore.worked("held")
    return 0 * x

