# ROW: 41
# ATTACK: returns a dict of its own class, with keys that equal every key and items that are not in it
# EXPECT: FAILED UNUSABLE
# CONTROL: naive:eq -> passed: the comparison asks it
# TIERS: 3 2 1
class Key(str):
    __hash__ = object.__hash__

    def __eq__(self, other):
        return True


class Items(dict):
    __array_ufunc__ = None
    __hash__ = None

    def __eq__(self, other):
        return True

    def items(self):
        return [(str(number), value) for number, value in enumerate(self.right)]

    values = __iter__ = lambda self: iter(self.right)


def target(x):
    items = Items({Key(number): 0.0 for number in range(len(x))})
    items.right = 3 * x - 1
    return items
