"""The few system calls that Python lacks, each raising `OSError` when refused."""

from __future__ import annotations

import ctypes
import os
from typing import Final

PR_SET_PDEATHSIG: Final = 1
PR_SET_DUMPABLE: Final = 4
PR_GET_SECCOMP: Final = 21
PR_SET_SECCOMP: Final = 22
_PR_CAPBSET_READ: Final = 23
PR_CAPBSET_DROP: Final = 24
PR_SET_SECUREBITS: Final = 28
PR_SET_NO_NEW_PRIVS: Final = 38
PR_GET_NO_NEW_PRIVS: Final = 39

# These have one number on every architecture: they were added after the tables were unified.
OPEN_TREE: Final = 428
MOVE_MOUNT: Final = 429
MOUNT_SETATTR: Final = 442
LANDLOCK_CREATE_RULESET: Final = 444
LANDLOCK_ADD_RULE: Final = 445
LANDLOCK_RESTRICT_SELF: Final = 446

_CAPABILITY_VERSION: Final = 0x20080522
_SECUREBITS: Final = 0xEF  # uid 0 means nothing, no ambient set, each with its lock
_CAP_SETPCAP: Final = 8
_libc = ctypes.CDLL(None, use_errno=True)
_libc.syscall.restype = ctypes.c_long
_libc.prctl.argtypes = [ctypes.c_int, *[ctypes.c_ulong] * 4]


def checked(result: int, what: str) -> int:
    """Return a call's result. Raises OSError, naming the call, where it is negative."""
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), what)
    return result


def syscall(what: str, number: int, *args: int | bytes | ctypes.Array[ctypes.c_char] | None) -> int:
    """Make a system call by number; integers are passed as 64-bit words."""
    words = [ctypes.c_long(arg) if isinstance(arg, int) else arg for arg in args]
    return checked(int(_libc.syscall(ctypes.c_long(number), *words)), what)


def prctl(what: str, option: int, value: int = 0) -> int:
    """Set or read a property of this process."""
    return checked(int(_libc.prctl(option, value, 0, 0, 0)), what)


def install_filter(program: bytes) -> None:
    """Install a seccomp program (8 bytes an instruction) for this process, for good."""
    text = ctypes.create_string_buffer(program, len(program))

    class Program(ctypes.Structure):
        _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_void_p))

    head = Program(len(program) // 8, ctypes.addressof(text))
    checked(int(_libc.prctl(PR_SET_SECCOMP, 2, ctypes.addressof(head), 0, 0)), "prctl(PR_SET_SECCOMP)")


def unshare(flags: int) -> None:
    """Move this process into namespaces of its own."""
    checked(int(_libc.unshare(flags)), f"unshare({flags:#x})")


def mount(source: str, target: str, kind: str | None, flags: int, options: str | None = None) -> None:
    """Mount a filesystem."""
    kind_bytes = kind.encode() if kind else None
    options_bytes = options.encode() if options else None
    result = _libc.mount(source.encode(), os.fsencode(target), kind_bytes, ctypes.c_ulong(flags), options_bytes)
    checked(int(result), f"mount({kind or 'change'} on {target})")


def unmount_lazily(target: str) -> None:
    """Detach a mount; it ends when its last user does."""
    checked(int(_libc.umount2(os.fsencode(target), 2)), f"umount2({target})")


def advise(address: int, length: int, advice: int) -> bool:
    """Advise the kernel about memory; False if it does not want to know."""
    return int(_libc.madvise(ctypes.c_void_p(address), ctypes.c_size_t(length), advice)) == 0


def capabilities() -> tuple[int, int, int]:
    """Return the effective, permitted and inheritable sets of this process."""
    header, data = _capability_buffers()
    checked(int(_libc.capget(header, data)), "capget")
    low, high = data[0:3], data[3:6]
    effective, permitted, inheritable = (a | b << 32 for a, b in zip(low, high, strict=True))
    return effective, permitted, inheritable


def drop_capabilities() -> None:
    """Give up every capability, and where we may, also what an exec could bring back."""
    if capabilities()[0] >> _CAP_SETPCAP & 1:
        prctl("prctl(PR_SET_SECUREBITS)", PR_SET_SECUREBITS, _SECUREBITS)
        results = [_libc.prctl(PR_CAPBSET_DROP, number, 0, 0, 0) for number in range(_CAPABILITIES)]
        checked(min(results), "prctl(PR_CAPBSET_DROP)")
    header, data = _capability_buffers()
    checked(int(_libc.capset(header, data)), "capset")


def _capability_buffers() -> tuple[ctypes.Array[ctypes.c_uint32], ctypes.Array[ctypes.c_uint32]]:
    return (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION, 0), (ctypes.c_uint32 * 6)()


def _count_capabilities() -> int:
    """Capabilities are numbered without gaps; reading one past the last is refused."""
    number = 0
    while _libc.prctl(_PR_CAPBSET_READ, number, 0, 0, 0) >= 0:
        number += 1
    return number


_CAPABILITIES: Final = _count_capabilities()
