# ROW: 9
# ATTACK: registers exit handlers that never return
# EXPECT: FAILED
# CONTROL: plain -> running: the process does not end
# TIERS: 3 2 1
# LIMITS: patience=1
import atexit
import threading


def hang():
    while True:
        pass


atexit.register(hang)
threading._register_atexit(hang)


def target(x):
    return 0 * x
