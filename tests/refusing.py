"""Run a command on a machine that refuses more: ``python refusing.py namespaces,landlock command...``.

A seccomp filter of this script's own makes the kernel answer as one that lacks a feature, without any privilege,
so that the lower tiers can be tested where the higher ones are to be had.
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct
import sys

LOAD, JUMP_EQUAL, JUMP_SET, RETURN = 0x20, 0x15, 0x45, 0x06
ALLOW, ERROR = 0x7FFF0000, 0x00050000
NEW_USER = 0x10000000
SET_SECCOMP = 22
CALLS = {  # unshare, clone, seccomp, prctl
    "x86_64": (272, 56, 317, 157),
    "aarch64": (97, 220, 277, 167),
}
CLONE3, LANDLOCK_CREATE_RULESET = 435, 444


def step(code: int, value: int, yes: int = 0, no: int = 0) -> bytes:
    return struct.pack("HBBI", code, yes, no, value)


def refuse(number: int, error: int) -> list[bytes]:
    return [step(JUMP_EQUAL, number, 0, 1), step(RETURN, ERROR | error)]


def refuse_argument(number: int, test: int, value: int, error: int) -> list[bytes]:
    """Refuse a call if its first argument equals the value, or has its bits."""
    return [
        step(JUMP_EQUAL, number, 0, 4),
        step(LOAD, 16),
        step(test, value, 0, 1),
        step(RETURN, ERROR | error),
        step(RETURN, ALLOW),
    ]


def program(features: set[str]) -> bytes:
    unshare, clone, seccomp, prctl = CALLS[os.uname().machine]
    code = [step(LOAD, 0)]
    if "namespaces" in features:
        code += refuse_argument(unshare, JUMP_SET, NEW_USER, errno.EPERM)
        code += refuse_argument(clone, JUMP_SET, NEW_USER, errno.EPERM)
        code += refuse(CLONE3, errno.ENOSYS)
    if "landlock" in features:
        code += refuse(LANDLOCK_CREATE_RULESET, errno.ENOSYS)
    if "seccomp" in features:
        code += refuse(seccomp, errno.ENOSYS)
        code += refuse_argument(prctl, JUMP_EQUAL, SET_SECCOMP, errno.EINVAL)
    return b"".join([*code, step(RETURN, ALLOW)])


def install(features: set[str]) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl.argtypes = [ctypes.c_int, *[ctypes.c_ulong] * 4]
    text = ctypes.create_string_buffer(program(features))
    head = ctypes.create_string_buffer(struct.pack("HxxxxxxQ", len(text.raw) // 8, ctypes.addressof(text)))
    if libc.prctl(38, 1, 0, 0, 0) or libc.prctl(SET_SECCOMP, 2, ctypes.addressof(head), 0, 0):
        raise OSError(ctypes.get_errno(), "the filter was not installed")


if __name__ == "__main__":
    install(set(sys.argv[1].split(",")))
    os.execvp(sys.argv[2], sys.argv[2:])
