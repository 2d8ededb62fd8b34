# ROW: 7
# ATTACK: a thread ends the process with exit code 0 while the function seems to be at work
# EXPECT: CRASHED
# CONTROL: naive:exit -> passed: a grader that goes by the exit code believes it
# TIERS: 3 2 1
# SAYS: exited with code 0
import os
import sys
import threading
import time


def target(x):
    threading.Thread(target=sys.exit, args=(0,)).start()  # ends the thread and nothing else
    threading.Thread(target=os._exit, args=(0,)).start()
    time.sleep(60)
    return 0 * x
