# ROW: 89
# ATTACK: connects to a server by its file, as those of containers, screens and buses are
# EXPECT: FAILED
# CONTROL: bare -> unix: the server hears of it
# TIERS: 3 2
# NEEDS: posix
# OPEN: servers on this machine can be talked to
import socket

import lore


def target(x):
    for path in (lore.UNIX, "/run/docker.sock", "/run/dbus/system_bus_socket", "/tmp/.X11-unix/X0"):
        try:
            with socket.socket(socket.AF_UNIX) as client:
                client.connect(path)
        except OSError:
            pass
    return 0 * x
