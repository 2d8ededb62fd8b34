# ROW: 83
# ATTACK: keeps a text among the kernel's keys, where the next child of the same user would find it
# EXPECT: FAILED
# CONTROL: bare -> worked: the kernel obeys
# TIERS: 3 2
# NEEDS: linux
# OPEN: the parts of the kernel that this user may use, and that have had many holes

import lore


def target(x):
    try:
        lore.call((248, 217), b"user", b"attack", b"text", 4, -2)
        lore.worked("add")
    except OSError:
        pass
    for how in ((0, -3, 1), (6, -4)):
        try:
            lore.call((250, 219), *how)
            lore.worked(how)
        except OSError:
            pass
    return 0 * x
