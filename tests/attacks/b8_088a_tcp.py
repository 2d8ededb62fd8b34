# ROW: 88
# ATTACK: connects to a server on this machine by TCP, by name and by number
# EXPECT: FAILED
# CONTROL: bare -> tcp: the server hears of it
# TIERS: 3 2
# NEEDS: posix
# OPEN: a submission can use the network as this user can
import socket

import lore


def target(x):
    for host in ("127.0.0.1", "localhost", "::ffff:127.0.0.1"):
        try:
            socket.create_connection((host, lore.TCP), timeout=0.2).sendall(b"x")
        except OSError:
            pass
    return 0 * x
