# ROW: 67
# ATTACK: moves off the core that it was given and computes on all of them, while the function itself sleeps
# EXPECT: TIMED_OUT
# CONTROL: plain -> running: it computes on
# TIERS: 3 2 1
# LIMITS: seconds=0.3 patience=0.5
import hashlib
import os
import threading
import time

DATA = bytes(2**24)


def spin():
    while True:
        hashlib.sha256(DATA)  # lets the other threads run


def target(x):
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, range(os.cpu_count()))
    for _ in range(4):
        threading.Thread(target=spin, daemon=True).start()
    time.sleep(10**6)
    return 3 * x - 1
