# ROW: 906
# ATTACK: makes timers by the thousand, each of which is memory of the kernel's
# EXPECT: FAILED
# CONTROL: bare -> worked: three thousand are made
# TIERS: 3 2
# NEEDS: linux
# OPEN: timers are not counted
import ctypes

import lore


def target(x):
    made = 0
    try:
        while made < 3000:
            lore.call((222, 107), 1, None, ctypes.byref(ctypes.c_int()))
            made += 1
        lore.worked(made)
    except OSError:
        pass
    return 0 * x

