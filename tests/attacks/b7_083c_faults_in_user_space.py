# ROW: 83
# ATTACK: handles its own page faults, with which the kernel can be stopped half way
# EXPECT: FAILED
# CONTROL: bare -> worked: the kernel obeys
# TIERS: 3 2
# NEEDS: linux root
# OPEN: the parts of the kernel that this user may use, and that have had many holes

import lore


def target(x):
    lore.attempt((323, 282), 0x80000 | 1)
    return 0 * x
