"""Landlock: an allow-list of files for this process and all that comes from it, plus TCP and signals.

The kernel's version is asked for and each right is used from the version on that has it. A rule's path that
does not exist is dropped by name and reported; whatever else goes wrong raises `OSError`.
"""

from __future__ import annotations

import errno
import os
import struct
from typing import TYPE_CHECKING, Final

from . import kernel

if TYPE_CHECKING:
    from collections.abc import Iterable

EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = 1, 1 << 1, 1 << 2, 1 << 3
TRUNCATE, IOCTL_DEV = 1 << 14, 1 << 15
_OLDEST: Final = (1 << 13) - 1  # all that version 1 knows
_SINCE: Final = {2: 1 << 13, 3: TRUNCATE, 5: IOCTL_DEV}  # REFER, TRUNCATE, IOCTL_DEV
_NET_SINCE, _NET = 4, 0b11  # bind and connect by TCP
_SCOPES_SINCE, _SCOPES = 6, 0b11  # abstract sockets and signals stay among our own
_ON_FILES: Final = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV
_CHAR_SOCK_BLOCK: Final = 1 << 6 | 1 << 9 | 1 << 11  # device nodes and sockets are never made

RIGHTS: Final = {
    "read": READ_FILE | READ_DIR,
    "list": READ_DIR,
    "name": READ_FILE | READ_DIR | WRITE_FILE | TRUNCATE,  # of a thread, in /proc
    "write": ~(EXECUTE | IOCTL_DEV | _CHAR_SOCK_BLOCK),
    "device": READ_FILE | WRITE_FILE | TRUNCATE | IOCTL_DEV,
}


def abi() -> int:
    """Return the kernel's Landlock version. Raises OSError where there is none."""
    return kernel.syscall("landlock_create_ruleset", kernel.LANDLOCK_CREATE_RULESET, None, 0, 1)


def restrict(rules: Iterable[tuple[str, str]], version: int) -> list[str]:
    """Allow what the rules name, as (path, key of RIGHTS), and nothing else, for good.

    Needs no_new_privs. Returns the paths that do not exist.
    """
    handled = _handled(version)
    attributes = struct.pack("QQQ", handled, _NET, _SCOPES)[: _size(version)]
    ruleset = kernel.syscall("landlock_create_ruleset", kernel.LANDLOCK_CREATE_RULESET, attributes, len(attributes), 0)
    try:
        dropped = [path for path, right in rules if not _allow(ruleset, path, RIGHTS[right] & handled)]
        kernel.syscall("landlock_restrict_self", kernel.LANDLOCK_RESTRICT_SELF, ruleset, 0)
    finally:
        os.close(ruleset)
    return dropped


def _handled(version: int) -> int:
    rights = _OLDEST
    for since, right in _SINCE.items():
        rights |= right if version >= since else 0
    return rights


def _size(version: int) -> int:
    return 24 if version >= _SCOPES_SINCE else 16 if version >= _NET_SINCE else 8


def _allow(ruleset: int, path: str, rights: int) -> bool:
    """Add one rule; False if the path does not exist."""
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    try:
        try:
            _add(ruleset, place, rights)
        except OSError as error:  # rights over a folder's contents are refused on a file
            if error.errno != errno.EINVAL:
                raise
            _add(ruleset, place, rights & _ON_FILES)
    finally:
        os.close(place)
    return True


def _add(ruleset: int, place: int, rights: int) -> None:
    rule = struct.pack("=Qi", rights, place)
    kernel.syscall("landlock_add_rule", kernel.LANDLOCK_ADD_RULE, ruleset, 1, rule, 0)
