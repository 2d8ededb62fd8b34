# ROW: 32
# ATTACK: sends arrays whose shapes are negative, overflow, or announce far more than the frame holds
# EXPECT: UNUSABLE
# CONTROL: naive:length -> memory: the grader makes room for whatever is announced
# TIERS: 3 2 1
# NEEDS: posix
# LIMITS: seconds=0.3
import struct
import time

import lore

SHAPES = ("-1", "9223372036854775808", "4294967296,4294967296", "1099511627776", "2,-3", "0,9223372036854775807", "1e9")


def target(x, asked=[]):
    nonce, wire = lore.wire()
    if wire is None:
        lore.say(struct.pack("<Q", 2**29))
        time.sleep(100)
    header = ('["d",["s",5],["a","f8",' + SHAPES[len(asked)] + "]]").encode()
    asked.append(0)
    lore.say(struct.pack("<4s16sIQ", b"TGW1", nonce, len(header), 13) + header + b"value" + bytes(8))
    time.sleep(100)
