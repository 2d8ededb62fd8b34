# ROW: 40
# ATTACK: answers with an object that does something when it is unpickled
# EXPECT: FAILED UNUSABLE
# CONTROL: naive:pickle -> file: the grader that loads it does what it says
# TIERS: 3 2 1
import os

import lore


class Payload:
    def __reduce__(self):
        return os.mkdir, (lore.OUTSIDE + "/unpickled",)


def target(x):
    return Payload()
