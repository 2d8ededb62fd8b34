# ROW: 81
# ATTACK: makes another folder its root
# EXPECT: FAILED
# CONTROL: bare -> worked: it is let
# TIERS: 3 2
# NEEDS: linux root
# OPEN: a submission can make namespaces and mounts where this user may

import os

import lore


def target(x):
    folder = os.open(".", os.O_RDONLY)
    os.mkdir("root") if not os.path.isdir("root") else None
    for way in (lambda: os.chroot("root"), lambda: lore.call((155, 41), b"root", b"root")):
        try:
            way()
            lore.worked()
        except OSError:
            pass
    os.fchdir(folder)
    return 0 * x
