"""Scripts run in locked-down children, as tests need them."""

from __future__ import annotations

import ctypes
import functools
import json
import os
import sys
import time
from typing import TYPE_CHECKING, Any

from grader.isolation.profile import Layers

if TYPE_CHECKING:
    from grader.isolation.forked import ForkedChild, ForkLauncher
    from grader.isolation.libraries import Kind

LOCKED = Layers()
NO_NAMESPACES = Layers(namespaces=False)
BARE = Layers(namespaces=False, landlock=False, seccomp=False, rlimits=False)

NEW_USER_AND_MOUNTS = 0x10000000 | 0x20000
CREATE_RULESET, VERSION = 444, 1


@functools.cache
def kernel_offers() -> frozenset[str]:
    """The layers that this machine has, asked of the kernel by hand.

    Not asked of the code under test, which would otherwise skip the very tests that it should fail.
    """
    if sys.platform != "linux":
        return frozenset()
    libc = ctypes.CDLL(None, use_errno=True)
    offered = {"landlock"} if libc.syscall(CREATE_RULESET, None, ctypes.c_long(0), VERSION) > 0 else set()
    pid = os.fork()
    if pid == 0:
        mounted = libc.unshare(NEW_USER_AND_MOUNTS) == 0 and libc.mount(b"x", b"/usr", b"tmpfs", 0, None) == 0
        os._exit(0 if mounted else 1)
    if os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0:
        offered.add("namespaces")
    return frozenset(offered)


def best_layers() -> Layers:
    """What the survey must find on this machine."""
    offered = kernel_offers()
    return Layers(namespaces="namespaces" in offered, landlock="landlock" in offered)


# What a script finds: say(x) reports a value; attempt(f) reports what f() returned, or the name of its OSError.
PRELUDE = """
import errno, json, os

def say(value):
    os.write(results, json.dumps(value).encode() + b"\\n")

def attempt(action):
    try:
        say(["got", str(action())])
    except Exception as error:
        number = getattr(error, "errno", None)
        say(["refused", errno.errorcode[number] if number else type(error).__name__])

def call(number, *args):
    import ctypes
    libc = ctypes.CDLL(None, use_errno=True)
    result = libc.syscall(ctypes.c_long(number), *(ctypes.c_long(arg) for arg in args))
    if result < 0:
        raise OSError(ctypes.get_errno(), "")
    return result
"""


def start(launcher: ForkLauncher, script: str, *, memory_mib: int = 256, kind: Kind | None = None) -> ForkedChild:
    return launcher.attack({"script": PRELUDE + script}, memory_mib=memory_mib, kind=kind)


def finish(child: ForkedChild, seconds: float = 30.0) -> list[Any]:
    """Let a child run to its end; return what it said. Its output and its end can still be asked for."""
    said, deadline = b"", time.monotonic() + seconds
    while child.ended() is None and time.monotonic() < deadline:
        child.wait(0.2)
        said += child.reply()
    while data := child.reply():
        said += data
    return [json.loads(line) for line in said.splitlines()]


def run(launcher: ForkLauncher, script: str, **conditions: Any) -> list[Any]:
    """Run a script in a child; return what it said."""
    child = start(launcher, script, **conditions)
    try:
        said = finish(child)
        assert child.ended() is not None, "the script did not end"
        assert not said or "Traceback" not in child.output().decode()
        return said
    finally:
        child.close()
