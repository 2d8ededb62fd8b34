# ROW: 82
# ATTACK: becomes a program that runs as root whoever starts it
# EXPECT: FAILED
# CONTROL: bare -> worked: it does, and root may go on without a password
# TIERS: 3 2
# NEEDS: linux root
# OPEN: programs can be run

import os

import lore


def target(x):
    for program in ("/bin/su", "/usr/bin/su"):
        try:
            os.execv(program, ["su", "-c", f"echo {lore._WORKED}"])
        except OSError:
            pass
    return 0 * x
