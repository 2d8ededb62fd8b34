# ROW: 36
# ATTACK: opens its own channels again in the other direction through /proc, to read replies and to write requests
# EXPECT: FAILED
# CONTROL: bare -> worked: the channels are opened the other way
# TIERS: 3
# NEEDS: linux
# OPEN: a child can open its own channels the other way, which carry nothing but its own questions and answers
import os

import lore


def target(x):
    for mode, other in ((os.O_RDONLY, os.O_WRONLY), (os.O_WRONLY, os.O_RDONLY)):
        for descriptor in lore.pipes(mode):
            for path in (f"/proc/self/fd/{descriptor}", f"/dev/fd/{descriptor}"):
                try:
                    lore.worked(path, os.open(path, other | os.O_NONBLOCK))
                except OSError:
                    pass
    return 0 * x
