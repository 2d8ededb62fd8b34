# ROW: 907
# ATTACK: cuts a file to nothing by its name, which older rules of the kernel about files do not cover
# EXPECT: FAILED
# CONTROL: bare -> file: it is changed
# TIERS: 3 2
# NEEDS: linux
# OPEN: files of this user can be changed

import lore


def target(x):
    try:
        lore.call((76, 45), lore.PRECIOUS.encode(), 0)
    except OSError:
        pass
    return 0 * x
