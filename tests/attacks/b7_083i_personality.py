# ROW: 83
# ATTACK: turns off the shuffling of addresses and the rules about executable memory
# EXPECT: FAILED
# CONTROL: bare -> worked: the kernel obeys
# TIERS: 3 2
# NEEDS: linux
# OPEN: the parts of the kernel that this user may use, and that have had many holes

import lore


def target(x):
    lore.attempt((135, 92), 0x0040000 | 0x0400000)
    return 0 * x
