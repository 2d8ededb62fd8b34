# ROW: 72
# ATTACK: fills the disk by files each of which is small enough
# EXPECT: FAILED
# CONTROL: bare -> worked: 48 MiB are on the disk
# TIERS: 3
# NEEDS: posix
# LIMITS: memory_mib=64
# OPEN: the temporary folder has no quota
import os

import lore


def target(x):
    try:
        for number in range(12):
            with open(f"large{number}", "wb") as file:
                file.write(bytes(2**22))
        lore.worked()
    except OSError:
        pass
    return 0 * x

