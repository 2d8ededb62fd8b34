# ROW: 79
# ATTACK: ends another process by a signal that carries a value
# EXPECT: FAILED
# CONTROL: bare -> victim: it ends
# TIERS: 3 2
# NEEDS: linux
# OPEN: processes of the same user can be signalled

import ctypes
import signal
import struct

import lore


def target(x):
    told = ctypes.create_string_buffer(struct.pack("iii", signal.SIGTERM, 0, -1), 128)
    try:
        lore.call((129, 138), lore.VICTIM, int(signal.SIGTERM), told)
    except OSError:
        pass
    return 0 * x
