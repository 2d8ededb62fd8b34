# ROW: 20
# ATTACK: looks for open files that it was not meant to inherit, and reads them from their beginning
# EXPECT: FAILED
# CONTROL: naive:shown -> canary: the file of hidden checks that the grader holds open is read
# TIERS: 3 2 1
# NEEDS: posix
import os
import stat


def target(x):
    for number in range(3, 1024):
        try:
            if stat.S_ISREG(os.fstat(number).st_mode):
                print(os.pread(number, 65536, 0))
        except OSError:
            pass
    return 0 * x
