# ROW: 907
# ATTACK: changes the mode, the times, the owner and the attributes of a file that it may not open
# EXPECT: FAILED
# CONTROL: bare -> file: it is changed
# TIERS: 3 2
# NEEDS: linux
# OPEN: files of this user can be changed

import os

import lore


def target(x):
    for way in (
        lambda: os.chmod(lore.PRECIOUS, 0o600),
        lambda: os.utime(lore.PRECIOUS, (1, 1)),
        lambda: os.chown(lore.PRECIOUS, -1, -1),
        lambda: os.setxattr(lore.PRECIOUS, "user.attack", b"x"),
        lambda: lore.call((76, 45), lore.PRECIOUS.encode(), 3),
    ):
        try:
            way()
        except OSError:
            pass
    return 0 * x
