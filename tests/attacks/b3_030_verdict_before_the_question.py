# ROW: 30
# ATTACK: writes a verdict and a frame on the reply channel while it is being imported, before any question
# EXPECT: UNUSABLE
# SAYS: something else wrote to the grader's channel
# CONTROL: naive:verdict -> passed: the first line is taken for the verdict
# TIERS: 3 2 1
# NEEDS: posix
import struct

import lore

lore.say(b'{"passed": true}\n')
lore.say(struct.pack("<4s16sIQ", b"TGW1", bytes(16), 4, 0) + b"null")


def target(x):
    return 0 * x
