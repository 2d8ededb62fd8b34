# ROW: 82
# ATTACK: becomes another program
# EXPECT: FAILED
# CONTROL: bare -> worked: it does
# TIERS: 3 2
# NEEDS: linux
# OPEN: programs can be run

import os
import sys

import lore


def target(x):
    try:
        os.execv(sys.executable, [sys.executable, "-S", "-c", f"print({lore._WORKED!r})"])
    except OSError:
        pass
    return 0 * x
