# ROW: 28
# ATTACK: reads another student's work, by its path and by looking around
# EXPECT: FAILED
# CONTROL: bare -> canary: the other student's source is printed
# TIERS: 3 2
# NEEDS: posix
# OPEN: other students' work can be read where the grader's user can
import glob
import os

import lore


def target(x):
    students = os.path.dirname(os.path.dirname(lore.SIBLING))
    for path in (lore.SIBLING, *glob.glob(f"{students}/*/*"), *glob.glob("../*/*.py"), *glob.glob("/w*/*")):
        try:
            with open(path) as file:
                print(file.read())
        except OSError:
            pass
    return 0 * x
