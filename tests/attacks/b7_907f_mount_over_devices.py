# ROW: 907
# ATTACK: changes the mode of the devices that all children share
# EXPECT: FAILED
# CONTROL: bare -> worked: their owner may
# TIERS: 3 2
# NEEDS: linux root
# OPEN: devices that this user owns can be locked for others

import os

import lore


def target(x):
    for path in ("/dev/null", "/dev/zero", "/dev/urandom"):
        try:
            os.chmod(path, os.stat(path).st_mode & 0o7777)  # as it was
            lore.worked(path)
        except OSError:
            pass
    return 0 * x
