# ROW: 71
# ATTACK: answers, and a thread that it left behind prints without end
# EXPECT: TOO_MUCH_OUTPUT FAILED
# CONTROL: plain -> printed: all of it is taken
# TIERS: 3 2 1
import os
import threading


def flood():
    for _ in range(4000):
        os.write(1, b"y" * 1000)


def target(x):
    threading.Thread(target=flood).start()
    return 0 * x
