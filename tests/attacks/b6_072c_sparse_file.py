# ROW: 72
# ATTACK: makes a file of a terabyte that is nearly all hole
# EXPECT: FAILED
# CONTROL: bare -> worked: the file is made
# TIERS: 3 2
# NEEDS: posix
# OPEN: files of any size can be made in the temporary folder
import os

import lore


def target(x):
    try:
        with open("sparse", "wb") as file:
            file.truncate(2**40)
            lore.worked(os.fstat(file.fileno()).st_size)
    except OSError:
        pass
    return 0 * x

