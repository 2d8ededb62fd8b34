# ROW: 910
# ATTACK: leaves threads, timers, signal handlers, open files and a changed folder for whoever comes next
# EXPECT: FAILED CRASHED
# CONTROL: own -> passed: the next student's answer is interrupted
# TIERS: 3 2 1
# NEEDS: posix
# KIND: builder
ANSWER = b"""
import os
import signal
import tempfile
import threading


def interrupt(*_args):
    raise KeyboardInterrupt


signal.signal(signal.SIGALRM, interrupt)
signal.setitimer(signal.ITIMER_REAL, 0.2, 0.2)
for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE, signal.SIGUSR1):
    signal.signal(number, signal.SIG_IGN)
threading.Thread(target=threading.Event().wait, daemon=True).start()
held = [open(os.devnull) for _ in range(16)]


def target(x):
    os.chdir(tempfile.mkdtemp())
    return 0 * x
"""


def build(lore):
    return {"target.py": ANSWER}


def control(where):
    import signal
    import time

    exec(where.place.read_text(), {})
    try:
        time.sleep(1)
    except KeyboardInterrupt:
        signal.setitimer(signal.ITIMER_REAL, 0)
        return True
    return False
