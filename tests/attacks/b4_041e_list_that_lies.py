# ROW: 41
# ATTACK: returns a list of its own class that equals everything and shows other items than it holds
# EXPECT: FAILED
# CONTROL: naive:eq -> passed: the comparison asks it
# TIERS: 3 2 1
class Items(list):
    __array_ufunc__ = None
    __hash__ = None

    def __eq__(self, other):
        return True

    def __iter__(self):
        return iter([3 * x - 1 for x in self.shown])

    def __len__(self):
        return len(self.shown)

    def __getitem__(self, index):
        return 3 * self.shown[index] - 1


def target(x):
    items = Items([0.0] * len(x))
    items.shown = x
    return items
