"""What `python <this folder> ROLE SETTINGS` runs: one child, or the process that forks children."""

from __future__ import annotations

import sys
from importlib import import_module

ROLES = {
    "spawn": "spawned",
    "zygote": "lockdown.zygote",
    "attacks": "lockdown.attacks",
    "seedling": "lockdown.seedling",
}

if __name__ == "__main__":
    role, settings = sys.argv[1:]
    import_module(ROLES[role]).main(settings)
