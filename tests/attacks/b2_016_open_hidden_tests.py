# ROW: 16
# ATTACK: opens the hidden checks by their path, by climbing ten levels, and by a pattern
# EXPECT: FAILED
# CONTROL: bare -> canary: the text of the hidden checks is printed
# TIERS: 3 2
# NEEDS: linux
# OPEN: the hidden checks can be read by whoever runs as the grader's user
import glob
import os

import lore


def paths():
    yield lore.HIDDEN
    for levels in range(11):
        yield "/".join([".."] * levels + ["problems", "target", "hidden.py"])
    yield from glob.glob(os.path.dirname(lore.COURSE) + "/*/problems/*/*.py")
    yield from glob.glob("/**/hidden.py")


def target(x):
    for path in paths():
        try:
            with open(path) as file:
                print(file.read())
        except OSError:
            pass
    return 0 * x
