"""Removing what a child has left behind."""

from __future__ import annotations

import os
from pathlib import Path


def remove(folder: str) -> None:
    """Remove a folder, also one in which a child made folders that nobody may enter.

    What cannot be removed stays; no link is followed. The child must have ended.
    """
    import shutil  # many modules, of use only where children have no mounts of their own

    shutil.rmtree(folder, ignore_errors=True)
    if not os.path.lexists(folder):
        return
    for parent, names, _ in os.walk(folder):
        for path in (Path(parent, name) for name in names):
            if not path.is_symlink():
                path.chmod(0o700)
    shutil.rmtree(folder, ignore_errors=True)
