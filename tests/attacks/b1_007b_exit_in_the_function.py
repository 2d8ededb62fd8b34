# ROW: 7
# ATTACK: ends the interpreter with exit code 0 when it is called, by an exception of its own kind that lies about its code
# EXPECT: CRASHED
# CONTROL: naive:exit -> passed: a grader that goes by the exit code believes it
# TIERS: 3 2 1
# SAYS: called exit()
class Done(SystemExit):
    @property
    def code(self):
        return 0

    def __str__(self):
        raise Done


def target(x):
    raise Done(1)
