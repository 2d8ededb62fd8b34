# ROW: 33
# ATTACK: sends half of its answer and hangs
# EXPECT: TIMED_OUT
# CONTROL: naive:verdict -> running: the grader waits for the rest for ever
# TIERS: 3 2 1
# NEEDS: posix
# LIMITS: seconds=0.2
import time

import lore


def target(x):
    nonce, wire = lore.wire()
    lore.say(b'{"passed": ' if wire is None else wire.pack(nonce, {"value": 3 * x - 1, "warnings": []})[:-1])
    time.sleep(100)
