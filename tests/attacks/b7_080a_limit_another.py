# ROW: 80
# ATTACK: lowers another process's limits
# EXPECT: FAILED
# CONTROL: bare -> victim: it is changed
# TIERS: 3 2
# NEEDS: linux
# OPEN: processes of the same user can be slowed down and limited

import resource

import lore


def target(x):
    try:
        resource.prlimit(lore.VICTIM, resource.RLIMIT_NOFILE, (7, 7))
    except OSError:
        pass
    return 0 * x
