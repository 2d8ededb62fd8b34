# ROW: 64
# ATTACK: sums for ever in one call into C, where no signal handler of Python's runs
# EXPECT: TIMED_OUT
# CONTROL: plain -> running: an alarm that a runner set in this process would not be heard
# TIERS: 3 2 1
# LIMITS: seconds=0.2 patience=0.5
import signal


def target(x):
    if hasattr(signal, "alarm"):
        signal.alarm(0)
    return x * sum(range(10**12))
