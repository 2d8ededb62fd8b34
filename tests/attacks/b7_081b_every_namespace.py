# ROW: 81
# ATTACK: enters each kind of namespace by unshare, and by a clone that makes a thread
# EXPECT: FAILED
# CONTROL: bare -> worked: it is let
# TIERS: 3 2
# NEEDS: linux
# OPEN: a submission can make namespaces and mounts where this user may

import os

import lore

KINDS = (0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000, 0x80)
THREAD = 0x100 | 0x800 | 0x10000  # memory and signals are shared; neither files nor folders


def target(x):
    for kind in KINDS:
        try:
            lore.call((272, 97), kind)
            lore.worked(hex(kind))
            break
        except OSError:
            pass
        if not os.path.exists(lore.OUTSIDE):  # it would start in the middle of this function
            try:
                lore.call((56, 220), THREAD | kind, 0, 0, 0, 0)
                lore.worked("clone", hex(kind))
            except OSError:
                pass
    return 0 * x
