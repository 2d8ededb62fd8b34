"""Namespaces, and a root that holds what the libraries need and nothing else.

The zygote builds the read-only root once; a child adds a small writable folder of its own. No step is
optional: what cannot be had raises `OSError`, and only a path that does not exist here is dropped by name.
"""

from __future__ import annotations

import os
import stat
import struct
from pathlib import Path
from typing import TYPE_CHECKING, Final

from . import kernel, seccomp

if TYPE_CHECKING:
    from collections.abc import Iterable

WORK: Final = "/w"  # the child's current folder, and its /tmp
PLAIN_DEVICES: Final = ("/dev/null", "/dev/zero", "/dev/urandom")
MACHINE_FACTS: Final = ("/proc/cpuinfo", "/proc/meminfo", "/sys/devices/system/cpu")
NOBODY: Final = 65534

_NEW_MOUNTS, _NEW_UTS, _NEW_IPC, _NEW_USER, _NEW_PIDS, _NEW_NET = (
    0x00020000,
    0x04000000,
    0x08000000,
    0x10000000,
    0x20000000,
    0x40000000,
)
_RDONLY, _NOSUID, _NODEV, _NOEXEC, _BIND, _RECURSIVE, _PRIVATE = 1, 2, 4, 8, 1 << 12, 1 << 14, 1 << 18
_CLONE_TREE: Final = 0x1 | 0x8000 | 0x80000  # OPEN_TREE_CLONE, AT_RECURSIVE, OPEN_TREE_CLOEXEC
_EMPTY_PATH: Final = 0x1000
_AT_RECURSIVE: Final = 0x8000
_MOVE_FROM_DESCRIPTOR: Final = 0x4


def enter_namespaces() -> None:
    """Move this single-threaded process into user, mount, pid, network, IPC and UTS namespaces.

    The process ids change for children that are forked afterwards. The user outside stays who it was, so
    that libraries under a private home stay readable; inside it is nobody.
    """
    user, group = os.geteuid(), os.getegid()
    kernel.unshare(_NEW_USER | _NEW_MOUNTS | _NEW_PIDS | _NEW_NET | _NEW_IPC | _NEW_UTS)
    Path("/proc/self/setgroups").write_text("deny", encoding="ascii")
    Path("/proc/self/uid_map").write_text(f"{NOBODY} {user} 1", encoding="ascii")
    Path("/proc/self/gid_map").write_text(f"{NOBODY} {group} 1", encoding="ascii")
    kernel.mount("none", "/", None, _RECURSIVE | _PRIVATE)


def replace_root(binds: Iterable[str], devices: Iterable[str], hidden: Iterable[str], *, proc: bool) -> list[str]:
    """Make a root of the binds (read-only) and devices; the hidden things in it are empty.

    With `proc`, a fresh /proc shows the processes of this pid namespace. Returns the paths that do not exist.
    """
    real = {path: os.path.realpath(path) for path in binds}
    trees = {path: _copy_tree(path, _RDONLY | _NOSUID | _NODEV) for path in _outermost(real.values())}
    trees |= {path: _copy_tree(path, _NOSUID | _NOEXEC) for path in devices}
    # The copies are in hand, so whatever the new root covers while it is built does no harm.
    root = "/tmp" if Path("/tmp").is_dir() else "/usr"  # noqa: S108 - any folder will do; nothing is written to it
    kernel.mount("root", root, "tmpfs", _NOSUID | _NODEV | _NOEXEC, "size=1m,nr_inodes=4k,mode=0755")
    for path, tree in trees.items():
        if tree is not None:
            _place(root + path, tree)
    for path, target in real.items():
        if path != target and not os.path.lexists(root + path):
            Path(root + path).parent.mkdir(parents=True, exist_ok=True)
            Path(root + path).symlink_to(target)
    if proc:
        Path(root, "proc").mkdir(exist_ok=True)
        kernel.mount("proc", f"{root}/proc", "proc", _NOSUID | _NODEV | _NOEXEC)
    _finish(root, hidden)
    return [path for path, tree in trees.items() if tree is None]


def add_private_folder(mib: int) -> None:
    """Give this child a writable folder of that size that it shares with nobody, and enter it.

    It then leaves the zygote's user namespace for an empty one of its own, so that neither its mounts nor the
    zygote's other children are within its reach.
    """
    kernel.unshare(_NEW_MOUNTS | _NEW_IPC)
    options = f"size={mib}m,nr_inodes=4096,mode=0700"
    kernel.mount("work", WORK, "tmpfs", _NOSUID | _NODEV | _NOEXEC, options)
    os.chdir(WORK)
    kernel.unshare(_NEW_USER)


def _outermost(paths: Iterable[str]) -> list[str]:
    """Drop paths that lie inside another."""
    kept: list[str] = []
    for path in sorted(set(paths), key=len):
        if not any(path == outer or path.startswith(f"{outer}/") for outer in kept):
            kept.append(path)
    return kept


def _copy_tree(path: str, flags: int) -> int | None:
    """Return a detached copy of the mounts at a path, or None if nothing is there."""
    try:
        tree = kernel.syscall("open_tree", kernel.OPEN_TREE, -100, os.fsencode(path), _CLONE_TREE)
    except FileNotFoundError:
        return None
    _set_flags(tree, flags, recursive=True)
    return tree


def _set_flags(tree: int, flags: int, *, recursive: bool) -> None:
    """Add mount flags; a flag that is set already stays set."""
    attributes = struct.pack("QQQQ", flags, 0, 0, 0)
    how = _EMPTY_PATH | (_AT_RECURSIVE if recursive else 0)
    kernel.syscall("mount_setattr", kernel.MOUNT_SETATTR, tree, b"", how, attributes, len(attributes))


def _place(target: str, tree: int) -> None:
    """Attach a detached tree at a path below the new root; closes it."""
    folder = stat.S_ISDIR(os.fstat(tree).st_mode)
    Path(target).parent.mkdir(parents=True, exist_ok=True)
    Path(target).mkdir(exist_ok=True) if folder else Path(target).touch()
    path = os.fsencode(target)
    kernel.syscall("move_mount", kernel.MOVE_MOUNT, tree, b"", -100, path, _MOVE_FROM_DESCRIPTOR)
    os.close(tree)


def _finish(root: str, hidden: Iterable[str]) -> None:
    """Add the place for private folders, empty what is hidden, seal the root and move into it."""
    Path(root + WORK).mkdir()
    if not Path(root, "tmp").exists():  # a library may lie below it; then TMPDIR alone shows the way
        Path(root, "tmp").symlink_to(WORK[1:])
    for path in hidden:
        _hide(root + path)
    top = os.open(root, os.O_PATH | os.O_CLOEXEC)
    _set_flags(top, _RDONLY | _NOSUID | _NODEV | _NOEXEC, recursive=False)
    os.close(top)
    os.chdir(root)
    kernel.syscall("pivot_root", seccomp.numbers(os.uname().machine)["pivot_root"], b".", b".")
    kernel.unmount_lazily(".")
    os.chdir("/")


def _hide(target: str) -> None:
    """Cover a folder by an empty one, a file by an empty one; nothing there needs no cover."""
    if Path(target).is_dir():
        options = "size=4k,nr_inodes=1,mode=0555"
        kernel.mount("hidden", target, "tmpfs", _RDONLY | _NOSUID | _NODEV | _NOEXEC, options)
    elif Path(target).exists():
        kernel.mount("/dev/null", target, None, _BIND)
