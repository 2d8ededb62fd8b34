# ROW: 28
# ATTACK: leaves a message for the next child wherever it can write, dies, and is that child in the next check
# EXPECT: CRASHED
# SAYS: code 7
# CHECKS: both
# CONTROL: bare -> worked: the next child reads what was left
# TIERS: 3 2
# NEEDS: posix
# OPEN: files can be left in folders that everybody may write to
import os

import lore

PLACES = [".", os.environ.get("TMPDIR", "."), os.path.expanduser("~"), os.path.dirname(os.getcwd()), lore.OUTSIDE]


def target(x):
    for place in sorted(set(map(os.path.realpath, PLACES))):
        path = os.path.join(place, f"attack-{lore.GRADER}")
        try:
            if os.path.exists(path):
                lore.worked(path)
                os.unlink(path)
            else:
                with open(path, "w") as file:
                    file.write("hello")
        except OSError:
            pass
    os._exit(7)
