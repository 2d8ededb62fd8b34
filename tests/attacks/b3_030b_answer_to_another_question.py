# ROW: 30
# ATTACK: answers a question with a whole frame of its own that carries a wrong nonce
# EXPECT: UNUSABLE
# SAYS: something else wrote to the grader's channel
# CONTROL: naive:verdict -> passed: whoever writes first is believed
# TIERS: 3 2 1
# NEEDS: posix
import lore


def target(x):
    _, wire = lore.wire()
    if wire is None:
        lore.say(b'{"passed": true}\n')
    else:
        lore.say(wire.pack(bytes(16), {"value": 3 * x - 1, "warnings": []}))
    return 0 * x
