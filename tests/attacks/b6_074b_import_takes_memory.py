# ROW: 74
# ATTACK: takes memory while it is imported
# EXPECT: OUT_OF_MEMORY
# SAYS: importing target.py
# CONTROL: plain -> memory: it gets all that it asks for
# TIERS: 3 2 1
# NEEDS: linux
kept = [b"x" * 2**22 for _ in range(100)]


def target(x):
    return 3 * x - 1
