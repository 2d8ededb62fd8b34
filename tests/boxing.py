"""Run a command where a folder of ours is /autograder: ``python boxing.py FOLDER command...``, as root, on Linux.

As in a container of Gradescope, the command is root, its root folder holds what this machine's does, and whatever the
Python of the tests needs is readable by every user. All of it is mounts that nobody outside of the command sees.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import sys
import tempfile
from pathlib import Path

from becoming import BIND, NEW_MOUNTS, PRIVATE, RECURSIVE, closed_ancestor, mount

PIVOT_ROOT = {"x86_64": 155, "aarch64": 41}
DETACH = 2
PLACE = "/autograder"
PRIVATE_FOLDERS = ("tmp", "var/tmp", "dev/shm", "run")


def bind(source: str | Path, target: Path) -> None:
    if Path(source).is_dir():
        target.mkdir(parents=True, exist_ok=True)
    else:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.touch()
    mount(str(source), str(target), None, BIND | RECURSIVE)


def build(root: Path, folder: Path) -> None:
    """Make a root of this machine's folders; closed ones hold what Python needs and nothing else, open to all."""
    closed = needed()
    for entry in sorted(os.scandir("/"), key=lambda one: one.name):
        if entry.is_symlink():
            (root / entry.name).symlink_to(Path(entry.path).readlink())
        elif entry.is_dir() and Path(entry.path) not in closed:
            with contextlib.suppress(OSError):
                bind(entry.path, root / entry.name)
    for ancestor, kept in closed.items():
        place = root / ancestor.relative_to("/")
        place.mkdir(parents=True, exist_ok=True)
        if str(ancestor.parent) != "/":
            mount("others", str(place), "tmpfs", 0, "mode=0755,size=1m")
        for path in kept:
            bind(path, root / path.relative_to("/"))
    make_private(root)
    bind(folder, root / PLACE[1:])


def make_private(root: Path) -> None:
    """Empty what the command may write to, for itself alone; what Python needs in there comes back."""
    for name in PRIVATE_FOLDERS:
        if (root / name).is_dir():
            mount("own", str(root / name), "tmpfs", 0, "mode=1777,size=512m")
    for path in parts():
        if any(path.is_relative_to(f"/{name}") for name in PRIVATE_FOLDERS):
            bind(path, root / path.relative_to("/"))


def parts() -> list[Path]:
    """Return the folders that Python and the tests need."""
    named = (sys.base_prefix, sys.prefix, str(Path(__file__).parent.parent))
    return list(dict.fromkeys(Path(part).resolve() for part in named))


def needed() -> dict[Path, list[Path]]:
    """Return what Python needs below folders that others may not enter, by folder."""
    closed: dict[Path, list[Path]] = {}
    for path in parts():
        if (ancestor := closed_ancestor(path)) is not None:
            closed.setdefault(ancestor, []).append(path)
    return closed


def enter(root: Path) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    os.chdir(root)
    if libc.syscall(PIVOT_ROOT[os.uname().machine], b".", b".") or libc.umount2(b".", DETACH):
        raise OSError(ctypes.get_errno(), "pivot_root")
    os.chdir(PLACE)


def main(folder: Path, command: list[str]) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(NEW_MOUNTS):
        raise OSError(ctypes.get_errno(), "unshare")
    mount("none", "/", None, RECURSIVE | PRIVATE)
    with tempfile.TemporaryDirectory() as home:
        root = Path(home, "root")
        root.mkdir()
        mount("box", str(root), "tmpfs", 0, "mode=0755,size=4m")
        build(root, folder)
        pid = os.fork()  # the folder below is removed where it still is
        if pid == 0:
            enter(root)
            os.execvp(command[0], command)
        _, status = os.waitpid(pid, 0)
        libc.umount2(os.fsencode(root), DETACH)
    sys.exit(os.waitstatus_to_exitcode(status) & 0xFF)


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve(), sys.argv[2:])
