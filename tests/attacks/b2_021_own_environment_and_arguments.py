# ROW: 21
# ATTACK: looks for secrets in its own environment, arguments, map of memory and auxiliary files
# EXPECT: FAILED
# CONTROL: naive:shown -> canary: what the grader was started with is in its environment
# TIERS: 3 2 1
# NEEDS: posix
import os
import sys


def target(x):
    print(dict(os.environ), sys.argv, sys.orig_argv, sys.path)
    for name in ("environ", "cmdline", "maps", "status", "mountinfo", "cgroup", "limits"):
        try:
            with open(f"/proc/self/{name}", "rb") as file:
                print(file.read())
        except OSError:
            pass
    return 0 * x
