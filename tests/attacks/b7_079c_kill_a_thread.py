# ROW: 79
# ATTACK: ends another process by a signal to its thread
# EXPECT: FAILED
# CONTROL: bare -> victim: it ends
# TIERS: 3 2
# NEEDS: linux
# OPEN: processes of the same user can be signalled

import signal

import lore


def target(x):
    for numbers, *who in (((200, 130), lore.VICTIM), ((234, 131), lore.VICTIM, lore.VICTIM)):
        try:
            lore.call(numbers, *who, int(signal.SIGTERM))
        except OSError:
            pass
    return 0 * x
