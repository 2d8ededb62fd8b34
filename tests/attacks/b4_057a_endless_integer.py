# ROW: 57
# ATTACK: returns an integer of millions of digits that is quickly made and slowly printed
# EXPECT: UNUSABLE
# CONTROL: own -> running: whoever prints it waits
# TIERS: 3 2 1
# LIMITS: patience=1
# PROBLEM: integers
# SAYS: an int of more than 300 digits
# KIND: builder
ANSWER = b"""
import sys

sys.set_int_max_str_digits(0)


def target(n):
    return (1 << 9_000_000) + n
"""


def build(lore):
    return {"target.py": ANSWER}


def control(where):
    names = {}
    exec(where.place.read_text(), names)
    return len(f"got {names['target'](3)}, want 6") > 100
