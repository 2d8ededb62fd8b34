# ROW: 60
# ATTACK: takes the guard out of the import system and finds the library that a problem by hand is to be solved without
# EXPECT: FAILED
# CONTROL: bare -> worked: the library is found, read, and so could be used
# TIERS: 3 2
# OPEN: a problem by hand can be solved with the library that it forbids
# NEEDS: linux torch
import importlib.machinery
import sys

import lore

sys.meta_path[:] = [finder for finder in sys.meta_path if type(finder).__name__ != "Hidden"]
sys.path_importer_cache.clear()


def target(x):
    for folder in sys.path:
        found = importlib.machinery.PathFinder.find_spec("torch", [folder])
        try:
            with open((found and found.origin) or "") as source:
                if "torch" in source.read(2000):
                    lore.worked(found.origin)
        except OSError:
            pass
    return 0 * x
