# ROW: 70
# ATTACK: keeps memory as maps that are shared, which the limit on data does not count
# EXPECT: FAILED OUT_OF_MEMORY
# CONTROL: plain -> memory: it gets all that it asks for
# TIERS: 3 2 1
# NEEDS: linux
import mmap

kept = []


def target(x):
    try:
        while len(kept) < 25:
            kept.append(mmap.mmap(-1, 2**24))
            kept[-1].write(bytes(2**24 - 1) + b"x")
    except OSError:
        pass
    return 0 * x
