# ROW: 72
# ATTACK: uses up the disk's room for names by files that are empty
# EXPECT: FAILED
# CONTROL: bare -> worked: four thousand and more are made
# TIERS: 3
# NEEDS: posix
# LIMITS: seconds=5
# OPEN: the temporary folder takes any number of files
import os

import lore


def target(x):
    try:
        for number in range(4200):
            os.close(os.open(f"empty{number}", os.O_CREAT | os.O_WRONLY))
        lore.worked()
    except OSError:
        pass
    return 0 * x

