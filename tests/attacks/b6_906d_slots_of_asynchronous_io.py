# ROW: 906
# ATTACK: reserves slots for asynchronous input and output, of which the whole machine has one small store
# EXPECT: FAILED
# CONTROL: bare -> worked: a thousand are taken
# TIERS: 3 2
# NEEDS: linux
# OPEN: databases on this machine can be starved of asynchronous input and output
import ctypes

import lore


def target(x):
    place = ctypes.c_ulong()
    try:
        lore.call((206, 0), 1000, ctypes.byref(place))
        lore.worked()
        lore.call((207, 1), place.value)
    except OSError:
        pass
    return 0 * x

