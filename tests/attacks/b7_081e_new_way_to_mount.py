# ROW: 81
# ATTACK: opens a filesystem and copies a mount by the calls that came after mount
# EXPECT: FAILED
# CONTROL: bare -> worked: it is let
# TIERS: 3 2
# NEEDS: linux root
# OPEN: a submission can make namespaces and mounts where this user may

import lore


def target(x):
    for numbers, *how in (
        ((430, 430), b"tmpfs", 0),
        ((428, 428), -100, b"/", 1),
        ((433, 433), -100, b"/", 0),
        ((467, 467), -100, b"/", 1, None, 0),
    ):
        try:
            lore.call(numbers, *how)
            lore.worked(numbers)
        except OSError:
            pass
    return 0 * x
