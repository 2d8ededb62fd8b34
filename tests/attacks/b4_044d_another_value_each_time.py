# ROW: 44
# ATTACK: returns a dataclass whose field is right when it is looked at and the wanted one when it is compared
# EXPECT: FAILED
# CONTROL: own -> passed: a grader that reads twice is shown two values
# TIERS: 3 2 1
# KIND: builder
ANSWER = b"""
import dataclasses
import sys


@dataclasses.dataclass
class Result:
    value: object = None

    def __getattribute__(self, name):
        frame = sys._getframe(1)
        want = frame.f_locals.get("want")
        return [0.0] if want is None else want


def target(x):
    return Result()
"""


def build(lore):
    return {"target.py": ANSWER}


def control(where):
    names = {}
    exec(where.place.read_text(), names)
    got = names["target"]([1.0])
    if not isinstance(got.value, list):
        return False
    want = [2.0]
    return got.value == want
