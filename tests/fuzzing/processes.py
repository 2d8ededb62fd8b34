"""What the tests of endurance look at: processes, descriptors, mounts, folders."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import os
import time
from pathlib import Path

BECOME_SUBREAPER = 36


def adopt_orphans() -> None:
    """Become the parent of every descendant whose own parent ends, so that none is lost from sight."""
    if ctypes.CDLL(None, use_errno=True).prctl(BECOME_SUBREAPER, 1, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "prctl")


def table() -> dict[int, tuple[str, int, str]]:
    """Return state, parent and name of every process, by its id."""
    found = {}
    for entry in Path("/proc").iterdir():
        with contextlib.suppress(OSError, ValueError):
            name, _, rest = (entry / "stat").read_text(encoding="utf-8", errors="replace").rpartition(")")
            state, parent = rest.split()[:2]
            found[int(entry.name)] = state, int(parent), name.partition("(")[2]
    return found


def family(pid: int) -> dict[int, str]:
    """Return the states of all descendants of a process."""
    processes = table()
    found: dict[int, str] = {}
    queue = [pid]
    while queue:
        parent = queue.pop()
        children = [child for child, (_, of, _) in processes.items() if of == parent]
        found |= {child: processes[child][0] for child in children}
        queue += children
    return found


def reap() -> None:
    """Take leave of all children of ours that have ended."""
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def descriptors(pid: int | str = "self") -> int:
    return len(list(Path(f"/proc/{pid}/fd").iterdir()))


def resident(pid: int | str = "self") -> int:
    """Return how many KiB a process holds."""
    return int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE") // 1024


def tidy() -> None:
    """Give back what is free, so that what is measured next is what is held: the allocator keeps large pieces."""
    gc.collect()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)


def mounts() -> str:
    return Path("/proc/self/mountinfo").read_text(encoding="utf-8")


def until(condition, seconds: float) -> bool:
    """Return whether a condition comes to hold in time."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.005)
    return True
