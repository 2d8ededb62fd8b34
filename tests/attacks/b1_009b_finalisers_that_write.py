# ROW: 9
# ATTACK: finalisers that write into files outside when their objects or the interpreter end
# EXPECT: FAILED
# CONTROL: plain -> file: the files are there
# TIERS: 3 2
# OPEN: code that runs at the end of a process may write wherever the grader's user may
import atexit
import weakref

import lore


def write(name):
    try:
        with open(f"{lore.OUTSIDE}/{name}", "w") as file:
            file.write("here")
    except OSError:
        pass


class Last:
    def __del__(self, write=write):
        write("deleted")


kept = Last()
weakref.finalize(kept, write, "finalised")
atexit.register(write, "left")


def target(x):
    Last()
    return 0 * x
