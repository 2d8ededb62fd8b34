# ROW: 70
# ATTACK: makes shared memory, a semaphore and a queue of System V, which outlive who made them
# EXPECT: FAILED
# CONTROL: bare -> worked: all three are made
# TIERS: 3 2
# NEEDS: linux
# OPEN: objects of System V can be left behind
import lore

MADE = ((29, 194), 0, 2**20, 0o1600), ((64, 190), 0, 1, 0o1600), ((68, 186), 0, 0o1600)
GONE = ((31, 195), 0, 0), ((66, 191), 0, 0), ((71, 187), 0, 0)


def target(x):
    for (make, *how), (control, *_) in zip(MADE, GONE):
        try:
            made = lore.call(make, *how)
        except OSError:
            continue
        if control == (66, 191):
            lore.call(control, made, 0, 0)
        else:
            lore.call(control, made, 0, 0)
        lore.worked(make)
    return 0 * x

