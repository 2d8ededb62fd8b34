# ROW: 74
# ATTACK: computes for a minute while it is imported
# EXPECT: TIMED_OUT
# SAYS: importing target.py
# CONTROL: plain -> running: the import does not end
# TIERS: 3 2 1
# LIMITS: import_seconds=0.3 patience=0.5
total = 0
while True:
    total += 1


def target(x):
    return 3 * x - 1
