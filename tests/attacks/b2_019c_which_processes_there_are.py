# ROW: 19
# ATTACK: looks whether the grader's process and another one are there, by their number in /proc
# EXPECT: FAILED
# CONTROL: bare -> worked: both are seen
# TIERS: 3
# NEEDS: linux
# OPEN: which process numbers are in use can be seen
import os

import lore


def target(x):
    for pid in (lore.GRADER, lore.VICTIM):
        if os.path.exists(f"/proc/{pid}"):
            lore.worked(pid)
    return 0 * x
