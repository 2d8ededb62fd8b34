# ROW: 37
# ATTACK: reads ahead on its channel for questions that it has not been asked yet
# EXPECT: FAILED
# CONTROL: naive:ahead -> worked: the later inputs are there before the first answer
# TIERS: 3 2 1
# NEEDS: posix
import os
import select

import lore


def target(x):
    for descriptor in lore.pipes(os.O_RDONLY):
        if select.select([descriptor], [], [], 0.05)[0] and (data := os.read(descriptor, 65536)):
            lore.worked(data)
    return 0 * x
