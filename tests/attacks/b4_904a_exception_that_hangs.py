# ROW: 904
# ATTACK: raises an exception that never comes to the end of its text
# EXPECT: TIMED_OUT
# CONTROL: naive:allclose -> running: whoever prints the traceback waits
# TIERS: 3 2 1
# LIMITS: seconds=0.3
class Endless(ValueError):
    def __str__(self):
        while True:
            pass

    __repr__ = __str__


def target(x):
    raise Endless
