# ROW: 79
# ATTACK: asks whether it may signal the grader and the process that started it
# EXPECT: FAILED
# CONTROL: bare -> worked: it may
# TIERS: 3 2
# NEEDS: linux
# OPEN: processes of the same user can be signalled
import os

import lore


def target(x):
    for pid in (lore.GRADER, os.getppid(), 1):
        try:
            os.kill(pid, 0)
            lore.worked(pid)
        except OSError:
            pass
    return 0 * x
