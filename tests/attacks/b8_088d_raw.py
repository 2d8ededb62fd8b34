# ROW: 88
# ATTACK: makes raw packets and echo requests, and listens to all packets
# EXPECT: FAILED
# CONTROL: bare -> worked: it may, as root
# TIERS: 3 2
# NEEDS: linux root
# OPEN: a submission can use the network as this user can
import socket

import lore


def target(x):
    for family, kind, protocol in (
        (socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP),
        (socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW),
        (socket.AF_INET, socket.SOCK_DGRAM, socket.IPPROTO_ICMP),
        (17, socket.SOCK_RAW, 0),  # AF_PACKET
    ):
        try:
            socket.socket(family, kind, protocol).close()
            lore.worked(family, kind, protocol)
        except OSError:
            pass
    return 0 * x
