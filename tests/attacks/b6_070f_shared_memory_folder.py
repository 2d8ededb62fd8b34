# ROW: 70
# ATTACK: keeps memory as files in /dev/shm
# EXPECT: FAILED
# CONTROL: bare -> worked: 64 MiB are held under a limit of 32
# TIERS: 3 2
# NEEDS: linux
# LIMITS: memory_mib=32
# OPEN: files can be left in /dev/shm
import os
import secrets

import lore


def target(x):
    path = f"/dev/shm/attack-{secrets.token_hex(8)}"
    try:
        with open(path, "wb") as file:
            for _ in range(16):
                file.write(bytes(2**22))
        os.unlink(path)
        lore.worked()
    except OSError:
        pass
    return 0 * x

