# ROW: 80
# ATTACK: lowers another process's share of the disks
# EXPECT: FAILED
# CONTROL: bare -> worked: the kernel obeys
# TIERS: 3 2
# NEEDS: linux
# OPEN: processes of the same user can be slowed down and limited

import lore


def target(x):
    try:
        lore.call((251, 30), 1, lore.VICTIM, 2 << 13 | 7)
        lore.worked()
    except OSError:
        pass
    return 0 * x
