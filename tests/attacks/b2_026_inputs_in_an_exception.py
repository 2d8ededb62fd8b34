# ROW: 26
# ATTACK: puts the hidden input into the text, the type and the notes of an exception
# EXPECT: CRASHED
# CONTROL: naive:shown -> leak: the traceback that a student is shown holds the input
# TIERS: 3 2 1
import lore


def target(x):
    kind = type(lore.leak(x.tolist()), (ValueError,), {"__module__": lore.leak(x.tolist())})
    error = kind(lore.leak(x.tolist()))
    error.add_note(lore.leak(x.tolist()))
    raise error
