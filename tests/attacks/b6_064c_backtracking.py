# ROW: 64
# ATTACK: matches a regular expression that backtracks for years
# EXPECT: TIMED_OUT
# CONTROL: plain -> running: it does not come back
# TIERS: 3 2 1
# LIMITS: seconds=0.2 patience=0.5
import re


def target(x):
    re.match(r"(a+)+$", "a" * 60 + "b")
    return 3 * x - 1
