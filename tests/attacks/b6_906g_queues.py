# ROW: 906
# ATTACK: makes a queue of messages, which outlives who made it and is memory of the kernel's
# EXPECT: FAILED
# CONTROL: bare -> worked: the queue is made
# TIERS: 3 2
# NEEDS: linux
# OPEN: queues can be left behind
import os

import lore


def target(x):
    try:
        os.close(lore.call((240, 180), b"attack", os.O_CREAT | os.O_RDWR, 0o600, None))
        lore.worked()
        lore.call((241, 181), b"attack")
    except OSError:
        pass
    return 0 * x

