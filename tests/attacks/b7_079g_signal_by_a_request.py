# ROW: 79
# ATTACK: makes another process the owner of a socket by ioctl, past the rules for fcntl
# EXPECT: FAILED
# CONTROL: bare -> victim: it ends
# TIERS: 3 2
# NEEDS: linux
# OPEN: processes of the same user can be signalled

import fcntl
import os
import socket
import struct

import lore


def target(x):
    here, there = socket.socketpair()
    try:
        fcntl.ioctl(here, 0x8901, struct.pack("i", lore.VICTIM))  # FIOSETOWN
        fcntl.fcntl(here, fcntl.F_SETFL, os.O_ASYNC)
        there.send(b"x")
    except OSError:
        pass
    return 0 * x
