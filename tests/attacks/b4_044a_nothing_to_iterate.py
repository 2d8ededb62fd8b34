# ROW: 44
# ATTACK: returns a generator that yields nothing
# EXPECT: UNUSABLE
# CONTROL: own -> passed: a comparison pair by pair finds no pair that is off
# TIERS: 3 2 1
# SAYS: something that makes its values only when asked
# KIND: builder
def build(lore):
    return {"target.py": b"def target(x):\n    return (value for value in ())\n"}


def control(where):
    names = {}
    exec(where.place.read_text(), names)
    return all(abs(got - want) < 1e-6 for got, want in zip(names["target"]([1.0]), [2.0]))
