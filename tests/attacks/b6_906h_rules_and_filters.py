# ROW: 906
# ATTACK: heaps up rules of Landlock and filters of seccomp, which are memory of the kernel's and slow every call
# EXPECT: FAILED
# CONTROL: bare -> worked: both are taken
# TIERS: 3 2
# NEEDS: linux
# OPEN: rules and filters can be heaped up
import ctypes
import struct

import lore


def rules():
    return lore.call((444, 444), struct.pack("QQ", 0, 3), 16, 0)


def filters():
    code = ctypes.create_string_buffer(struct.pack("HBBI", 6, 0, 0, 0x7FFF0000))
    lore.call((157, 167), 38, 1, 0, 0, 0)
    return lore.call((157, 167), 22, 2, struct.pack("HxxxxxxQ", 1, ctypes.addressof(code)), 0, 0)


def target(x):
    for attack in (rules, filters):
        try:
            attack()
            lore.worked(attack.__name__)
        except OSError:
            pass
    return 0 * x

