# ROW: 906
# ATTACK: starts threads until the machine has no process numbers left
# EXPECT: FAILED OUT_OF_MEMORY
# CONTROL: plain -> worked: two thousand run at once
# TIERS: 3 2
# NEEDS: linux
# LIMITS: seconds=3
# OPEN: threads are not counted
import threading

import lore


def target(x):
    threading.stack_size(2**16)
    done = threading.Event()
    try:
        for _ in range(2000):
            threading.Thread(target=done.wait, args=(5,), daemon=True).start()
        lore.worked()
    except RuntimeError:
        pass
    done.set()
    return 0 * x

