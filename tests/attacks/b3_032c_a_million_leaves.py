# ROW: 32
# ATTACK: sends a header of a million leaves
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
        time.sleep(100)
    header = b'["d",["s",5],["l"' + b",null" * 10**6 + b"]]"
    lore.say(struct.pack("<4s16sIQ", b"TGW1", nonce, len(header), 5) + header + b"value")
    time.sleep(100)
