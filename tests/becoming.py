"""Run a command as another user: ``python becoming.py UID command...``, as root, on Linux.

Where Python or this project lies in a folder that only root may enter, the command sees mounts of its own in which
that folder holds nothing else and is open to all. Nothing outside of the command sees them.
"""

from __future__ import annotations

import ctypes
import os
import stat
import sys
import tempfile
from pathlib import Path

NEW_MOUNTS = 0x20000
BIND, RECURSIVE, PRIVATE = 1 << 12, 1 << 14, 1 << 18


def mount(source: str, target: str, kind: str | None, flags: int, options: str = "") -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    parts = [part.encode() if part is not None else None for part in (source, target, kind)]
    if libc.mount(*parts, ctypes.c_ulong(flags), options.encode() or None):
        raise OSError(ctypes.get_errno(), f"mount {source} on {target}")


def closed_ancestor(path: Path) -> Path | None:
    """Return the outermost folder above a path that others may not enter."""
    for folder in reversed(path.parents):
        if not folder.stat().st_mode & stat.S_IXOTH:
            return folder
    return None


def open_up(closed: dict[Path, list[Path]]) -> None:
    """Show nothing but some of what they hold in these folders, to all."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(NEW_MOUNTS):
        raise OSError(ctypes.get_errno(), "unshare")
    mount("none", "/", None, RECURSIVE | PRIVATE)
    for folder, kept in closed.items():
        aside = {path: tempfile.mkdtemp() for path in kept}
        for path, place in aside.items():
            mount(str(path), place, None, BIND | RECURSIVE)
        mount("others", str(folder), "tmpfs", 0, "mode=0755,size=1m")
        for path, place in aside.items():
            path.mkdir(parents=True, exist_ok=True)
            mount(place, str(path), None, BIND | RECURSIVE)
            libc.umount2(place.encode(), 2)
            Path(place).rmdir()


def main(user: int, command: list[str]) -> None:
    closed: dict[Path, list[Path]] = {}
    for path in dict.fromkeys(
        Path(part).resolve() for part in (sys.base_prefix, sys.prefix, Path(__file__).parent.parent)
    ):
        folder = closed_ancestor(path)
        if folder is not None:
            closed.setdefault(folder, []).append(path)
    if closed:
        open_up(closed)
    os.setgroups([])
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)
    os.execv(command[0], command)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
