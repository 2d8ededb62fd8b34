# ROW: 82
# ATTACK: starts programs by a subprocess, by a shell, by a descriptor and by the loader
# EXPECT: FAILED
# CONTROL: bare -> worked: they run
# TIERS: 3 2
# NEEDS: linux
# OPEN: programs can be run

import os
import subprocess
import sys

import lore

PROGRAM = f"print({lore._WORKED!r})"


def by_descriptor():
    if os.fork() == 0:
        os.execve(os.open(sys.executable, os.O_RDONLY), [sys.executable, "-S", "-c", PROGRAM], {})


def target(x):
    for way in (
        lambda: subprocess.run([sys.executable, "-S", "-c", PROGRAM], check=False),
        lambda: os.system(f"echo {lore._WORKED}"),
        by_descriptor,
    ):
        try:
            way()
        except OSError:
            pass
    return 0 * x
