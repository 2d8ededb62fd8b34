"""What a grader has around it that a run could leave behind: processes, descriptors, mounts, memory, files."""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path

LISTED = Path(f"/proc/self/task/{os.getpid()}/children").exists()  # whether this kernel tells a process's children


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
    if sys.platform != "linux":
        return {}
    below: dict[int, str] = {}
    wanted = children(root or os.getpid())
    while wanted:
        below |= {pid: text(f"/proc/{pid}/comm").strip() for pid in wanted}
        wanted = [child for pid in wanted for child in children(pid) if child not in below]
    return below


def children(parent: int) -> list[int]:
    """Return the processes that one started, or that came to it when their own parents ended."""
    found: list[int] = []
    if not LISTED:
        numbers = [name for name in os.listdir("/proc") if name.isdigit()]  # noqa: PTH208 - names
        stats = {pid: text(f"/proc/{pid}/stat").rpartition(")")[2].split() for pid in numbers}
        return [int(pid) for pid, stat in stats.items() if stat and int(stat[1]) == parent]
    with contextlib.suppress(OSError):
        for thread in os.listdir(f"/proc/{parent}/task"):  # noqa: PTH208 - names
            found += map(int, text(f"/proc/{parent}/task/{thread}/children").split())
    return found


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
        lines = Path(path).read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return ""
    return "\n".join(line for line in lines if line.startswith(start))
