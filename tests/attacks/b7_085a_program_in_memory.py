# ROW: 85
# ATTACK: writes a program into memory that has no name, and runs it
# EXPECT: FAILED
# CONTROL: bare -> worked: it runs
# TIERS: 3 2
# NEEDS: linux
# OPEN: programs can be run

import os
import sys

import lore


def target(x):
    try:
        held = os.memfd_create("x", 0)
        os.write(held, f"#!/bin/sh\necho {lore._WORKED}\n".encode())
        os.execve(held, ["x"], {})
    except OSError:
        pass
    return 0 * x
