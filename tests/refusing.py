"""Run a command on a machine that refuses more: ``python refusing.py namespaces,landlock command...``.

Features are namespaces, landlock, seccomp, and container: all that the filter of an ordinary container refuses.

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
# Any of the flags by which unshare and clone make a namespace: mount, cgroup, UTS, IPC, user, pid, net.
NEW_NAMESPACE = 0x00020000 | 0x02000000 | 0x04000000 | 0x08000000 | NEW_USER | 0x20000000 | 0x40000000
# What a container without privileges is refused as well; numbers on x86-64 and aarch64, 0 where there is no such call.
CONTAINER = """
acct 163 89                add_key 248 217       bpf 321 280             clock_settime 227 112
delete_module 176 106      finit_module 313 273  fsconfig 431 431        fsmount 432 432
fsopen 430 430             fspick 433 433        init_module 175 105     io_uring_enter 426 426
io_uring_register 427 427  io_uring_setup 425 425  ioperm 173 0          iopl 172 0
kcmp 312 272               kexec_load 246 104    keyctl 250 219          mount 165 40
mount_setattr 442 442      move_mount 429 429    open_by_handle_at 304 265  open_tree 428 428
perf_event_open 298 241    pivot_root 155 41     quotactl 179 60         reboot 169 142
request_key 249 218        setns 308 268         settimeofday 164 170    swapoff 168 225
swapon 167 224             umount2 166 39        userfaultfd 323 282     vhangup 153 58
"""


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


def container_calls() -> list[int]:
    words = CONTAINER.split()
    column = 1 if os.uname().machine == "x86_64" else 2
    return [int(number) for number in words[column::3] if int(number)]


def program(features: set[str]) -> bytes:
    unshare, clone, seccomp, prctl = CALLS[os.uname().machine]
    code = [step(LOAD, 0)]
    if "container" in features:
        code += refuse_argument(unshare, JUMP_SET, NEW_NAMESPACE, errno.EPERM)
        code += refuse_argument(clone, JUMP_SET, NEW_NAMESPACE, errno.EPERM)
        code += refuse(CLONE3, errno.ENOSYS)
        for number in container_calls():
            code += refuse(number, errno.EPERM)
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
