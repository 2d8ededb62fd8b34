"""Ends spawned children and removes their folders when the grader has been killed.

A zygote does this for forked children. A fresh interpreter that is busy with a student's code notices nothing of its
grader's end, so a small process watches over all that a launcher has started. It works wherever pipes do.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import threading
from typing import Final

_END_SECONDS: Final = 5.0
# Told a line of JSON for each change: [folder, process id or null], or [folder] when all is over with it.
_WATCH: Final = """
import json, os, select, shutil, signal, sys

def lines(grader):
    rest = b""
    while True:
        # A fork of the grader may hold the pipe open for longer than the grader lives.
        if os.name != "nt" and not select.select([0], [], [], 1.0)[0]:
            if os.getppid() != grader:
                return
            continue
        data = os.read(0, 65536)
        if not data:
            return
        *whole, rest = (rest + data).split(b"\\n")
        yield from whole

def end(pid, handle):
    try:
        if handle is not None:
            signal.pidfd_send_signal(handle, 0)  # else the number may be somebody else's by now
        if os.name == "nt":
            os.kill(pid, signal.SIGTERM)
        else:
            os.killpg(pid, signal.SIGKILL)
    except OSError:
        pass

watched = {}
for line in lines(int(sys.argv[1])):
    folder, *pid = json.loads(line)
    _, handle = watched.pop(folder, (None, None))
    if handle is not None:
        os.close(handle)
    if pid:
        try:
            handle = os.pidfd_open(pid[0])
        except (AttributeError, OSError, TypeError):
            handle = None
        watched[folder] = pid[0], handle
for pid, handle in watched.values():
    if pid is not None:
        end(pid, handle)
for folder in watched:
    shutil.rmtree(folder, ignore_errors=True)
"""


class Guardian:
    """The watching process of one launcher; it is started with the first child. Thread-safe."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._inherited: subprocess.Popen[bytes] | None = None  # kept so that nobody waits for it in this copy
        self._lock = threading.Lock()
        self._owner = os.getpid()
        self._watched: dict[str, int | None] = {}

    def watch(self, folder: str, pid: int | None = None) -> None:
        """Have a folder removed, and a process and its group ended, when this process ends.

        Raises OSError if there can be no such process.
        """
        with self._lock:
            self._watched[folder] = pid
            self._tell([folder, pid])

    def release(self, folder: str) -> None:
        """Stop watching: the process has ended and the folder is gone."""
        with self._lock, contextlib.suppress(OSError):
            if self._watched.pop(folder, self) is not self:
                self._tell([folder])

    def close(self) -> None:
        """End the watching process; what is watched still ends too. Safe to call twice."""
        if self._process is None or os.getpid() != self._owner:
            return
        process, self._process = self._process, None
        assert process.stdin
        with contextlib.suppress(OSError):
            process.stdin.close()
        try:
            process.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def _tell(self, change: list[str | int | None]) -> None:
        if os.getpid() != self._owner:  # a fork of the grader: what is watched is its parent's
            last = {folder: pid for folder, pid in self._watched.items() if folder == change[0]}
            self._process, self._inherited = None, self._process
            self._owner, self._watched = os.getpid(), last
        if self._process is not None:
            with contextlib.suppress(OSError):
                self._send(self._process, change)
                return
            self.close()  # it has been killed: another takes over
        self._process = _start()
        for folder, pid in self._watched.items():
            self._send(self._process, [folder, pid])

    @staticmethod
    def _send(process: subprocess.Popen[bytes], change: list[str | int | None]) -> None:
        assert process.stdin
        process.stdin.write(json.dumps(change).encode() + b"\n")


def _start() -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", _WATCH, str(os.getpid())],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        bufsize=0,
        start_new_session=os.name == "posix",
    )
