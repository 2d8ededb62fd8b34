# ROW: 88
# ATTACK: asks for the address of a name, into which what it knows could be written
# EXPECT: FAILED
# CONTROL: bare -> worked: a question could be sent
# TIERS: 3 2
# NEEDS: posix
# OPEN: a submission can use the network as this user can
import socket

import lore


def target(x):
    for ask in (lambda: socket.getaddrinfo("localhost", None), lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM)):
        try:
            ask()
            lore.worked()
        except OSError:
            pass
    return 0 * x
