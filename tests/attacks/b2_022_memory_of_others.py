# ROW: 22
# ATTACK: reads the grader's memory by process_vm_readv
# EXPECT: FAILED
# CONTROL: bare -> canary: the secret in the grader's memory is printed
# TIERS: 3 2
# NEEDS: linux
# OPEN: the memory of the grader can be read
import ctypes

import lore


class Piece(ctypes.Structure):
    _fields_ = (("base", ctypes.c_void_p), ("length", ctypes.c_size_t))


def target(x):
    libc = ctypes.CDLL(None, use_errno=True)
    for pid, address, length in (lore.GRADER_SECRET, lore.VICTIM_SECRET):
        room = ctypes.create_string_buffer(length)
        here, there = Piece(ctypes.addressof(room), length), Piece(address, length)
        one, none = ctypes.c_ulong(1), ctypes.c_ulong(0)
        if libc.process_vm_readv(pid, ctypes.byref(here), one, ctypes.byref(there), one, none) == length:
            print(room.raw)
    return 0 * x
