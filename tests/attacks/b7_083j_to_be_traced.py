# ROW: 83
# ATTACK: asks to be traced, and lets everybody trace it and read its memory
# EXPECT: FAILED
# CONTROL: bare -> worked: the kernel obeys
# TIERS: 3 2
# NEEDS: linux
# OPEN: the parts of the kernel that this user may use, and that have had many holes

import lore


def target(x):
    for numbers, *how in (
        ((157, 167), 4, 1, 0, 0, 0),  # DUMPABLE
        ((157, 167), 36, 1, 0, 0, 0),  # CHILD_SUBREAPER
        ((157, 167), 1, 0, 0, 0, 0),  # PDEATHSIG
        ((101, 117), 0, 0, 0, 0),  # TRACEME; last, since it stops at the next signal
    ):
        try:
            lore.call(numbers, *how)
            lore.worked(numbers, how)
        except OSError:
            pass
    return 0 * x
