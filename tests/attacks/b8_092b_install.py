# ROW: 92
# ATTACK: installs a package at import, and goes on without it
# EXPECT: FAILED
# CONTROL: bare -> tcp: the index hears of it
# TIERS: 3 2
# NEEDS: posix
# OPEN: a submission can use the network as this user can
import http.client
import subprocess
import sys

import lore

try:
    subprocess.run([sys.executable, "-m", "pip", "--version"], check=True, capture_output=True)
except (OSError, subprocess.CalledProcessError):
    pass
try:
    http.client.HTTPConnection("127.0.0.1", lore.TCP, timeout=0.2).request("GET", "/simple/")
except OSError:
    pass


def target(x):
    return 0 * x
