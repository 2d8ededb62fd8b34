# ROW: 57
# ATTACK: returns thousands of fractions without a common factor, whose sum has millions of digits
# EXPECT: FAILED UNUSABLE TIMED_OUT
# CONTROL: own -> running: whoever adds them up waits
# TIERS: 3 2 1
# PROBLEM: integers
# LIMITS: seconds=2 patience=1
# KIND: builder
ANSWER = b"""
from fractions import Fraction


def target(n):
    return [Fraction(1, 10**250 + 2 * number + 1) for number in range(4_000)]
"""


def build(lore):
    return {"target.py": ANSWER}


def control(where):
    names = {}
    exec(where.place.read_text(), names)
    return sum(names["target"](3)) > 0
