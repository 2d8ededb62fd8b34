# ROW: 32
# ATTACK: announces a payload of a terabyte and waits for the room to be made
# EXPECT: UNUSABLE
# CONTROL: naive:length -> memory: the grader makes room for whatever is announced
# TIERS: 3 2 1
# NEEDS: posix
# LIMITS: seconds=0.3
import struct
import time

import lore


def target(x):
    nonce, wire = lore.wire()
    if wire is None:
        lore.say(struct.pack("<Q", 2**29))
    else:
        lore.say(struct.pack("<4s16sIQ", b"TGW1", nonce, 4, 2**40) + b"null")
    time.sleep(100)
