# ROW: 44
# ATTACK: returns a coroutine, which no test ever awaits
# EXPECT: UNUSABLE
# CONTROL: own -> passed: a test that only wants no exception sees none
# TIERS: 3 2 1
# SAYS: something that makes its values only when asked
# KIND: builder
def build(lore):
    return {"target.py": b"async def target(x):\n    raise ValueError\n"}


def control(where):
    import warnings

    warnings.simplefilter("ignore")
    names = {}
    exec(where.place.read_text(), names)
    return names["target"]([1.0]) is not None
