# ROW: 33
# ATTACK: sends the right answer twice and a wrong one behind it, so that later questions are answered ahead
# EXPECT: UNUSABLE
# CONTROL: naive:verdict -> passed: the first line counts, whatever comes behind it
# TIERS: 3 2 1
# NEEDS: posix
import lore


def target(x):
    nonce, wire = lore.wire()
    if wire is None:
        lore.say(b'{"passed": true}\n{"passed": true}\n')
    else:
        lore.say(wire.pack(nonce, {"value": 3 * x - 1, "warnings": []}) * 2)
    return 0 * x
