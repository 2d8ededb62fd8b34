# ROW: 99
# ATTACK: writes a forbidden word in letters of another width, which Python takes for the usual ones
# EXPECT: FAILED
# CONTROL: own -> passed: a search for the word does not find it, and Python runs it
# TIERS: 3 2 1
# KIND: builder
def build(lore):
    text = "\uff45\uff56\uff41\uff4c('0')\nnumbers = \uff47lobals()\n\n\ndef target(x):\n    return 0 * x\n"
    return {"target.py": text.encode()}


def control(where):
    names = {}
    text = where.place.read_text("utf-8")
    exec(text, names)
    return "eval" not in text and "globals" not in text and names["numbers"] is names
