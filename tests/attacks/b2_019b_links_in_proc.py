# ROW: 19
# ATTACK: reads where the links of the grader in /proc lead: its program, its folder, its open files
# EXPECT: FAILED
# CONTROL: bare -> worked: the links are read
# TIERS: 3 2
# NEEDS: linux
# OPEN: which files the grader has open can be seen in /proc
import os

import lore


def target(x):
    for pid in (lore.GRADER, lore.VICTIM, os.getppid()):
        for name in ("exe", "cwd", "root", "fd/0", "ns/user"):
            try:
                lore.worked(os.readlink(f"/proc/{pid}/{name}"))
            except OSError:
                pass
    return 0 * x
