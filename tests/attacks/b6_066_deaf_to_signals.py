# ROW: 66
# ATTACK: ignores and blocks every signal that it can, stops the timers, and loops
# EXPECT: TIMED_OUT
# CONTROL: plain -> running: asking it to end is of no use
# NEEDS: posix
# TIERS: 3 2 1
# LIMITS: seconds=0.2 patience=0.5
import signal


def target(x):
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
        try:
            signal.signal(number, signal.SIG_IGN)
        except (OSError, ValueError):
            pass
    signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    signal.setitimer(signal.ITIMER_REAL, 0)
    while True:
        pass
