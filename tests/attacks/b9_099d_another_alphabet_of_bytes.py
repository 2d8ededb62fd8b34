# ROW: 99
# ATTACK: hands in a text that is two programs: one in UTF-16 and another to who skips what it cannot read
# EXPECT: UNUSABLE
# CONTROL: own -> passed: a reader that guesses and one that skips take two programs
# TIERS: 3 2 1
# SAYS: UTF-16
# KIND: builder
def build(lore):
    return {"target.py": lore.RIGHT.encode("utf-16")}


def control(where):
    content = where.place.read_bytes()
    return "def target" in content.decode("utf-16") and "def target" not in content.decode("utf-8", "ignore")
