# ROW: 70
# ATTACK: ends its first thread, by which the kernel tells a process's size, and keeps memory in another
# EXPECT: OUT_OF_MEMORY
# CONTROL: plain -> worked: 400 MiB are held
# TIERS: 3 2
# NEEDS: linux
# LIMITS: seconds=2
# OPEN: memory is not watched once the first thread has ended
import os
import threading
import time

import lore

kept = []


def grow():
    time.sleep(0.05)
    while len(kept) < 100:
        kept.append(b"x" * 2**22)
        time.sleep(0.002)
    lore.worked(len(kept))
    os._exit(0)


def target(x):
    threading.Thread(target=grow).start()
    lore.call((60, 93), 0)

