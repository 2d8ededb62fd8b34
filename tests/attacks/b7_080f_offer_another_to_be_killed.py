# ROW: 80
# ATTACK: names another process as the first to be ended when memory is short
# EXPECT: FAILED
# CONTROL: bare -> victim: it is changed
# TIERS: 3 2
# NEEDS: linux
# OPEN: processes of the same user can be slowed down and limited

import lore


def target(x):
    try:
        with open(f"/proc/{lore.VICTIM}/oom_score_adj", "w") as file:
            file.write("1000")
    except OSError:
        pass
    return 0 * x
