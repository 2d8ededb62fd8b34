# ROW: 36
# ATTACK: opens whatever its parent and the grader have open, through /proc
# EXPECT: FAILED
# CONTROL: bare -> worked: the grader's files are listed and opened
# TIERS: 3 2
# NEEDS: linux
# OPEN: what the grader has open can be opened again through /proc
import os

import lore


def target(x):
    for pid in (os.getppid(), lore.GRADER, lore.VICTIM):
        for number in range(32):
            try:
                lore.worked(pid, number, os.open(f"/proc/{pid}/fd/{number}", os.O_RDONLY | os.O_NONBLOCK))
            except OSError:
                pass
        try:
            lore.worked(os.listdir(f"/proc/{pid}/fd"))
        except OSError:
            pass
    return 0 * x
