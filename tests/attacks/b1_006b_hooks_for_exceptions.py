# ROW: 6
# ATTACK: hooks for uncaught exceptions and a profile function that end the process with exit code 0
# EXPECT: FAILED CRASHED
# CONTROL: naive:exit -> passed: a grader that goes by the exit code believes it
# TIERS: 3 2 1
import os
import sys
import threading


def leave(*_args):
    os._exit(0)


def watch(frame, event, _argument):
    if event == "call" and frame.f_code.co_name in ("graded", "_exported", "_packed", "asserted"):
        leave()


sys.excepthook = sys.unraisablehook = threading.excepthook = leave


def target(x):
    sys.setprofile(watch)
    return 0 * x
