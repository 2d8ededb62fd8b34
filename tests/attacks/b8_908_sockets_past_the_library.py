# ROW: 908
# ATTACK: makes sockets by system calls, also as one of a pair that could send anywhere
# EXPECT: FAILED
# CONTROL: bare -> worked: they are made
# TIERS: 3 2
# NEEDS: linux
# OPEN: a submission can use the network as this user can
import ctypes

import lore


def target(x):
    pair = (ctypes.c_int * 2)()
    for numbers, *how in (
        ((41, 198), 2, 1, 0),
        ((41, 198), 1, 2, 0),
        ((53, 199), 1, 2, 0, pair),
        ((53, 199), 1, 5, 0, pair),
        ((53, 199), 1, 2 | 0o4000, 0, pair),
    ):
        try:
            lore.call(numbers, *how)
            lore.worked(how[:2])
        except OSError:
            pass
    return 0 * x
