# ROW: 904
# ATTACK: returns an object whose class lies about its name, its module, its methods and its being a class
# EXPECT: FAILED CRASHED UNUSABLE
# CONTROL: naive:eq -> exit1: the grader ends with what the class raises
# TIERS: 3 2 1
class Liar(type):
    def __getattribute__(cls, name):
        raise SystemExit(1)

    def __instancecheck__(cls, other):
        raise SystemExit(1)

    def __repr__(cls):
        raise SystemExit(1)


class Answer(metaclass=Liar):
    def __eq__(self, other):
        raise SystemExit(1)

    def __getattribute__(self, name):
        raise SystemExit(1)

    __array_ufunc__ = None


def target(x):
    return Answer()
