# ROW: 68
# ATTACK: forks twice and takes a session of its own, so that a signal to the process group misses it
# EXPECT: FAILED
# CONTROL: bare -> left: the daemon lives on when the submission has been judged
# TIERS: 3 2
# NEEDS: posix
# OPEN: a daemon that leaves its process group outlives the judging
import os
import time


def target(x):
    try:
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                for descriptor in range(256):
                    try:
                        os.close(descriptor)
                    except OSError:
                        pass
                time.sleep(20)
            os._exit(0)
    except OSError:
        pass
    return 0 * x

