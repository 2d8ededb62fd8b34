# ROW: 68
# ATTACK: starts a process by vfork, by clone and by clone3, past the C library
# EXPECT: FAILED
# CONTROL: bare -> worked: each of them starts one
# TIERS: 3 2
# NEEDS: linux
# OPEN: processes can be started, as many as this user may have
import os
import signal
import struct

import lore


def vfork():
    return os.posix_spawn("/bin/true", ["true"], {})


def clone():
    return lore.call((56, 220), int(signal.SIGCHLD), 0, 0, 0, 0)


def clone3():
    return lore.call((435, 435), struct.pack("11Q", 0, 0, 0, 0, signal.SIGCHLD, 0, 0, 0, 0, 0, 0), 88)


def target(x):
    for way in (vfork, clone, clone3):
        try:
            pid = way()
        except OSError:
            continue
        if pid == 0:
            os._exit(0)
        os.waitpid(pid, 0)
        lore.worked(way.__name__)
    return 0 * x

