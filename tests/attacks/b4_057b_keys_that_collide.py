# ROW: 57
# ATTACK: returns a dict of thousands of integers that share one hash, with a hash of their own as long as it is theirs
# EXPECT: TIMED_OUT UNUSABLE OUT_OF_MEMORY
# CONTROL: own -> running: whoever copies it with plain keys waits
# TIERS: 3 2 1
# PROBLEM: integers
# LIMITS: seconds=0.3
# KIND: builder
ANSWER = b"""
import sys


class Key(int):
    def __hash__(self):
        return id(self) // 16


def target(n):
    return {Key(number * sys.hash_info.modulus): 1 for number in range(1, 49_000)}
"""


def build(lore):
    return {"target.py": ANSWER}


def control(where):
    names = {}
    exec(where.place.read_text(), names)
    return len({int(key): value for key, value in names["target"](3).items()}) > 1
