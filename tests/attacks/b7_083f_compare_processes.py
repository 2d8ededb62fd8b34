# ROW: 83
# ATTACK: compares its own kernel objects with those of another process
# EXPECT: FAILED
# CONTROL: bare -> worked: the kernel obeys
# TIERS: 3 2
# NEEDS: linux root
# OPEN: the parts of the kernel that this user may use, and that have had many holes

import os

import lore


def target(x):
    for other in (lore.VICTIM, os.getppid()):
        try:
            lore.call((312, 272), os.getpid(), other, 1, 0, 0)
            lore.worked(other)
        except OSError:
            pass
    return 0 * x
