"""Attack this machine's own isolation, and see what comes of it.

The grader sets up what must not be reached: a file, its marks, sockets, its memory. A child is told where all
of it lies and tries. Where an attack leaves a trace on our side, the trace decides and not the child's word.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import secrets
import select
import socket
import stat
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol, Self

from grader.isolation.inside.lockdown.attacks import ATTACKS, MIB

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import TracebackType

    from grader.isolation.forked import ForkLauncher

CONTAINED, OPEN = "contained", "open"
_LAST: Final = ("execute",)  # it ends the attacker if it succeeds
_ALONE: Final = "balloon"  # the memory watch may end the attacker
_MEMORY_MIB: Final = 16
_INSIDE: Final = Path(__file__).with_name("inside")
_MODE: Final = 0o644
_SECONDS: Final = 20.0
_TICK: Final = 0.002
_ARRIVAL: Final = 0.05  # seconds for a connection to show on our side


class Attacker(Protocol):
    """A child that carries out a plan."""

    def step(self) -> bool:
        """Wait a moment; return whether the child still runs."""

    def rss_bytes(self) -> int | None:
        """Return its resident memory, if that can be had."""

    def finish(self) -> bytes:
        """End it, and return all that it wrote."""


class Targets:
    """What an attack would reach if it could; a context manager."""

    def __init__(self) -> None:
        self._stack = contextlib.ExitStack()
        self._canary = secrets.token_hex(16)
        self._secret = ctypes.create_string_buffer(secrets.token_hex(16).encode())

    def __enter__(self) -> Self:
        folder = Path(self._stack.enter_context(tempfile.TemporaryDirectory(prefix="grader-probe-")))
        self._file, self._outside = folder / "canary.txt", folder / "outside"
        self._file.write_text(self._canary, encoding="ascii")
        self._file.chmod(_MODE)
        self._outside.mkdir()
        self._sockets = {
            "tcp": self._listen(socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 0)),
            "udp": self._listen(socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", 0)),
        }
        if hasattr(socket, "AF_UNIX"):
            self._sockets["unix"] = self._listen(socket.AF_UNIX, socket.SOCK_STREAM, str(folder / "socket"))
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _frames: TracebackType | None
    ) -> None:
        self._stack.close()

    def plan(self, *attacks: str) -> dict[str, Any]:
        """Return a plan that names the attacks and tells where everything lies."""
        return {
            "attacks": attacks,
            "canary": str(self._file),
            "marked": str(self._file),
            "outside": str(self._outside),
            "tcp": self._sockets["tcp"].getsockname()[1],
            "udp": self._sockets["udp"].getsockname()[1],
            "unix": str(self._file.with_name("socket")),
            "processes": [os.getpid()],
            "secret": [os.getpid(), ctypes.addressof(self._secret), len(self._secret.value)],
            "fill_mib": 64,
            "balloon_mib": 4 * _MEMORY_MIB,
        }

    def reached(self, attack: str, got: str) -> bool:
        """Return whether an attack that claims to have worked did, as far as this side can see."""
        if attack in self._sockets:
            return bool(select.select([self._sockets[attack]], [], [], _ARRIVAL)[0])
        evidence: dict[str, Callable[[], bool]] = {
            "read": lambda: got == self._canary,
            "write": (self._outside / "written").exists,
            "chmod": lambda: stat.S_IMODE(self._file.stat().st_mode) != _MODE,
            "utime": lambda: self._file.stat().st_mtime == 1,
            "memory": lambda: got.encode() == self._secret.value,
        }
        return evidence.get(attack, lambda: True)()

    def _listen(self, family: int, kind: int, address: Any) -> socket.socket:
        listener = self._stack.enter_context(socket.socket(family, kind))
        listener.bind(address)
        if kind == socket.SOCK_STREAM:
            listener.listen()
        return listener


def probe(start: Callable[[Mapping[str, Any]], Attacker]) -> dict[str, str]:
    """Run every attack in children that `start` makes; return by attack how it ended.

    That is "contained", "open", or, where an attack could not be tried, the reason.
    """
    together = [name for name in ATTACKS if name not in _LAST and name != _ALONE]
    with Targets() as targets:
        said = _carry_out(start(targets.plan(*together, *_LAST))) | _carry_out(start(targets.plan(_ALONE)))
        return {name: _judged(targets, name, said.get(name)) for name in ATTACKS}


def in_forked_child(launcher: ForkLauncher) -> Callable[[Mapping[str, Any]], Attacker]:
    """Return what starts attackers as a launcher would start students."""
    return lambda plan: _Forked(launcher, plan)


def in_fresh_interpreter(plan: Mapping[str, Any]) -> Attacker:
    """Start an attacker as the portable launcher would start students."""
    return _Spawned(plan)


class _Forked:
    def __init__(self, launcher: ForkLauncher, plan: Mapping[str, Any]) -> None:
        self._child = launcher.attack(plan, memory_mib=_MEMORY_MIB)
        self._said = b""

    def step(self) -> bool:
        self._child.wait(_TICK)
        ended = self._child.ended()
        self._said += self._child.reply()
        self._child.output()
        return ended is None

    def rss_bytes(self) -> int | None:
        return self._child.rss_bytes()

    def finish(self) -> bytes:
        self._child.kill()
        self._said += self._child.reply()
        self._child.close()
        return self._said


class _Spawned:
    def __init__(self, plan: Mapping[str, Any]) -> None:
        with contextlib.ExitStack() as stack:
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="grader-"))
            self._said = stack.enter_context(tempfile.TemporaryFile())
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", str(_INSIDE), "attacks", json.dumps(plan)],
                stdin=subprocess.DEVNULL,
                stdout=self._said,
                stderr=subprocess.DEVNULL,
                cwd=folder,
            )
            self._held = stack.pop_all()

    def step(self) -> bool:
        time.sleep(_TICK)
        return self._process.poll() is None

    def rss_bytes(self) -> int | None:
        try:
            sizes = Path(f"/proc/{self._process.pid}/statm").read_text(encoding="ascii").split()
            return int(sizes[1]) * os.sysconf("SC_PAGE_SIZE")
        except (OSError, IndexError, AttributeError):
            return None

    def finish(self) -> bytes:
        with self._held:
            self._process.kill()
            self._process.wait()
            self._said.seek(0)
            return self._said.read()


def _carry_out(attacker: Attacker) -> dict[str, dict[str, str]]:
    """Let an attacker run under the memory watch; return what it said by attack."""
    allowed = (attacker.rss_bytes() or 0) + _MEMORY_MIB * MIB
    deadline = time.monotonic() + _SECONDS
    stopped = False
    try:
        while attacker.step() and not stopped and time.monotonic() < deadline:
            stopped = (attacker.rss_bytes() or 0) > allowed
    finally:
        text = attacker.finish()
    said = [json.loads(line) for line in text.splitlines()]
    if stopped:
        said.append({"attack": _ALONE, "refused": "stopped by the memory watch"})
    return {line["attack"]: line for line in said}


def _judged(targets: Targets, name: str, said: dict[str, str] | None) -> str:
    if said is None:
        return "not tried: the attacker ended before"
    if "got" in said:
        return OPEN if targets.reached(name, said["got"]) else CONTAINED
    kind, _, text = said["refused"].partition(": ")
    if kind in ("AttributeError", "NotImplementedError"):  # this platform has no such thing
        return f"not tried: {text}"
    return CONTAINED
