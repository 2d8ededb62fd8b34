# ROW: 32
# ATTACK: sends a header of a hundred thousand brackets, one in the other
# EXPECT: UNUSABLE
# CONTROL: naive:verdict -> exit1: reading it overflows the grader's stack
# TIERS: 3 2 1
# NEEDS: posix
# LIMITS: seconds=0.3
import struct
import time

import lore


def target(x):
    nonce, wire = lore.wire()
    if wire is None:
        lore.say(b'{"passed":' + b"[" * 50_000 + b"\n")
        time.sleep(100)
    header = b'["l",' * 100_000 + b"null" + b"]" * 100_000
    lore.say(struct.pack("<4s16sIQ", b"TGW1", nonce, len(header), 0) + header)
    time.sleep(100)
