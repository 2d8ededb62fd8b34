# ROW: 64
# ATTACK: loops for ever and swallows whatever interrupts it
# EXPECT: TIMED_OUT
# CONTROL: plain -> running: nothing stops it
# TIERS: 3 2 1
# LIMITS: seconds=0.2 patience=0.5
def target(x):
    while True:
        try:
            while True:
                pass
        except BaseException:
            pass
