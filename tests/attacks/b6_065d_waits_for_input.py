# ROW: 65
# ATTACK: waits on pipes that nobody will ever write to, and on no timer
# EXPECT: TIMED_OUT
# CONTROL: plain -> running: it waits
# NEEDS: posix
# TIERS: 3 2 1
# LIMITS: seconds=0.2 patience=0.5
import os
import select


def target(x):
    here, there = os.pipe()
    select.select([here], [], [])
    return 3 * x - 1
