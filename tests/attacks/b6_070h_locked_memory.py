# ROW: 70
# ATTACK: locks memory, so that the machine can never take it back
# EXPECT: FAILED
# CONTROL: bare -> worked: a mebibyte is locked
# TIERS: 3 2
# NEEDS: linux
# OPEN: as much memory can be locked as this user may
import ctypes

import lore


def target(x):
    room = ctypes.create_string_buffer(2**20)
    try:
        lore.call((149, 228), ctypes.byref(room), 2**20)
        lore.worked()
    except OSError:
        pass
    return 0 * x

