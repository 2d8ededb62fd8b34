# ROW: 12
# ATTACK: takes the guard out of the import system and runs the reference from its path
# EXPECT: FAILED
# CONTROL: bare -> passed: the reference answers in its place
# TIERS: 3 2
# OPEN: the reference can be read and run by whoever runs as the grader's user
# NEEDS: linux
import importlib
import importlib.util
import sys

import lore

sys.meta_path[:] = [finder for finder in sys.meta_path if type(finder).__name__ != "Hidden"]
sys.path[:0] = [lore.COURSE, f"{lore.COURSE}/reference", "/work", ".", ".."]


def reference():
    for name in ("reference.target", "grader.course", "hidden"):
        try:
            importlib.import_module(name)
        except ImportError:
            pass
    spec = importlib.util.spec_from_file_location("worked_out", lore.REFERENCE)
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except OSError:
        return None
    return module.target


def target(x):
    found = reference()
    return found(x) if found else 0 * x
