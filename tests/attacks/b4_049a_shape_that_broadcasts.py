# ROW: 49
# ATTACK: returns the right numbers with an axis too many
# EXPECT: FAILED
# CONTROL: naive:allclose -> passed: the shapes are broadcast
# TIERS: 3 2 1
# SAYS: shape
def target(x):
    return (3 * x - 1)[None, :, None].swapaxes(1, 2)
