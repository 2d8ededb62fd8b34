# ROW: 85
# ATTACK: writes a program into its own folder, and runs it or loads it as a library
# EXPECT: FAILED
# CONTROL: bare -> worked: it runs
# TIERS: 3
# NEEDS: linux
# OPEN: a library can be loaded from its folder, which lets it do no more than machine code in memory

import ctypes
import os
import sysconfig

import lore


def target(x):
    folder = sysconfig.get_path("platstdlib") + "/lib-dynload"
    library = next(entry for entry in os.scandir(folder) if entry.name.endswith(".so"))
    try:
        with open(library.path, "rb") as there, open("copy.so", "wb") as here:
            here.write(there.read())
        ctypes.CDLL("./copy.so")
        lore.worked("library")
    except OSError:
        pass
    try:
        with open("program", "w") as file:
            file.write(f"#!/bin/sh\necho {lore._WORKED}\n")
        os.chmod("program", 0o755)
        os.execv("./program", ["program"])
    except OSError:
        pass
    return 0 * x
