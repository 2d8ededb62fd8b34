# ROW: 83
# ATTACK: listens to what every program opens
# EXPECT: FAILED
# CONTROL: bare -> worked: the kernel obeys
# TIERS: 3 2
# NEEDS: linux root
# OPEN: the parts of the kernel that this user may use, and that have had many holes

import lore


def target(x):
    lore.attempt((300, 262), 0, 0)
    return 0 * x
