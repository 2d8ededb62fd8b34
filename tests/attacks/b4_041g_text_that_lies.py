# ROW: 41
# ATTACK: returns a text of its own class that equals everything and reads as a number
# EXPECT: FAILED
# CONTROL: naive:plain_eq -> passed: the comparison asks it
# TIERS: 3 2 1
# PROBLEM: integers
class Text(str):
    def __eq__(self, other):
        return True

    __hash__ = str.__hash__

    def __str__(self):
        return "15"

    def encode(self, *_args):
        return b"15"

    def __float__(self):
        return 15.0

    def __index__(self):
        return 15


def target(n):
    return Text("wrong")
