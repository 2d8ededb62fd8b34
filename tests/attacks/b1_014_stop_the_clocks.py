# ROW: 14
# ATTACK: makes every clock of Python stand still, and computes for ever
# EXPECT: TIMED_OUT
# CONTROL: own -> passed: a grader that takes the time in the same process measures none
# TIERS: 3 2 1
# LIMITS: seconds=0.3
# KIND: builder
ANSWER = """
import os
import resource
import signal
import time

stood = time.perf_counter()
for name in ("time", "perf_counter", "monotonic", "process_time", "thread_time"):
    setattr(time, name, lambda: stood)
    setattr(time, name + "_ns", lambda: int(stood * 1e9))
time.clock_gettime = lambda _clock: stood
os.times = lambda: (0.0,) * 5
still = resource.getrusage(resource.RUSAGE_SELF)
resource.getrusage = lambda _who: still
signal.setitimer(signal.ITIMER_REAL, 0)
signal.alarm(0)


def target(x, rounds=10**12):
    for _ in range(rounds):
        pass
    return 3 * x - 1
"""


def build(lore):
    return {"target.py": ANSWER.encode()}


def control(where):
    import time

    honest = time.perf_counter
    names = {}
    exec(where.place.read_text(), names)
    really, began = honest(), time.perf_counter()
    names["target"](2.0, 3 * 10**6)
    return time.perf_counter() - began == 0 < honest() - really
