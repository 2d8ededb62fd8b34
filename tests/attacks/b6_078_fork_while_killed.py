# ROW: 78
# ATTACK: hops from process to process, so that a killer always comes too late
# EXPECT: FAILED TIMED_OUT
# CONTROL: bare -> left: it is still hopping when the submission has been judged
# TIERS: 3 2
# NEEDS: posix
# OPEN: a process that forks faster than it is killed stays
import os
import time


def target(x):
    if not hop():
        return 0 * x
    os._exit(0)


def hop():
    try:
        if os.fork():
            return False
    except OSError:
        return False
    os.setsid()
    for descriptor in range(256):
        try:
            os.close(descriptor)
        except OSError:
            pass
    end = time.monotonic() + 6.5
    while time.monotonic() < end:
        time.sleep(0.03)
        if os.fork():
            os._exit(0)
    os._exit(0)

