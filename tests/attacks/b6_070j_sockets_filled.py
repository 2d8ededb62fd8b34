# ROW: 70
# ATTACK: makes pairs of sockets, enlarges their buffers and fills them, which is memory of the kernel's
# EXPECT: FAILED
# CONTROL: bare -> worked: more than 32 MiB are held
# TIERS: 3 2
# NEEDS: linux
# LIMITS: memory_mib=32 seconds=3
# OPEN: the buffers of sockets are not counted
import socket

import lore

DATA = bytes(2**17)


def target(x):
    held, kept = 0, []
    try:
        for _ in range(60):
            kept += (pair := socket.socketpair())
            for one in pair:
                one.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 2**20)
                one.setblocking(False)
                try:
                    while held <= 32 * 2**20:
                        held += one.send(DATA)
                except BlockingIOError:
                    pass
    except OSError:
        pass
    if held > 32 * 2**20:
        lore.worked(held)
    return 0 * x

