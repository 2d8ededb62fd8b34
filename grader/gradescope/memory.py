"""What a container has left for a student's code once everything of ours is loaded."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

MIB = 2**20
SPARE_MIB = 64  # for answers on their way, and for what our own processes come to need
LEAST_MIB = 64
_UNLIMITED = 2**50
_ROOT = Path("/sys/fs/cgroup")


def left_mib(allowed_mib: int) -> int:
    """Return how much a child may take, in MiB; at least a little, however little there is.

    Args:
        allowed_mib: what the container is said to have; where the kernel tells of a lower limit, that holds.
    """
    limit, used = next(_groups(), (_UNLIMITED, _own()))
    return max((min(limit, allowed_mib * MIB) - used) // MIB - SPARE_MIB, LEAST_MIB)


def _groups() -> Iterator[tuple[int, int]]:
    """Yield the limit of this process's control group, and what it holds that cannot be given back.

    A container sees its own group where a machine has the group of all; both places are tried.
    """
    for line in _text(Path("/proc/self/cgroup")).splitlines():
        _, kinds, group = line.split(":", 2)
        for place in (group.lstrip("/"), ""):
            if not kinds:
                yield from _told(_ROOT / place, "memory.max", "anon")
            elif "memory" in kinds.split(","):
                yield from _told(_ROOT / "memory" / place, "memory.limit_in_bytes", "total_rss")


def _told(folder: Path, limit: str, figure: str) -> Iterator[tuple[int, int]]:
    most = _text(folder / limit).strip()
    figures = dict(line.split(" ", 1) for line in _text(folder / "memory.stat").splitlines())
    if most.isdigit() and int(most) < _UNLIMITED and figure in figures:
        yield int(most), int(figures[figure])


def _own() -> int:
    """Return what this process holds that cannot be given back; it shares the libraries with those it forked."""
    for line in _text(Path("/proc/self/smaps_rollup")).splitlines():
        name, *size = line.split()
        if name == "Anonymous:":
            return int(size[0]) * 1024
    return 0


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii")
    except (OSError, ValueError):
        return ""
