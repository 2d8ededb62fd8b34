# ROW: 906
# ATTACK: gives each thread a table of open files of its own, so that the limit on them holds for each alone
# EXPECT: FAILED
# CONTROL: bare -> worked: four threads hold four times the limit
# TIERS: 3 2
# NEEDS: linux
# OPEN: the limit on open files can be passed
import os
import resource
import threading
import time

import lore

held = []


def open_many():
    try:
        lore.call((436, 436), 2**32 - 1, 2**32 - 1, 2)
    except OSError:
        pass
    count = 0
    try:
        while True:
            os.open("/dev/null", os.O_RDONLY)
            count += 1
    except OSError:
        held.append(count)
    time.sleep(0.2)


def target(x):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(soft, 256), hard))
    held.clear()
    threads = [threading.Thread(target=open_many) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if sum(held) > 512:
        lore.worked(held)
    return 0 * x

