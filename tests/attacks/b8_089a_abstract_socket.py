# ROW: 89
# ATTACK: connects to a server that has a name and no file
# EXPECT: FAILED
# CONTROL: bare -> abstract: the server hears of it
# TIERS: 3 2
# NEEDS: linux
# OPEN: servers on this machine can be talked to
import socket

import lore


def target(x):
    try:
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(f"\0{lore.ABSTRACT}")
    except OSError:
        pass
    return 0 * x
