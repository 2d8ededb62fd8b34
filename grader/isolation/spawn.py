"""Children as fresh interpreters: the portable launcher, and the one to measure the other against.

Threads read and write the pipes, so that nothing here needs a system call that only one platform has. Where the
platform offers more (limits, a process's CPU clock, its memory, a group to kill), it is used.
"""

from __future__ import annotations

import contextlib
import functools
import importlib.util
import json
import os
import secrets
import select
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final

from grader.errors import IsolationError
from grader.isolation import numerics
from grader.isolation.guardian import Guardian
from grader.isolation.inside.lockdown import folders
from grader.isolation.inside.spawned import READY
from grader.isolation.profile import Exit

if TYPE_CHECKING:
    from collections.abc import Callable

    from grader.isolation.profile import Layers, Profile

_INSIDE: Final = Path(__file__).with_name("inside")
_START_SECONDS = 180.0  # importing torch from a cold disk
_CHUNK = 2**16
_HELD = 2**20  # bytes that a thread reads ahead of the worker
_LAST_WORDS = 0.5  # seconds that readers get to empty the pipes of a dead child
_REAP_SECONDS = 5.0
_POSIX = os.name == "posix"

_INHERITED = ("CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER", "LD_LIBRARY_PATH", "SYSTEMROOT")


class SpawnLauncher:
    """Starts each child as a Python of its own.

    Args:
        layers: what is promised; of the layers, this launcher has none but the limits.

    Raises:
        IsolationError: a layer is promised that a fresh interpreter does not get here.
    """

    def __init__(self, layers: Layers) -> None:
        lacking = [name for name in ("fork", "namespaces", "landlock", "seccomp") if getattr(layers, name)]
        if lacking:
            raise IsolationError(f"a spawned child has no {' and no '.join(lacking)}")
        if layers.rlimits and importlib.util.find_spec("resource") is None:
            raise IsolationError("this platform has no resource limits for a child")
        self._layers = layers
        self._children: list[SpawnedChild] = []
        self._guardian = Guardian()

    @property
    def layers(self) -> Layers:
        """What its children are built with."""
        return self._layers

    def start(self, profile: Profile) -> SpawnedChild:
        """Start a child and wait until it is ready for its first request.

        Raises:
            IsolationError: it did not come up.
        """
        self._children = [child for child in self._children if not child.closed]
        settings = _settings(profile, self._layers)
        folder = str(Path(tempfile.gettempdir(), f"grader-{secrets.token_hex(8)}"))
        released = functools.partial(self._guardian.release, folder)
        try:
            self._guardian.watch(folder)
            Path(folder).mkdir(mode=0o700)
            process = _process(settings, _environment(folder), folder)
            child = SpawnedChild(process, folder, released)
            self._guardian.watch(folder, child.pid)
        except OSError as error:
            folders.remove(folder)
            released()
            raise IsolationError(f"a child could not be started: {error}") from error
        self._children.append(child)
        _await_ready(child)
        return child

    def close(self) -> None:
        """End every child. Safe to call twice."""
        for child in self._children:
            child.close()
        self._children.clear()
        self._guardian.close()


class _Inbox:
    """What arrives on a pipe, collected by a thread.

    Where pipes can be polled, the thread only waits for them and the reading is done under the lock, so that who
    takes the output gets all that was printed before a reply.
    """

    def __init__(self, pipe: IO[bytes], changed: threading.Condition) -> None:
        self.held = bytearray()
        self.abandoned = False  # nobody will come for more
        self._pipe = pipe
        self._changed = changed
        self._poll = select.poll() if hasattr(select, "poll") else None
        if self._poll is not None:
            os.set_blocking(pipe.fileno(), False)
            self._poll.register(pipe.fileno(), select.POLLIN)
        self.thread = _thread(self._collect)

    def take(self) -> bytes:
        """Return what has arrived since the last call."""
        with self._changed:
            if self._poll is not None and not self._pipe.closed:
                self._drain()
            data = bytes(self.held)
            self.held.clear()
            if len(data) >= _HELD:
                self._changed.notify_all()
            return data

    def _collect(self) -> None:
        while self._wait_and_read():
            with self._changed:
                self._changed.notify_all()
                self._changed.wait_for(lambda: len(self.held) < _HELD or self.abandoned)
        with self._changed:
            self._pipe.close()
            self._changed.notify_all()

    def _wait_and_read(self) -> bool:
        """Add what comes next; return whether there may be more."""
        if self._poll is None:
            data = self._read()
            with self._changed:
                self.held += data or b""
                return bool(data) and not self.abandoned
        self._poll.poll()
        with self._changed:
            return self._drain() and not self.abandoned

    def _drain(self) -> bool:
        """Add all that is there, up to a bound; return whether there may be more."""
        while len(self.held) < _HELD:
            data = self._read()
            if data is None:
                return True
            if not data:
                return False
            self.held += data
        return True

    def _read(self) -> bytes | None:
        """Return some bytes; b"" at the end, None if there are none now."""
        try:
            return os.read(self._pipe.fileno(), _CHUNK)
        except BlockingIOError:
            return None
        except OSError:
            return b""


class SpawnedChild:
    """One child process and the threads that serve its pipes; ``released`` is called when nothing is left of it."""

    def __init__(self, process: subprocess.Popen[bytes], folder: str, released: Callable[[], None]) -> None:
        assert process.stdin
        assert process.stdout
        assert process.stderr
        self.closed = False
        self._process = process
        self._folder = folder
        self._released = released
        self._changed = threading.Condition()
        self._unsent = b""
        self._deaf = False  # the child reads no more
        self._exit: Exit | None = None
        self._cpu: float | None = None
        self._replies = _Inbox(process.stdout, self._changed)
        self._printed = _Inbox(process.stderr, self._changed)
        self._others = [_thread(self._write, process.stdin), _thread(self._await_end)]

    @property
    def pid(self) -> int:
        """Process id, for messages."""
        return self._process.pid

    def write(self, data: memoryview) -> int:
        """Send what the channel takes now; return how many bytes that was. 0 if full or closed."""
        with self._changed:
            if self._unsent or self._deaf or not data:
                return 0
            self._unsent = bytes(data[:_HELD])
            self._changed.notify_all()
            return len(self._unsent)

    def wait(self, seconds: float, *, writing: bool = False) -> None:
        """Return when something can be read (or written, if asked), the child has ended, or time is up."""
        with self._changed:
            self._changed.wait_for(
                lambda: (
                    self._replies.held
                    or self._printed.held
                    or self._exit
                    or (writing and not self._unsent and not self._deaf)
                ),
                timeout=seconds,
            )

    def reply(self) -> bytes:
        """Return what has arrived on the reply channel since the last call; b"" if nothing."""
        return self._replies.take()

    def output(self) -> bytes:
        """Return what the student's code printed since the last call; b"" if nothing."""
        return self._printed.take()

    def ended(self) -> Exit | None:
        """Return how the child ended, or None while it lives."""
        return self._exit

    def cpu_seconds(self) -> float | None:
        """Return the CPU time used so far; None where it cannot be had."""
        if sys.platform == "linux":
            with self._changed, contextlib.suppress(OSError):
                if self._process.returncode is None:
                    self._cpu = time.clock_gettime((~self.pid << 3) | 2)  # the kernel's name for its clock
        return self._cpu

    def rss_bytes(self) -> int | None:
        """Return the resident memory now; None where it cannot be had."""
        if sys.platform == "linux":
            with self._changed, contextlib.suppress(OSError):
                if self._process.returncode is None:
                    sizes = Path(f"/proc/{self.pid}/statm").read_text(encoding="ascii").split()
                    return int(sizes[1]) * os.sysconf("SC_PAGE_SIZE")
        return None

    def kill(self) -> Exit:
        """End the child at once and reap it; return how it ended. Safe to call twice."""
        with self._changed:
            self._replies.abandoned = self._printed.abandoned = True
            self._changed.notify_all()
        self._end_group()
        with self._changed:
            self._changed.wait_for(lambda: self._exit, timeout=_REAP_SECONDS)
        return self._exit or Exit(signal=getattr(signal, "SIGKILL", signal.SIGTERM))

    def close(self) -> None:
        """Kill if need be and release every descriptor. Safe to call twice."""
        if self.closed:
            return
        self.kill()
        with self._changed:
            self.closed = True
            self._changed.notify_all()
        for thread in (self._replies.thread, self._printed.thread, *self._others):
            thread.join(_LAST_WORDS)  # one that an escaped grandchild keeps waiting is left to end with it
        folders.remove(self._folder)
        self._released()

    def _write(self, pipe: IO[bytes]) -> None:
        # Closing a pipe whose reader is gone reports the same broken pipe again.
        with contextlib.suppress(OSError), pipe:
            while data := self._next_to_send():
                view = memoryview(data)
                while view:
                    view = view[os.write(pipe.fileno(), view) :]
                with self._changed:
                    self._unsent = b""
                    self._changed.notify_all()
        with self._changed:
            self._deaf = True

    def _next_to_send(self) -> bytes:
        with self._changed:
            self._changed.wait_for(lambda: self._unsent or self._exit or self.closed)
            return b"" if self._exit or self.closed else self._unsent

    def _await_end(self) -> None:
        if hasattr(os, "waitid"):  # leaves it unreaped, so that the id of its group is still its own
            os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOWAIT)
            self._end_group()
        code = self._process.wait()
        deadline = time.monotonic() + _LAST_WORDS
        for inbox in (self._replies, self._printed):
            inbox.thread.join(max(deadline - time.monotonic(), 0))
        with self._changed:
            self._exit = Exit(signal=-code) if code < 0 else Exit(code=code)
            self._changed.notify_all()

    def _end_group(self) -> None:
        with self._changed, contextlib.suppress(OSError):
            if self._process.returncode is not None:
                return
            if _POSIX:
                os.killpg(self.pid, signal.SIGKILL)
            else:
                self._process.kill()


def _thread(work: Callable[..., None], *args: Any) -> threading.Thread:
    thread = threading.Thread(target=work, args=args, daemon=True)
    thread.start()
    return thread


def _settings(profile: Profile, layers: Layers) -> str:
    settings = {
        "paths": _library_folders(profile),
        "torch": profile.torch,
        "device": profile.device,
        "limits": layers.rlimits,
        "memory_mib": profile.memory_mib,
    }
    return json.dumps(settings)


def _process(settings: str, environment: dict[str, str], folder: str) -> subprocess.Popen[bytes]:
    # As isolated as -I, which would also ignore PYTHONHASHSEED: the environment is ours, entry by entry.
    flags = ["-P", "-s", "-S", "-B", "-X", "utf8"]
    return subprocess.Popen(
        [sys.executable, *flags, str(_INSIDE), "spawn", settings],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        bufsize=0,
        cwd=folder,
        env=environment,
        start_new_session=_POSIX,
    )


def _environment(folder: str) -> dict[str, str]:
    names = (*_INHERITED, "PATH") if os.name == "nt" else _INHERITED  # Windows looks for libraries there
    return {
        **numerics.environment(),
        **dict.fromkeys(("HOME", "TMPDIR", "TEMP", "TMP"), folder),
        **{name: os.environ[name] for name in names if name in os.environ},
    }


def _library_folders(profile: Profile) -> list[str]:
    folders = []
    for name in ("numpy", "torch"):
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.origin is not None:
            folders.append(str(Path(spec.origin).parent.parent))
        elif name == "numpy" or profile.torch:
            raise IsolationError(f"{name} is not installed")
    return list(dict.fromkeys(folders))


def _await_ready(child: SpawnedChild) -> None:
    said = b""
    deadline = time.monotonic() + _START_SECONDS
    while len(said) < len(READY) and not child.ended() and time.monotonic() < deadline:
        child.wait(1.0)
        said += child.reply()
    if said != READY:
        child.kill()
        words = child.output().decode("utf-8", "backslashreplace")[-2000:]
        child.close()
        raise IsolationError(f"a child did not come up: {words.strip() or 'no reason was given'}")
