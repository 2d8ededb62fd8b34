# ROW: 100
# ATTACK: a source with a constant that the compiler works out for ever, and attributes a hundred thousand deep
# EXPECT: CRASHED OUT_OF_MEMORY TIMED_OUT
# CONTROL: plain -> exit1: whoever compiles it is stopped by it
# TIERS: 3 2 1
# KIND: builder
def build(lore):
    constants = b"x = " + b" + ".join([b"(9 ** 9) ** 12"] * 2000) + b"\n"
    return {"target.py": lore.RIGHT.encode() + constants + b"a" + b".a" * 10**5 + b"\n"}
