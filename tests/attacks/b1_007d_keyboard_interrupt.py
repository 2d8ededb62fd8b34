# ROW: 7
# ATTACK: raises what a user's Ctrl-C raises, alone and in a group, to end the grader and not the answer
# EXPECT: CRASHED
# CONTROL: naive:allclose -> signal2: the grader ends as if somebody had interrupted it
# TIERS: 3 2 1
# SAYS: KeyboardInterrupt
# NEEDS: posix
def target(x):
    raise KeyboardInterrupt from BaseExceptionGroup("several", [KeyboardInterrupt(), SystemExit(0), GeneratorExit()])
