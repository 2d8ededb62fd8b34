# ROW: 114
# ATTACK: opens the other GPUs of this machine, where other students are judged
# EXPECT: FAILED
# CONTROL: bare -> worked: they can be opened
# TIERS: 3 2
# NEEDS: linux gpu gpus
# PROBLEM: tensors
# LIMITS: seconds=20 import_seconds=120 problem_seconds=300 memory_mib=8192
# OPEN: every GPU that this user may use
import glob
import os

import lore


def target(x):
    opened = 0
    for path in glob.glob("/dev/nvidia[0-9]*"):
        try:
            os.close(os.open(path, os.O_RDWR))
            opened += 1
        except OSError:
            pass
    if opened > 1:
        lore.worked(opened)
    return 0 * x
