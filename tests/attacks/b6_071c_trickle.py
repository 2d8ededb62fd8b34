# ROW: 71
# ATTACK: prints a little again and again, so that it seems to be getting somewhere
# EXPECT: TIMED_OUT
# CONTROL: plain -> running: it goes on
# TIERS: 3 2 1
# LIMITS: seconds=0.2 patience=0.5
import time


def target(x):
    while True:
        print(".", end="", flush=True)
        time.sleep(0.02)
