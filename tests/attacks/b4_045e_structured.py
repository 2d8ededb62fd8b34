# ROW: 45
# ATTACK: returns arrays with named fields, dates and bytes in place of numbers
# EXPECT: UNUSABLE
# CONTROL: own -> passed: a test of shape, size and truth takes each of them
# TIERS: 3 2 1
# SAYS: an array whose entries are not plain numbers
# KIND: builder
ANSWER = b"""
import numpy as np

kinds = [[("a", "f8"), ("b", "O")], "datetime64[s]", "S8", "U8", "V8", "timedelta64[ns]"]


def target(x, kinds=kinds):
    kinds.append(kinds.pop(0))
    return np.ones(x.shape, dtype="i8").astype(kinds[0]) if kinds[0] != "V8" else np.zeros(x.shape, dtype="V8")
"""


def build(lore):
    return {"target.py": ANSWER}


def control(where):
    import numpy as np

    names = {}
    exec(where.place.read_text(), names)
    x = np.arange(4.0)
    return all(got.shape == x.shape and got.size == 4 for got in map(names["target"], [x] * 6))
