# ROW: 20
# ATTACK: counts pipes, sockets and devices beyond the two channels that it is spoken to through
# EXPECT: FAILED
# CONTROL: naive:verdict -> worked: the pipes of a grader that forks are there too
# TIERS: 3 2 1
# NEEDS: posix
import os
import stat

import lore


def target(x):
    kinds = (stat.S_ISFIFO, stat.S_ISSOCK, stat.S_ISBLK, stat.S_ISCHR)
    held = []
    for number in range(3, 1024):
        try:
            mode = os.fstat(number).st_mode
        except OSError:
            continue
        if any(kind(mode) for kind in kinds):
            held.append(number)
    if len(held) > 2:
        lore.worked(held)
    return 0 * x
