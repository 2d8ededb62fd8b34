# ROW: 65
# ATTACK: sleeps, which takes no processor time
# EXPECT: TIMED_OUT
# SAYS: it slept or waited
# CONTROL: plain -> running: nothing wakes it
# TIERS: 3 2 1
# LIMITS: seconds=0.2 patience=0.5
import time


def target(x):
    time.sleep(10**6)
    return 3 * x - 1
