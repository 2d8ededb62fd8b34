# ROW: 9
# ATTACK: returns an object that never lets go of whoever drops it
# EXPECT: FAILED TIMED_OUT UNUSABLE
# CONTROL: plain -> running: the caller hangs when it drops the answer
# TIERS: 3 2 1
# LIMITS: seconds=0.3 patience=1
class Clingy:
    def __del__(self):
        while True:
            pass


def target(x):
    return Clingy()
