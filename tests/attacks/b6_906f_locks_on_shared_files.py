# ROW: 906
# ATTACK: locks a file that every child reads, by each kind of lock, and asks who else holds one
# EXPECT: FAILED
# CONTROL: bare -> worked: the locks are had, and others would see them
# TIERS: 3 2
# NEEDS: linux
# OPEN: files can be locked by whoever may read them
import fcntl
import os
import struct

import lore


def lease(descriptor):
    fcntl.fcntl(descriptor, 1024, fcntl.F_RDLCK)


def whole(descriptor):
    fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)


def region(descriptor):
    fcntl.fcntl(descriptor, fcntl.F_SETLK, struct.pack("hhqqi", fcntl.F_RDLCK, 0, 0, 0, 0))


def ask(descriptor):
    fcntl.fcntl(descriptor, fcntl.F_GETLK, struct.pack("hhqqi", fcntl.F_WRLCK, 0, 0, 0, 0))


def open_file(descriptor):
    fcntl.fcntl(descriptor, 37, struct.pack("hhqqi", fcntl.F_RDLCK, 0, 0, 0, 0))


def target(x):
    descriptor = os.open(os.__file__, os.O_RDONLY)
    for kind in (lease, whole, region, ask, open_file):
        try:
            kind(descriptor)
            lore.worked(kind.__name__)
        except OSError:
            pass
    os.close(descriptor)
    return 0 * x

