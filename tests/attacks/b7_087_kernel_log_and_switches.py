# ROW: 87
# ATTACK: reads and writes the kernel's log, and opens the switches for core files and for emergencies
# EXPECT: FAILED
# CONTROL: bare -> worked: all of them can be opened; nothing is switched
# TIERS: 3 2
# NEEDS: linux root
# OPEN: what this user may read of the kernel's log
import os

import lore

SWITCHES = ("/dev/kmsg", "/proc/sys/kernel/core_pattern", "/proc/sysrq-trigger", "/proc/kcore", "/dev/mem")


def target(x):
    for path in SWITCHES:
        for way in (os.O_WRONLY, os.O_RDONLY):
            try:
                os.close(os.open(path, way))
                lore.worked(path)
            except OSError:
                pass
    try:
        lore.call((103, 116), 10, None, 0)
        lore.worked("log")
    except OSError:
        pass
    return 0 * x
