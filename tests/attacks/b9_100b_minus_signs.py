# ROW: 100
# ATTACK: a source of three hundred thousand minus signs
# EXPECT: CRASHED OUT_OF_MEMORY
# CONTROL: plain -> exit1: whoever parses it is stopped by it
# TIERS: 3 2 1
# KIND: builder
def build(lore):
    return {"target.py": lore.RIGHT.encode() + b"x = " + b"-" * 3 * 10**5 + b"1\n"}
