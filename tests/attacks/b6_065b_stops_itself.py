# ROW: 65
# ATTACK: stops itself by a signal
# EXPECT: TIMED_OUT
# CONTROL: plain -> running: it stays stopped
# NEEDS: posix
# TIERS: 3 2 1
# LIMITS: seconds=0.2 patience=0.5
import os
import signal


def target(x):
    os.kill(os.getpid(), signal.SIGSTOP)
    return 3 * x - 1
