"""Children forked from a zygote and locked down by Linux: a few milliseconds each, three pipes, one handle."""

from __future__ import annotations

import contextlib
import fcntl
import json
import logging
import math
import os
import select
import signal
import time
from typing import TYPE_CHECKING, Any, Final

from grader.errors import IsolationError
from grader.isolation import libraries, numerics
from grader.isolation.inside.lockdown import folders
from grader.isolation.profile import Exit, Layers
from grader.isolation.zygotes import LayerError, Zygote

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from grader.isolation.libraries import Kind
    from grader.isolation.profile import Profile

_LOG: Final = logging.getLogger(__name__)
_PIPE_BYTES: Final = 2**20  # an unprivileged user's most, by default
_READ_BYTES: Final = 2**16
_MOST_READS: Final = 16
_READY_SECONDS: Final = 30.0
_ASK_KERNELS: Final = "import json, kernels, os; os.write(results, json.dumps(kernels.used()).encode() + b'\\n')"
_ASKED_MIB: Final = 64
_KILL_SECONDS: Final = 30.0  # a killed process goes at once unless the machine is stuck
_PAGE: Final = os.sysconf("SC_PAGE_SIZE")
_CPU_OF_PROCESS: Final = 2  # the low bits of a clock id that counts another process's CPU time
_THREADS_FREE: Final = 64
_THREAD_BYTES: Final = 2**18  # the kernel's books of a thread, and its share of the ids that a machine has


class ForkLauncher:
    """Starts children from zygotes, which it starts when they are first needed and keeps until `close`.

    Args:
        layers: what each child is built with; a layer that is refused is an error, never left out.
        preload: modules that the zygotes import beyond numpy or torch.
    """

    def __init__(self, layers: Layers | None = None, *, preload: tuple[str, ...] = ()) -> None:
        self._layers = layers or Layers()
        self._preload = preload
        self._zygotes: dict[Kind, Zygote] = {}
        self._inherited: dict[Kind, Zygote] = {}  # kept so that they are not ended with this copy
        self._owner = os.getpid()

    @property
    def layers(self) -> Layers:
        """What its children are built with."""
        return self._layers

    @property
    def landlock_abi(self) -> int:
        """The kernel's Landlock version as the zygotes found it; 0 without that layer, or before the first."""
        return max((int(zygote.facts["landlock"]) for zygote in self._zygotes.values()), default=0)

    def start(self, profile: Profile) -> ForkedChild:
        """Start a child that serves the profile.

        Raises:
            LayerError: a promised layer cannot be had.
            IsolationError: the child could not be built for another reason.
        """
        kind = libraries.kind(
            torch=profile.torch, device=profile.device, hidden=profile.hidden_packages, preload=self._preload
        )
        return self._start(kind, profile.memory_mib, None)

    def attack(self, plan: Mapping[str, Any], *, memory_mib: int, kind: Kind | None = None) -> ForkedChild:
        """Start a child that carries out attacks (see `inside/lockdown/attacks.py`) instead of serving."""
        return self._start(kind or libraries.Kind(), memory_mib, plan)

    def close(self) -> None:
        """End every zygote and child. Safe to call twice."""
        for kind in list(self._zygotes):
            self._discard(kind)

    def _start(self, kind: Kind, memory_mib: int, plan: Mapping[str, Any] | None) -> ForkedChild:
        """Start a child; a zygote that had served before and now fails is replaced once."""
        if os.getpid() != self._owner:  # a fork of the grader: these zygotes are its parent's
            self._inherited, self._zygotes, self._owner = self._zygotes, {}, os.getpid()
        used = kind in self._zygotes
        try:
            return self._attempt(kind, memory_mib, plan)
        except LayerError:
            raise
        except (IsolationError, OSError) as error:
            self._discard(kind)
            if not used:
                raise IsolationError(str(error)) from error
            _LOG.warning("replacing a zygote: %s", error)
        return self._attempt(kind, memory_mib, plan)

    def _attempt(self, kind: Kind, memory_mib: int, plan: Mapping[str, Any] | None) -> ForkedChild:
        zygote = self._zygotes.get(kind)
        if zygote is None:
            zygote = self._zygotes[kind] = _checked(Zygote(kind, self._layers))
            _log_dropped(zygote.facts["dropped"])
        child = ForkedChild(zygote, memory_mib, plan)
        try:
            _log_dropped(child.greeting()["dropped"])
        except BaseException:
            child.close()
            raise
        return child

    def _discard(self, kind: Kind) -> None:
        zygote = self._zygotes.pop(kind, None)
        if zygote is not None:
            zygote.close()


class ForkedChild:
    """One forked child: see `grader.isolation.profile.Child`."""

    def __init__(self, zygote: Zygote, memory_mib: int, plan: Mapping[str, Any] | None = None) -> None:
        self._zygote = zygote
        self._folder = zygote.room() if zygote.folder else ""
        self._ended: Exit | None = None
        self._cpu: float | None = None
        self._early = b""  # what came right behind the greeting
        theirs, ours = _pipes()
        self._requests, self._replies, self._output = ours
        self._handle = -1
        self._place = self._sizes = -1
        request = {
            "folder": self._folder,
            "memory_mib": memory_mib,
            "scratch_mib": _scratch_mib(memory_mib),
            "attacks": plan,
        }
        try:
            self._serial, self._handle = zygote.spawn(request, theirs)
            self._pid = _pid_of(self._handle)
            self._place, self._sizes = _open_sizes(self._pid)
        except BaseException:
            self._release()
            raise
        finally:
            for descriptor in theirs:
                os.close(descriptor)
        self._reading, self._writing, self._ending = select.poll(), select.poll(), select.poll()
        for poll in (self._reading, self._writing):
            for descriptor in (self._replies, self._output, self._handle):
                poll.register(descriptor, select.POLLIN)
        self._writing.register(self._requests, select.POLLOUT)
        self._ending.register(self._handle, select.POLLIN)

    @property
    def pid(self) -> int:
        """Process id, for messages; signals go through the process handle."""
        return self._pid

    def greeting(self) -> dict[str, Any]:
        """Return what the child says first: that it is locked down.

        Raises LayerError if it says that it is not, IsolationError if it says nothing.
        """
        line, deadline = b"", time.monotonic() + _READY_SECONDS
        while b"\n" not in line:
            self.wait(max(deadline - time.monotonic(), 0.0))
            ended = self.ended()
            line += (data := self.reply())
            if not data and (ended or time.monotonic() >= deadline):
                raise IsolationError(f"a child gave no sign of life: {ended} {self.output()!r}")
        line, _, self._early = line.partition(b"\n")
        said: dict[str, Any] = json.loads(line)
        if "ready" not in said:
            raise LayerError(f"a child could not be locked down: {said['error']}", said["layer"])
        return said

    def write(self, data: memoryview) -> int:
        """Send what the pipe takes now; return how many bytes that was. 0 if full or closed."""
        try:
            return os.write(self._requests, data)
        except BlockingIOError:
            return 0
        except OSError:  # the child has closed its end, or ended
            self._ignore(self._requests, self._writing)
            return 0

    def wait(self, seconds: float, *, writing: bool = False) -> None:
        """Return when something can be read (or written, if asked), the child has ended, or time is up."""
        (self._writing if writing else self._reading).poll(math.ceil(seconds * 1000))

    def reply(self) -> bytes:
        """Return what has arrived on the reply pipe since the last call; b"" if nothing."""
        early, self._early = self._early, b""
        return early or self._read(self._replies)

    def output(self) -> bytes:
        """Return what the student's code printed since the last call; b"" if nothing."""
        return self._read(self._output)

    def ended(self) -> Exit | None:
        """Return how the child ended, or None while it lives.

        Raises IsolationError, once, if its zygote has ended.
        """
        if self._ended is None and self._handle >= 0 and self._ending.poll(0):
            try:
                ended = self._zygote.ended(self._serial)
            except IsolationError:  # it went with its zygote: said once, so that another child can follow
                self._ended = Exit(signal=signal.SIGKILL)
                raise
            self._ended, self._cpu = ended.exit, ended.cpu_seconds
        return self._ended

    def cpu_seconds(self) -> float | None:
        """Return the CPU time used so far, by the kernel's clock of that process."""
        if self._ended is None:
            with contextlib.suppress(OSError):
                self._cpu = time.clock_gettime((~self._pid << 3) | _CPU_OF_PROCESS)
        return self._cpu

    def rss_bytes(self) -> int | None:
        """Return the resident memory now; None once the child has ended.

        More threads than honest code starts count as memory: the kernel's own limit on them ignores root.
        """
        try:
            resident = int(os.pread(self._sizes, 128, 0).split()[1])
            threads = os.stat("task", dir_fd=self._place).st_nlink - 2
            resident = resident or _resident_by_thread(self._place)
        except (OSError, IndexError, ValueError):
            return None
        return resident * _PAGE + max(threads - _THREADS_FREE, 0) * _THREAD_BYTES

    def kill(self) -> Exit:
        """End the child at once and reap it; return how it ended. Safe to call twice."""
        ended = self.ended()
        if ended is None:
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._handle, signal.SIGKILL)
            if not self._ending.poll(int(_KILL_SECONDS * 1000)):
                raise IsolationError(f"process {self._pid} does not end")
            ended = self.ended()
        assert ended is not None
        return ended

    def close(self) -> None:
        """Kill if need be and release every descriptor. Safe to call twice."""
        if self._handle < 0:
            return
        try:
            with contextlib.suppress(IsolationError):  # the zygote's end was the child's
                self.kill()
        finally:
            self._release()

    def _read(self, descriptor: int) -> bytes:
        """Read what is there; at the end of the pipe, stop waiting for it."""
        parts: list[bytes] = []
        if descriptor < 0:
            return b""
        try:
            while len(data := os.read(descriptor, _READ_BYTES)) == _READ_BYTES and len(parts) < _MOST_READS:
                parts.append(data)
        except BlockingIOError:
            return b"".join(parts)
        if not data and not parts:
            self._ignore(descriptor, self._reading, self._writing)
        return b"".join([*parts, data])

    def _ignore(self, descriptor: int, *polls: select.poll) -> None:
        for poll in polls:
            with contextlib.suppress(KeyError):
                poll.unregister(descriptor)

    def _release(self) -> None:
        for descriptor in (self._requests, self._replies, self._output, self._handle, self._place, self._sizes):
            if descriptor >= 0:
                os.close(descriptor)
        self._requests = self._replies = self._output = self._handle = self._place = self._sizes = -1
        if self._folder:
            folders.remove(self._folder)


def _checked(zygote: Zygote) -> Zygote:
    """Return a zygote whose children compute with the kernels that were pinned; closes any other.

    Raises IsolationError, or what a first child raises: it is asked, since only it is where students compute.
    """
    try:
        if "kernels" in zygote.kind.imports:
            numerics.check(_answer(zygote, _ASK_KERNELS))
    except BaseException:
        zygote.close()
        raise
    return zygote


def _answer(zygote: Zygote, script: str) -> dict[str, str]:
    """Return what a script of ours says in a child, as one line of JSON."""
    with contextlib.closing(ForkedChild(zygote, _ASKED_MIB, {"script": script})) as child:
        child.greeting()
        said, deadline = b"", time.monotonic() + _READY_SECONDS
        while b"\n" not in said:
            child.wait(max(deadline - time.monotonic(), 0.0))
            ended = child.ended()
            said += (data := child.reply())
            if not data and (ended or time.monotonic() >= deadline):
                raise IsolationError(f"a child does not tell its kernels: {ended} {child.output()!r}")
    answer: dict[str, str] = json.loads(said)
    return answer


def _pipes() -> tuple[list[int], list[int]]:
    """Make the pipes for requests, replies and output; return the child's ends and ours, in that order."""
    requests, replies, output = os.pipe(), os.pipe(), os.pipe()
    ours = [requests[1], replies[0], output[0]]
    for descriptor in ours:
        os.set_blocking(descriptor, False)
    for descriptor in ours[:2]:
        with contextlib.suppress(OSError):  # the user's share of large pipes is used up: slower, not weaker
            fcntl.fcntl(descriptor, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)
    return [requests[0], replies[1], output[1]], ours


def _pid_of(handle: int) -> int:
    """Return the id, in our own numbering, of the process behind a handle; -1 if it has ended."""
    with open(f"/proc/self/fdinfo/{handle}", encoding="ascii") as lines:  # noqa: PTH123 - on the path of every start
        return next(int(line.split()[1]) for line in lines if line.startswith("Pid:"))


def _open_sizes(pid: int) -> tuple[int, int]:
    """Return descriptors of a process's place in /proc and of its sizes, never another's with the same id.

    -1 for what can no longer be opened because the process has ended.
    """
    try:
        place = os.open(f"/proc/{pid}", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError:
        return -1, -1
    try:
        return place, os.open("statm", os.O_RDONLY | os.O_CLOEXEC, dir_fd=place)
    except OSError:
        return place, -1


def _resident_by_thread(place: int) -> int:
    """Return the resident pages of a process whose first thread has ended: the others still tell them."""
    tasks = os.open("task", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=place)
    try:
        for thread in os.listdir(tasks):  # noqa: PTH208 - a descriptor has no path
            with contextlib.suppress(OSError):
                descriptor = os.open(f"{thread}/statm", os.O_RDONLY | os.O_CLOEXEC, dir_fd=tasks)
                with open(descriptor, encoding="ascii") as sizes:  # noqa: PTH123 - as above
                    if resident := int(sizes.read().split()[1]):
                        return resident
        return 0
    finally:
        os.close(tasks)


def _scratch_mib(memory_mib: int) -> int:
    """Return how much a child may keep in files, which is memory that its own size does not show."""
    return min(max(memory_mib // 8, 8), 256)


def _log_dropped(paths: Sequence[str]) -> None:
    for path in paths:
        _LOG.info("%s does not exist on this machine, so children cannot read it", path)
