# ROW: 907
# ATTACK: changes the flags of a library's file, for which being its owner and reading it is enough
# EXPECT: FAILED
# CONTROL: bare -> worked: the file's owner may
# TIERS: 3 2
# NEEDS: linux root
# OPEN: flags of files that this user owns can be changed

import fcntl
import os
import struct

import lore


def target(x):
    held = os.open(os.__file__, os.O_RDONLY)
    try:
        flags = struct.unpack("l", fcntl.ioctl(held, 0x80086601, struct.pack("l", 0)))[0]
        fcntl.ioctl(held, 0x40086602, struct.pack("l", flags))  # as they were
        lore.worked()
    except OSError:
        pass
    return 0 * x
