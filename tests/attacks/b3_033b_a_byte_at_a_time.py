# ROW: 33
# ATTACK: sends the right answer a byte at a time, so that something always arrives
# EXPECT: TIMED_OUT
# CONTROL: naive:verdict -> running: the grader goes on reading
# TIERS: 3 2 1
# NEEDS: posix
# LIMITS: seconds=0.2
import time

import lore


def target(x):
    nonce, wire = lore.wire()
    text = b'{"passed": true, "because": "a text of some length"}\n'
    for byte in text if wire is None else wire.pack(nonce, {"value": 3 * x - 1, "warnings": []}):
        lore.say(bytes([byte]))
        time.sleep(0.2)
