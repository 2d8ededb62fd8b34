# ROW: 906
# ATTACK: asks for its pages to be merged with those of others, which can be timed, or put where no limit counts them
# EXPECT: FAILED
# CONTROL: bare -> worked: the kernel takes the advice
# TIERS: 3 2
# NEEDS: linux
# OPEN: pages can be merged with those of others
import mmap

import lore


def target(x):
    region = mmap.mmap(-1, 2**20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    region[:] = b"x" * len(region)
    for advice in (12, 21):  # MERGEABLE, PAGEOUT
        try:
            region.madvise(advice)
            lore.worked(advice)
        except OSError:
            pass
    return 0 * x

