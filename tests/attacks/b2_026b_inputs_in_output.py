# ROW: 26
# ATTACK: prints the hidden input, warns of it and logs it
# EXPECT: FAILED
# CONTROL: naive:shown -> leak: the output that a student is shown holds the input
# TIERS: 3 2 1
import logging
import sys
import warnings

import lore


def target(x):
    print(lore.leak(x.tolist()))
    print(lore.leak(x.tolist()), file=sys.stderr)
    warnings.warn(lore.leak(x.tolist()))
    warnings.showwarning(f"{lore.leak()} does not have a deterministic implementation", UserWarning, "target.py", 1)
    logging.error(lore.leak(x.tolist()))
    return 0 * x
