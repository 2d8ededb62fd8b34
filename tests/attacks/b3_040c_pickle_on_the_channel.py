# ROW: 40
# ATTACK: writes a pickle itself on the reply channel
# EXPECT: UNUSABLE
# CONTROL: naive:unpickle -> file: the grader that reads pickles does what it says
# TIERS: 3 2 1
# NEEDS: posix
import os
import pickle

import lore


class Payload:
    def __reduce__(self):
        return os.mkdir, (lore.OUTSIDE + "/unpickled",)


def target(x):
    lore.say(pickle.dumps(Payload()))
    return 0 * x
