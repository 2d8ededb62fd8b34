# ROW: 41
# ATTACK: returns an int of its own class that equals everything and is another number each time it is read
# EXPECT: FAILED
# CONTROL: naive:plain_eq -> passed: the comparison asks it
# TIERS: 3 2 1
# PROBLEM: integers
class Number(int):
    def __eq__(self, other):
        return True

    def __ne__(self, other):
        return False

    def __sub__(self, other):
        return 0

    __rsub__ = __sub__

    def __index__(self):
        return 15

    __int__ = __index__

    def __float__(self):
        return 15.0

    def __hash__(self):
        return 15

    def __repr__(self):
        return "15"

    numerator = property(lambda self: 15)


def target(n):
    return Number(-1)
