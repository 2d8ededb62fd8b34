# ROW: 92
# ATTACK: downloads weights as tutorials do
# EXPECT: CRASHED
# CONTROL: bare -> tcp: the server hears of it
# TIERS: 3 2
# NEEDS: posix
# OPEN: a submission can use the network as this user can
import urllib.request

import lore


def target(x):
    with urllib.request.urlopen(f"http://127.0.0.1:{lore.TCP}/weights.pt", timeout=0.2) as answer:
        return 0 * x + len(answer.read())
