# ROW: 26
# ATTACK: answers with an object whose type and text hold the hidden input
# EXPECT: FAILED
# CONTROL: naive:shown -> leak: what was answered is shown to the student
# TIERS: 3 2 1
import lore


def target(x):
    text = lore.leak(x.tolist())
    return type(text, (), {"__repr__": lambda self: text, "__module__": text, "__doc__": text})()
