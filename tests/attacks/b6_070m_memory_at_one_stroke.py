# ROW: 70
# ATTACK: takes half a gibibyte in one call that fills every page before it returns, so that no watch can be quick enough
# EXPECT: FAILED
# CONTROL: plain -> memory: it gets all of it
# TIERS: 3 2
# NEEDS: linux
# LIMITS: memory_mib=64
# OPEN: memory that is taken at one stroke is noticed when it is there
import mmap


def target(x):
    try:
        mmap.mmap(-1, 2**29, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x8000)
    except OSError:
        pass
    return 0 * x
