"""What a grader has around it that a run could leave behind: processes, descriptors, mounts, memory, files."""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path


def seen(temporary: Path, *apart: int) -> dict[str, object]:
    """Return all of it by kind; the processes ``apart`` are not the run's."""
    return {
        "process": {pid: name for pid, name in descendants().items() if pid not in apart},
        "descriptor": descriptors(),
        "mount": text("/proc/self/mountinfo"),
        "shared memory": names("/dev/shm"),
        "ipc": "".join(columns(f"/proc/sysvipc/{kind}") for kind in ("shm", "sem", "msg")),
        "file": sorted(str(path) for path in temporary.rglob("*")),
        "signals": text("/proc/self/status", ("SigBlk", "SigIgn", "SigCgt")),
        "folder": os.getcwd(),  # noqa: PTH109 - as a text
    }


def resident(pid: int) -> int:
    sizes = text(f"/proc/{pid}/statm").split()
    return int(sizes[1]) * os.sysconf("SC_PAGE_SIZE") if sizes else 0


def descendants(root: int | None = None) -> dict[int, str]:
    """Return every process below one (this one by default), by id, with its name."""
    parents: dict[int, tuple[int, str]] = {}
    if sys.platform != "linux":
        return {}
    for entry in os.listdir("/proc"):  # noqa: PTH208 - names, and many of them
        if entry.isdigit():
            with contextlib.suppress(OSError):
                text = Path("/proc", entry, "stat").read_text(encoding="utf-8", errors="replace")
                parents[int(entry)] = (
                    int(text.rpartition(")")[2].split()[1]),
                    text.partition("(")[2].rpartition(")")[0],
                )
    below: dict[int, str] = {}
    wanted = {root or os.getpid()}
    while wanted:
        found = {pid: name for pid, (parent, name) in parents.items() if parent in wanted and pid not in below}
        below |= found
        wanted = set(found)
    return below


def descriptors() -> list[str]:
    """Return what is open here, as the kernel names it; pipes and the like by kind alone."""
    held = []
    with contextlib.suppress(OSError):
        for number in os.listdir("/proc/self/fd"):  # noqa: PTH208 - names
            with contextlib.suppress(OSError):
                target = os.readlink(f"/proc/self/fd/{number}")  # noqa: PTH115 - the text
                held.append(f"{number} {target}")
    return sorted(entry for entry in held if not entry.endswith("/fd"))


def names(folder: str) -> list[str]:
    return sorted(os.listdir(folder)) if Path(folder).is_dir() else []  # noqa: PTH208 - names


def columns(path: str) -> str:
    """Return the ids in one of the tables of System V objects."""
    return " ".join(line.split()[1] for line in text(path).splitlines()[1:])


def text(path: str, start: str | tuple[str, ...] = "") -> str:
    try:
        text = Path(path).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    return "\n".join(line for line in text.splitlines() if line.startswith(start))
