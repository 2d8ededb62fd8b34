# ROW: 907
# ATTACK: watches a folder that it may not read, and learns which files are touched and when
# EXPECT: FAILED
# CONTROL: bare -> worked: it is told
# TIERS: 3 2
# NEEDS: linux
# OPEN: file names and who touches them can be learnt

import os

import lore


def target(x):
    try:
        watch = lore.call((294, 26), 0)
        lore.call((254, 27), watch, lore.OUTSIDE.encode(), 0xFFF)
        lore.worked("watched")
        os.close(watch)
    except OSError:
        pass
    return 0 * x
