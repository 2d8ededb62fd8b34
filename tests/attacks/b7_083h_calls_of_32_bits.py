# ROW: 83
# ATTACK: makes system calls as programs of 32 bits do, whose numbers mean other calls
# EXPECT: CRASHED
# SAYS: SIGSYS
# CONTROL: bare -> worked: the kernel answers
# TIERS: 3 2
# NEEDS: linux i386
# OPEN: system calls can be made by way of another architecture
import ctypes
import mmap
import os

import lore

CODE = bytes.fromhex("53 b814000000 cd80 5b c3")  # getpid


def target(x):
    page = mmap.mmap(-1, 4096, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, prot=7)
    page.write(CODE)
    if ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))() == os.getpid():
        lore.worked()
    return 0 * x
