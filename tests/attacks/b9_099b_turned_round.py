# ROW: 99
# ATTACK: hides code in a comment by characters that turn the direction of writing
# EXPECT: UNUSABLE
# CONTROL: own -> passed: Python runs it, whatever an editor shows
# TIERS: 3 2 1
# SAYS: makes code look other than it is
# KIND: builder
def build(lore):
    text = "def target(x):\n    answer = 3 * x - 1\n    '''Returns nothing \u2067 '''; return answer\n    return 0 * x\n"
    return {"target.py": text.encode()}


def control(where):
    names = {}
    exec(where.place.read_text("utf-8"), names)
    return names["target"](2.0) == 5.0
