# ROW: 906
# ATTACK: has every disk of the machine written out again and again
# EXPECT: FAILED
# CONTROL: bare -> worked: the machine obeys
# TIERS: 3 2
# NEEDS: linux
# OPEN: the machine's disks can be made to write
import os

import lore


def everything():
    lore.call((162, 81))


def one():
    lore.call((306, 267), os.open(os.path.dirname(os.__file__), os.O_RDONLY))


def target(x):
    for attack in (one,) if os.path.exists(lore.OUTSIDE) else (one, everything):
        try:
            attack()
            lore.worked(attack.__name__)
        except OSError:
            pass
    return 0 * x

