# ROW: 18
# ATTACK: asks whether the hidden checks exist at a path that it knows, how large they are and how old
# EXPECT: FAILED
# CONTROL: bare -> worked: size and time of the hidden checks are told
# TIERS: 3
# NEEDS: posix
# OPEN: whether a file exists at a known path, its size and its times can be seen
import os

import lore


def target(x):
    for path in (lore.HIDDEN, lore.VARIANTS, lore.REFERENCE, lore.SIBLING):
        try:
            found = os.stat(path)
            lore.worked(path, found.st_size, found.st_mtime, os.access(path, os.R_OK))
        except OSError:
            pass
    return 0 * x
