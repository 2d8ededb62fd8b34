# ROW: 70
# ATTACK: keeps arrays until there is no memory left
# EXPECT: OUT_OF_MEMORY
# CONTROL: plain -> memory: it gets all that it asks for
# TIERS: 3 2 1
# NEEDS: linux
import numpy as np

kept = []


def target(x):
    while len(kept) < 100:  # without this bound it would go on
        kept.append(np.ones(2**19))
    return 0 * x
