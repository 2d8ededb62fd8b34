# ROW: 7
# ATTACK: ends the interpreter with exit code 0 while it is imported
# EXPECT: CRASHED
# CONTROL: naive:exit -> passed: a grader that goes by the exit code believes it
# TIERS: 3 2 1
# SAYS: called exit()
import sys

sys.exit(0)
