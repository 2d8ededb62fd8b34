# ROW: 907
# ATTACK: removes, renames, replaces and links files outside its folder
# EXPECT: FAILED
# CONTROL: bare -> file: it is changed
# TIERS: 3 2
# NEEDS: linux
# OPEN: files of this user can be changed

import os

import lore


def target(x):
    inside = "mine"
    open(inside, "w").close()
    for way in (
        lambda: os.link(lore.PRECIOUS, "theirs"),
        lambda: os.symlink(lore.PRECIOUS, lore.OUTSIDE + "/link"),
        lambda: os.mkdir(lore.OUTSIDE + "/folder"),
        lambda: os.rename(inside, lore.OUTSIDE + "/moved"),
        lambda: os.rename(lore.PRECIOUS, lore.PRECIOUS + ".old"),
        lambda: os.unlink(lore.RESULTS),
        lambda: open(lore.RESULTS, "w").write('{"score": 1}'),
    ):
        try:
            way()
        except OSError:
            pass
    return 0 * x
