# ROW: 72
# ATTACK: writes one large file into its own folder
# EXPECT: FAILED
# CONTROL: bare -> worked: 48 MiB are on the disk
# TIERS: 3 2
# NEEDS: posix
# LIMITS: memory_mib=64
# OPEN: files of any size can be written into the temporary folder
import os

import lore


def target(x):
    try:
        with open("large", "wb", buffering=0) as file:
            while file.tell() < 48 * 2**20:
                file.write(bytes(2**22))
        lore.worked(os.stat("large").st_size)
    except OSError:
        pass
    finally:
        os.unlink("large")
    return 0 * x

