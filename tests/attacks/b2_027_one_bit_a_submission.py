# ROW: 27
# ATTACK: is wrong in one element alone, so that a report of differences tells it the wanted value
# EXPECT: FAILED
# SAYS: A value is not right.
# CONTROL: naive:shown -> digits: the report shows inputs and wanted values
# TIERS: 3 2 1


def target(x):
    y = 3 * x - 1
    y[-1] += 1
    return y
