# ROW: 88
# ATTACK: opens a port of its own, by IPv4 and IPv6, and waits for somebody to come and fetch what it knows
# EXPECT: FAILED
# CONTROL: bare -> worked: the port is open
# TIERS: 3 2
# NEEDS: posix
# OPEN: a submission can use the network as this user can
import socket

import lore


def target(x):
    for family, host in ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1")):
        try:
            with socket.socket(family) as server:
                server.bind((host, 0))
                server.listen()
                lore.worked(server.getsockname())
        except OSError:
            pass
    return 0 * x
