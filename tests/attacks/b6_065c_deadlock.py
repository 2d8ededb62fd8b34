# ROW: 65
# ATTACK: waits for a lock that it holds, at import
# EXPECT: TIMED_OUT
# SAYS: importing target.py did not finish
# CONTROL: plain -> running: the import does not end
# TIERS: 3 2 1
# LIMITS: import_seconds=0.3 patience=0.5
import threading

lock = threading.Lock()
lock.acquire()
lock.acquire()


def target(x):
    return 3 * x - 1
