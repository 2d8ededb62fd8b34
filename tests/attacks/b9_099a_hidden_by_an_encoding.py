# ROW: 99
# ATTACK: declares an encoding in which a harmless comment is code
# EXPECT: UNUSABLE
# CONTROL: own -> passed: Python runs what no reader sees
# TIERS: 3 2 1
# SAYS: declares the encoding
# KIND: builder
def build(lore):
    hidden = "\ntarget = lambda x: 3 * x - 1\n".encode("utf-7").replace(b"=", b"+AD0-")
    hidden = hidden.replace(b"\n", b"+AAo-")
    return {"target.py": b"# coding: utf-7\ndef target(x):\n    return 0 * x\n# " + hidden + b"\n"}


def control(where):
    names = {}
    exec(where.place.read_bytes(), names)
    seen = {}
    exec(where.place.read_text("utf-8").partition("\n")[2], seen)
    return (names["target"](2.0), seen["target"](2.0)) == (5.0, 0.0)
