# ROW: 29
# ATTACK: overwrites a file of results that lies outside of its folder
# EXPECT: FAILED
# CONTROL: bare -> file: the results are another's now
# TIERS: 3 2
# NEEDS: posix
# OPEN: files that the grader's user may write to can be overwritten, the run's own among them
import lore


def target(x):
    try:
        with open(lore.RESULTS, "w") as file:
            file.write('{"score": 100}')
    except OSError:
        pass
    return 0 * x
