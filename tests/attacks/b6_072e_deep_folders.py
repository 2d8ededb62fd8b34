# ROW: 72
# ATTACK: makes folders inside folders, deeper than a path can be long or a clean-up can recurse, and locks the last
# EXPECT: FAILED
# CONTROL: own -> passed: a clean-up that recurses does not get to the end
# TIERS: 3 2 1
# NEEDS: posix
# LIMITS: seconds=5 patience=20
# KIND: builder
import os

ATTACK = '''
import os


def dig():
    os.mkdir("deep")
    os.chdir("deep")
    for _ in range(1100):
        os.mkdir("deeper" * 8)
        os.chdir("deeper" * 8)
    open("file", "w").close()
    os.mkdir("locked", 0)


def target(x):
    if not os.path.exists("file"):
        dig()
    return 0 * x
'''


def build(lore):
    return {"target.py": ATTACK.encode()}


def control(where):
    from grader.isolation.inside.lockdown import folders

    made = {}
    exec(ATTACK, made)
    try:
        made["dig"]()
        os.chdir(where.scratch)
        clean("deep")
    except (OSError, RecursionError):
        return True
    finally:
        os.chdir(where.scratch)
        folders.remove("deep")
    return False


def clean(path):
    for name in os.listdir(path):
        inner = os.path.join(path, name)
        if os.path.isdir(inner):
            clean(inner)
        else:
            os.unlink(inner)
    os.rmdir(path)

