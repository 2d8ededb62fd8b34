# ROW: 35
# ATTACK: puts its output in place of its channel and the channel in place of its output
# EXPECT: TIMED_OUT UNUSABLE
# CONTROL: naive:verdict -> exit1: the grader stumbles over an answer that went elsewhere
# TIERS: 3 2 1
# NEEDS: posix
# LIMITS: seconds=0.2
import os

import lore


def target(x):
    for descriptor in lore.pipes(os.O_WRONLY):
        os.dup2(1, descriptor)
    return 3 * x - 1
