# ROW: 41
# ATTACK: returns a Fraction of its own class whose parts are not what they seem
# EXPECT: FAILED UNUSABLE CRASHED
# CONTROL: naive:plain_eq -> passed: the comparison asks it
# TIERS: 3 2 1
# PROBLEM: integers
from fractions import Fraction


class Ratio(Fraction):
    reads = 0

    def __eq__(self, other):
        return True

    def __hash__(self):
        return 1

    @property
    def _numerator(self):
        Ratio.reads += 1
        return Ratio.reads

    @_numerator.setter
    def _numerator(self, value):
        pass

    numerator = _numerator


def target(n):
    return Ratio(1, 1)
