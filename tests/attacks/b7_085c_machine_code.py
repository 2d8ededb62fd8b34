# ROW: 85
# ATTACK: writes machine code into its memory that asks the kernel for a socket and for a file outside
# EXPECT: FAILED
# CONTROL: bare -> worked: it gets them
# TIERS: 3 2
# NEEDS: linux x86_64
# OPEN: what this user may do, machine code may do
import ctypes
import mmap

import lore

CALL = bytes.fromhex("4889f8 4889f7 4889d6 4889ca 0f05 c3")  # the number and three arguments, then syscall


def target(x):
    page = mmap.mmap(-1, 4096, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, prot=7)
    page.write(CALL)
    words = [ctypes.c_long] + 3 * [ctypes.c_long]
    call = ctypes.CFUNCTYPE(ctypes.c_long, *words)(ctypes.addressof(ctypes.c_char.from_buffer(page)))
    path = ctypes.create_string_buffer(lore.PRECIOUS.encode())
    for number, *how in ((41, 2, 1, 0), (2, ctypes.addressof(path), 0, 0)):
        if call(number, *how) >= 0:
            lore.worked(number)
    return 0 * x
