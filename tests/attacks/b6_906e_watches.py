# ROW: 906
# ATTACK: takes all the file watches that this user may have, so that the user's other programs get none
# EXPECT: FAILED
# CONTROL: bare -> worked: a watch is made
# TIERS: 3 2
# NEEDS: linux
# OPEN: the user's file watches can be used up
import lore


def target(x):
    for number in ((294, 26),):
        try:
            lore.call(number, 0)
            lore.worked()
        except OSError:
            pass
    return 0 * x

