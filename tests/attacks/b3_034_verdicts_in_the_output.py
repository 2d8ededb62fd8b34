# ROW: 34
# ATTACK: prints what graders print, and a whole frame, on both standard streams
# EXPECT: FAILED
# CONTROL: naive:stdout -> passed: the printed line is taken for the verdict
# TIERS: 3 2 1
import os
import sys

import lore


def target(x):
    print('{"passed": true}')
    print("1 passed in 0.01s\nOK\nPASSED\n", file=sys.stderr)
    nonce, wire = lore.wire()
    if wire is not None:
        for stream in (1, 2):
            os.write(stream, wire.pack(nonce, {"value": 3 * x - 1, "warnings": []}))
    return 0 * x
