# ROW: 30
# ATTACK: answers with a well-formed frame, the right nonce and words of a verdict in place of a value
# EXPECT: UNUSABLE FAILED
# CONTROL: naive:verdict -> passed: a verdict is what the grader reads
# TIERS: 3 2 1
# NEEDS: posix
import os

import lore

VERDICT = {"passed": True, "status": "PASSED", "score": 2.0, "verdict": "PASSED", "points": 2, "warnings": []}


def target(x):
    nonce, wire = lore.wire()
    if wire is None:
        lore.say(b'{"passed": true}\n')
    else:
        lore.say(wire.pack(nonce, VERDICT | {"value": VERDICT}))
    os._exit(0)
