# ROW: 100
# ATTACK: a source of a hundred thousand brackets
# EXPECT: CRASHED
# CONTROL: plain -> exit1: whoever parses it is stopped by it
# TIERS: 3 2 1
# SAYS: target.py
# KIND: builder
def build(lore):
    return {"target.py": lore.RIGHT.encode() + b"x = " + b"(" * 10**5 + b")" * 10**5 + b"\n"}
