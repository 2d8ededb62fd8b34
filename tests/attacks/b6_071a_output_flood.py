# ROW: 71
# ATTACK: prints without end and without a line's end
# EXPECT: TOO_MUCH_OUTPUT
# CONTROL: plain -> printed: all of it is taken
# TIERS: 3 2 1
def target(x):
    for _ in range(4000):  # without this bound it would go on
        print("y" * 1000, end="")
    return 0 * x
