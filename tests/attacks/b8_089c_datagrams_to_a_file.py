# ROW: 89
# ATTACK: sends datagrams to a server by its file, from a socket and from one of a pair, which need not be opened
# EXPECT: FAILED
# CONTROL: bare -> datagram: the server hears of it
# TIERS: 3 2
# NEEDS: linux
# OPEN: servers on this machine can be talked to
import socket

import lore


def alone():
    return socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)


def pair():
    return socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)[0]


def sequence():
    return socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)[0]


def target(x):
    for make in (alone, pair, sequence):
        try:
            make().sendto(b"x", lore.UNIX_DATAGRAM)
        except OSError:
            pass
    return 0 * x
