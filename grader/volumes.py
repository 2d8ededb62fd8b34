"""On what kind of file system a folder lies, and so by which journal a database in it is safe.

A write-ahead log needs memory that every process of one machine sees, which no network file system offers. So it is
used only on file systems known to be local; a rollback journal, which is safe everywhere, on all others.
"""

from __future__ import annotations

import re
from pathlib import Path

LOCAL = frozenset(
    ["ext2", "ext3", "ext4", "xfs", "btrfs", "zfs", "f2fs", "bcachefs", "jfs", "reiserfs", "tmpfs", "overlay"]
)
MOUNTS = Path("/proc/self/mountinfo")


def journal(folder: Path, mounts: Path = MOUNTS) -> str:
    """Return SQLite's journal mode for a database in a folder: ``WAL`` or ``DELETE``."""
    return "WAL" if kind(folder, mounts) in LOCAL else "DELETE"


def kind(folder: Path, mounts: Path = MOUNTS) -> str:
    """Return the type of the file system that a folder lies on; empty where the system does not say."""
    try:
        lines = mounts.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except OSError:
        return ""
    place, found, deepest = folder.resolve(), "", -1
    for line in lines:
        before, _, after = line.partition(" - ")
        fields = before.split()
        if len(fields) < 5 or not after:  # noqa: PLR2004 - the fifth field is where it is mounted
            continue
        point = Path(re.sub(r"\\([0-7]{3})", lambda octal: chr(int(octal[1], 8)), fields[4]))
        # A later mount at the same place covers the earlier one.
        if place.is_relative_to(point) and len(point.parts) >= deepest:
            found, deepest = after.split()[0], len(point.parts)
    return found
