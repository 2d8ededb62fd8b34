# ROW: 67
# ATTACK: answers rightly and leaves threads behind that go on computing and keep the process alive
# EXPECT: PASSED TIMED_OUT
# CONTROL: plain -> running: the process does not end
# TIERS: 3 2 1
# LIMITS: seconds=0.5 patience=0.5
import threading


def spin():
    while True:
        pass


def target(x):
    threading.Thread(target=spin).start()
    return 3 * x - 1
