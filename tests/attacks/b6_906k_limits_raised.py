# ROW: 906
# ATTACK: raises its own limit on open files as far as the machine lets it
# EXPECT: FAILED
# CONTROL: bare -> worked: there are more than two thousand
# TIERS: 3 2
# NEEDS: linux
# OPEN: a limit that a user may raise can be raised
import resource

import lore


def target(x):
    for limit in (resource.getrlimit(resource.RLIMIT_NOFILE)[1], 4096, 10**6):
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
        except (OSError, ValueError):
            pass
    if resource.getrlimit(resource.RLIMIT_NOFILE)[0] > 2000:
        lore.worked()
    return 0 * x

