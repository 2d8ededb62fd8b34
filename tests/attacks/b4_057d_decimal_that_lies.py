# ROW: 57
# ATTACK: returns a Decimal of its own class that equals everything
# EXPECT: UNUSABLE
# CONTROL: naive:plain_eq -> passed: the comparison asks it
# TIERS: 3 2 1
# PROBLEM: integers
# SAYS: a Decimal
import decimal


class Number(decimal.Decimal):
    def __eq__(self, other):
        return True

    __hash__ = decimal.Decimal.__hash__


def target(n):
    return Number(1)
