# ROW: 88
# ATTACK: sends datagrams, which no rule about TCP stops
# EXPECT: FAILED
# CONTROL: bare -> udp: the server hears of it
# TIERS: 3 2
# NEEDS: posix
# OPEN: a submission can use the network as this user can
import socket

import lore


def target(x):
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
            sender.sendto(b"x", ("127.0.0.1", lore.UDP))
            sender.connect(("127.0.0.1", lore.UDP))
            sender.send(b"x")
    except OSError:
        pass
    return 0 * x
