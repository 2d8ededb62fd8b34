"""The grader's end of a zygote: start it, ask it for children, hear how they ended, end it."""

from __future__ import annotations

import json
import os
import secrets
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from grader.errors import IsolationError
from grader.isolation import libraries
from grader.isolation.inside.lockdown import folders
from grader.isolation.profile import Exit

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from grader.isolation.libraries import Kind
    from grader.isolation.profile import Layers

INSIDE: Final = Path(__file__).parent / "inside"
_IMPORT_SECONDS: Final = 300.0  # torch from a cold network disk
_ANSWER_SECONDS: Final = 120.0
_END_SECONDS: Final = 5.0
_MESSAGE: Final = 65536


class LayerError(IsolationError):
    """A promised layer cannot be had on this machine; ``layer`` is its name in Layers, or empty."""

    def __init__(self, message: str, layer: str = "") -> None:
        super().__init__(message)
        self.layer = layer


@dataclass(frozen=True, slots=True)
class Ended:
    """How a child ended and what it had used."""

    exit: Exit
    cpu_seconds: float


class Seedling:
    """A child of this process that shares its libraries, and waits to be told how to be a zygote of them.

    See `inside/lockdown/seedling.py`, by which this process must have been started.
    """

    def __init__(self, pid: int, channel: int) -> None:
        self.pid = pid
        self.channel = socket.socket(fileno=channel)
        self._status: int | None = None

    def grow(self, config: Mapping[str, Any], errors: int) -> None:
        """Tell it."""
        grader = os.pidfd_open(os.getpid())
        try:
            with tempfile.TemporaryFile() as file:
                file.write(json.dumps(config).encode())
                file.flush()
                socket.send_fds(self.channel, [b"grow"], [file.fileno(), grader, errors])
        finally:
            os.close(grader)

    def poll(self) -> int | None:
        """Return how it ended; None while it lives."""
        if self._status is None and os.waitpid(self.pid, os.WNOHANG)[0]:
            self._status = 0
        return self._status

    def wait(self) -> None:
        """Wait for its end."""
        if self._status is None:
            os.waitpid(self.pid, 0)
            self._status = 0

    def kill(self) -> None:
        """End it at once; it cannot have been reaped by anybody else."""
        if self._status is None:
            os.kill(self.pid, signal.SIGKILL)


_SOWN: dict[Kind, Seedling] = {}


def sow(kind: Kind, pid: int, channel: int) -> None:
    """Have the next zygote of a kind made of a process that waits for it; see `Seedling`."""
    _SOWN[kind] = Seedling(pid, channel)


def _sown(kind: Kind) -> Seedling | None:
    """Return what waits to be a zygote of a kind, if it still does."""
    seedling = _SOWN.pop(kind, None)
    if seedling is not None and seedling.poll() is not None:
        seedling.channel.close()
        return None
    return seedling


class Zygote:
    """One zygote process. Thread-safe.

    Raises LayerError from the constructor if a layer is refused, IsolationError if anything else is wrong.
    """

    def __init__(self, kind: Kind, layers: Layers) -> None:
        self.kind = kind
        # Where there are no private mounts, children write below this folder. The zygote makes it, and removes it
        # should the grader be killed; so there is no moment at which it would be left behind.
        self.folder = "" if layers.namespaces else f"{tempfile.gettempdir()}/grader-{secrets.token_hex(8)}"
        self._user = layers.user
        self._lock = threading.Lock()
        self._started: dict[int, tuple[int, str]] = {}  # serial -> (process handle, complaint)
        self._ended: dict[int, Ended] = {}
        self._serial = 0
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the process
        self._process: subprocess.Popen[bytes] | Seedling | None = _sown(kind)
        config = _config(kind, layers, self.folder)
        try:
            if self._process is not None:
                self._channel = self._process.channel
                self._process.grow({**config, "shared": True}, self._errors.fileno())
            else:
                self._channel, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
                with theirs:
                    self._execute(theirs.fileno(), {**config, "shared": False})
            self.facts = self._greeting()
        except BaseException:
            self.close()
            raise

    def spawn(self, request: Mapping[str, Any], descriptors: Sequence[int]) -> tuple[int, int]:
        """Fork a child with these descriptors; return its serial number and a process handle.

        Raises IsolationError if the zygote does not answer as it should; it must then be replaced.
        """
        with self._lock:
            self._serial += 1
            serial = self._serial
            message = json.dumps({"serial": serial, **request}).encode()
            try:
                socket.send_fds(self._channel, [message], list(descriptors))
            except OSError as error:
                raise IsolationError(f"the zygote is gone ({error}){self._last_words()}") from error
            deadline = time.monotonic() + _ANSWER_SECONDS
            while serial not in self._started:
                self._hear(deadline)
            handle, complaint = self._started.pop(serial)
        if complaint:
            raise IsolationError(f"the zygote could not start a child: {complaint}")
        return serial, handle

    def ended(self, serial: int) -> Ended:
        """Return how a child ended; to be asked once its process handle says that it has."""
        with self._lock:
            deadline = time.monotonic() + _ANSWER_SECONDS
            while serial not in self._ended:
                self._hear(deadline)
            return self._ended.pop(serial)

    def room(self) -> str:
        """Return a new folder for one child, below the zygote's own."""
        made = tempfile.mkdtemp(dir=self.folder)
        if self._user:
            os.chown(made, self._user, self._user, follow_symlinks=False)
        return made

    def close(self) -> None:
        """End the zygote and all its children. Safe to call twice."""
        self._channel.close()
        if self._process is not None:
            if self._process.poll() is None and not _ends(self._process.pid, _END_SECONDS):
                self._process.kill()
            self._process.wait()
        self._errors.close()
        if self.folder:
            folders.remove(self.folder)

    def _execute(self, channel: int, config: Mapping[str, Any]) -> None:
        """Exec it: a fresh process in a fixed environment, so that nothing of ours is in its memory."""
        grader = os.pidfd_open(os.getpid())  # tells of our end even if a fork of ours keeps the socket open
        with tempfile.TemporaryFile() as file:  # not an argument: a large site-packages would exceed its limit
            file.write(json.dumps({**config, "channel": channel, "grader": grader}).encode())
            file.seek(0)
            try:
                self._process = subprocess.Popen(
                    # Not -I, which would ignore PYTHONHASHSEED; the environment is wholly ours anyway.
                    [sys.executable, "-s", "-P", "-S", str(INSIDE), "zygote", json.dumps({"config": file.fileno()})],
                    env=libraries.environment(cuda=self.kind.cuda),
                    cwd="/",
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=self._errors,
                    pass_fds=(channel, grader, file.fileno()),
                    start_new_session=True,
                )
            finally:
                os.close(grader)

    def _greeting(self) -> dict[str, Any]:
        message, _ = self._receive(time.monotonic() + _IMPORT_SECONDS)
        if "ready" not in message:
            raise LayerError(f"no zygote: {message.get('error')}", message.get("layer", ""))
        return message

    def _hear(self, deadline: float) -> None:
        """Take in one message."""
        message, handles = self._receive(deadline)
        serial: int = message["serial"]
        if "ended" in message:
            self._ended[serial] = Ended(_exit(message["ended"]), message["cpu"])
        elif "started" in message and len(handles) == 1:
            self._started[serial] = handles[0], ""
        else:
            self._started[serial] = -1, str(message.get("error"))

    def _receive(self, deadline: float) -> tuple[dict[str, Any], list[int]]:
        try:
            self._channel.settimeout(max(deadline - time.monotonic(), 0.001))
            text, handles, _, _ = socket.recv_fds(self._channel, _MESSAGE, 1, socket.MSG_CMSG_CLOEXEC)
        except OSError as error:
            raise IsolationError(f"the zygote does not answer ({error}){self._last_words()}") from error
        if not text:
            raise IsolationError(f"the zygote has ended{self._last_words()}")
        message: dict[str, Any] = json.loads(text)
        return message, handles

    def _last_words(self) -> str:
        if self._errors.closed:
            return ""
        size = os.fstat(self._errors.fileno()).st_size
        text = os.pread(self._errors.fileno(), 2000, max(size - 2000, 0)).decode(errors="replace").strip()
        return f":\n{text}" if text else ""


def _ends(pid: int, seconds: float) -> bool:
    """Return whether a child of ours ends in time; leaves it to be waited for."""
    handle = os.pidfd_open(pid)
    poll = select.poll()
    poll.register(handle, select.POLLIN)
    try:
        return bool(poll.poll(seconds * 1000))
    finally:
        os.close(handle)


def _config(kind: Kind, layers: Layers, folder: str) -> dict[str, Any]:
    needs = libraries.needs(kind, namespaces=layers.namespaces)
    return {"imports": kind.imports, "cuda": kind.cuda, "layers": asdict(layers), "folder": folder, **asdict(needs)}


def _exit(status: int) -> Exit:
    code = os.waitstatus_to_exitcode(status)
    return Exit(code=code) if code >= 0 else Exit(signal=-code)
