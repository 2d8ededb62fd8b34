# ROW: 13
# ATTACK: asks inspect and linecache for the source of whoever calls it, to read the checks
# EXPECT: FAILED
# CONTROL: naive:allclose -> worked: the grader's source is read from its frame
# TIERS: 3 2 1
import inspect
import linecache
import sys

import lore


def target(x):
    texts = ["".join(lines) for entry in linecache.cache.values() if len(entry) > 2 for lines in [entry[2]]]
    frame = sys._getframe(1)
    while frame is not None:
        for read in (inspect.getsource, lambda it: inspect.getsource(inspect.getmodule(it))):
            try:
                texts.append(read(frame))
            except (OSError, TypeError, IndexError):
                pass
        frame = frame.f_back
    if any("expected" + " = [" in text or "@" + "check(" in text for text in texts):
        lore.worked("the source of the checks")
    return 0 * x
