# ROW: 71
# ATTACK: writes bytes that are no text to the descriptors of both outputs
# EXPECT: TOO_MUCH_OUTPUT
# CONTROL: plain -> printed: all of it is taken
# TIERS: 3 2 1
import os


def target(x):
    for number in range(64):
        os.write(1 + number % 2, b"\x00\xff\x1b]0;x\x07\x80" * 4096)
    return 0 * x
