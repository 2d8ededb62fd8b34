# ROW: 73
# ATTACK: answers with a value that is nested a hundred thousand deep
# EXPECT: UNUSABLE CRASHED
# CONTROL: plain -> exit1: who prints it fails
# TIERS: 3 2 1
# NEEDS: linux
def target(x):
    value = [0.0]
    for _ in range(10**6):
        value = [value]
    return value
