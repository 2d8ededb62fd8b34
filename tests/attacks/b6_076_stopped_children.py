# ROW: 76
# ATTACK: leaves children behind that are dead and not waited for, or stopped
# EXPECT: FAILED
# CONTROL: bare -> left: the stopped ones are there when the submission has been judged
# TIERS: 3 2
# NEEDS: posix
# OPEN: stopped processes that left the process group stay
import os
import signal


def target(x):
    for number in range(4):
        try:
            pid = os.fork()
        except OSError:
            break
        if pid == 0:
            if number % 2:
                os.setsid()
                os.kill(os.getpid(), signal.SIGSTOP)
            os._exit(0)
    return 0 * x

