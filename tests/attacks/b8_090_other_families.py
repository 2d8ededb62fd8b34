# ROW: 90
# ATTACK: opens sockets of the families that are seldom thought of: to the host, to the kernel, to its ciphers, to radios
# EXPECT: FAILED
# CONTROL: bare -> worked: at least one is to be had
# TIERS: 3 2
# NEEDS: linux
# OPEN: the parts of the kernel behind these sockets
import socket

import lore

FAMILIES = (40, 16, 38, 31, 30, 29, 44, 15)  # VSOCK, NETLINK, ALG, BLUETOOTH, TIPC, CAN, XDP, KEY


def target(x):
    for family in FAMILIES:
        for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW, socket.SOCK_SEQPACKET):
            try:
                socket.socket(family, kind).close()
                lore.worked(family)
                break
            except OSError:
                pass
    return 0 * x
