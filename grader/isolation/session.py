"""One child's life on the grader's side: one request at a time, and the limits watched meanwhile.

Nothing that the child does can make `Session.exchange` last longer than its budget, hold more than a bounded
amount of memory, or raise anything but a `StudentFault` (or an error about the request itself).
"""

from __future__ import annotations

import math
import os
import signal
import time
from typing import TYPE_CHECKING, Any

from grader.errors import AuthoringError
from grader.isolation import faults
from grader.isolation.inside import wire
from grader.isolation.profile import OUTPUT_BYTES, OUTPUT_KEPT

if TYPE_CHECKING:
    from grader.errors import StudentFault
    from grader.isolation.faults import Subject
    from grader.isolation.profile import Child, Exit

_TICK = 0.01  # how often limits are looked at while nothing arrives
_LATE = 0.05  # a wait that takes so much longer than asked for was the machine's
_ALONE = 0.8  # the share of a check's CPU time from which one call is to blame for all of it
_IDLE = 0.2  # the share of CPU time below which a call is said to have waited
_NEARLY = 0.9  # the share of the memory limit from which the system's own killer is believed


class Output:
    """What was printed: its beginning and its end, the rest only counted."""

    def __init__(self) -> None:
        self._head = bytearray()
        self._tail = bytearray()
        self._dropped = 0

    def add(self, data: bytes) -> None:
        """Take what was printed next."""
        half = OUTPUT_KEPT // 2
        room = half - len(self._head)
        self._head += data[:room]
        self._tail += data[room:]
        excess = max(len(self._tail) - half, 0)
        del self._tail[:excess]
        self._dropped += excess

    def text(self) -> str:
        """Return it, safe to print."""
        parts = [self._head, self._tail]
        if self._dropped:
            parts.insert(1, bytearray(f"\n[... {self._dropped} bytes left out ...]\n", "ascii"))
        return faults.clean(b"".join(parts).decode("utf-8", "backslashreplace"), 4 * OUTPUT_KEPT)


class Session:
    """A child, what it may still use, and what it printed."""

    def __init__(self, child: Child, memory_mib: int) -> None:
        self._child = child
        self._memory_mib = memory_mib
        self._baseline = child.rss_bytes() or 0
        self._rss = 0
        self._killed = False
        self._output = Output()
        self._looked = 0.0
        self.allow(0.0)

    @property
    def alive(self) -> bool:
        """Whether the child can be asked anything."""
        return not self._killed and self._child.ended() is None

    @property
    def spent(self) -> float:
        """CPU time since the last `allow`; where it cannot be measured, the time spent waiting for replies."""
        cpu = self._cpu()
        return self._waited if cpu is None else cpu

    @property
    def used(self) -> float:
        """CPU time since the child was started, as far as it can be measured; told after its end, too."""
        return self._child.cpu_seconds() or 0.0

    def allow(self, seconds: float) -> None:
        """Start a new budget: CPU time, the wall time that goes with it, and output."""
        self._seconds = seconds
        self._wall = 3 * seconds + 1
        self._waited = 0.0
        self._stalled = 0.0
        self._printed = 0
        self._cpu_before = 0.0
        self._cpu_before = self._cpu() or 0.0

    def forget_output(self) -> None:
        """Start a new output."""
        self._child.output()
        self._output = Output()

    def output(self) -> str:
        """Return what was printed since the start or the last `forget_output`."""
        if not self._killed:
            self._output.add(self._child.output())
        return self._output.text()

    def exchange(self, request: dict[str, Any], subject: Subject) -> dict[str, Any]:
        """Return the child's reply to a request; a fault of the channel or of a limit ends the child.

        Raises:
            StudentFault: the child ended, passed a limit, or did not reply as it must.
            AuthoringError: the request cannot be sent.
        """
        try:
            frame = wire.encode(request, leaves=wire.ROOM_LEAVES, size=wire.ROOM_SIZE)
        except wire.WireError as error:
            raise AuthoringError(f"{subject.label} is called with something that cannot be sent: {error}") from error
        try:
            reply = self.send(frame, subject).value()
        except wire.WireError as error:
            raise self.end(faults.broke_protocol(subject, str(error))) from error
        if type(reply) is not dict:
            raise self.end(faults.broke_protocol(subject, "a reply is no dict"))
        return reply

    def send(self, frame: bytes, subject: Subject) -> wire.Reader:
        """Return the child's reply to an encoded request, complete and not read yet; see `exchange`."""
        nonce = os.urandom(wire.NONCE_BYTES)
        reader = wire.Reader(nonce, leaves=wire.ROOM_LEAVES, size=wire.ROOM_SIZE)
        started = time.monotonic()
        try:
            self._converse(memoryview(wire.addressed(frame, nonce)), reader, subject)
        except wire.WireError as error:
            raise self.end(faults.broke_protocol(subject, str(error))) from error
        finally:
            self._waited += time.monotonic() - started
        return reader

    def end(self, fault: StudentFault) -> StudentFault:
        """Kill the child and return the fault that is the reason."""
        if not self._killed:
            self._child.kill()
            self._output.add(self._child.output())
            self._killed = True
        return fault

    def close(self) -> None:
        """End the child and release what it held."""
        self._killed = True
        self._child.close()

    def _converse(self, unsent: memoryview, reader: wire.Reader, subject: Subject) -> None:
        started = time.monotonic()
        before = self._cpu()
        self._check_cpu(subject, before, before)
        while True:
            if unsent:
                unsent = unsent[self._child.write(unsent) :]
            asleep = time.monotonic()
            self._child.wait(_TICK, writing=bool(unsent))
            late = time.monotonic() - asleep - _TICK
            self._stalled += late if late > _LATE else 0.0  # a machine that stood still costs nobody a point
            self._collect_output(subject)
            how = self._child.ended()
            while data := self._child.reply():
                reader.feed(data)
            if reader.complete and not unsent:
                return
            if reader.complete:
                raise wire.WireError("the reply came before the whole request was sent")
            if how is not None:
                raise self.end(self._explained(subject, how))
            self._check_limits(subject, started, before)

    def _collect_output(self, subject: Subject) -> None:
        data = self._child.output()
        if data:
            self._output.add(data)
            self._printed += len(data)
            if self._printed > OUTPUT_BYTES:
                raise self.end(faults.printed_too_much(subject, OUTPUT_BYTES))

    def _check_limits(self, subject: Subject, started: float, before: float | None) -> None:
        now = time.monotonic()
        if now - self._looked < _TICK / 2:
            return
        self._looked = now
        self._check_cpu(subject, before, self._cpu())
        self._check_memory(subject)
        if self._waited + now - started - self._stalled > self._wall:
            cpu = self._cpu()
            idle = cpu is not None and cpu < _IDLE * self._seconds
            raise self.end(faults.did_not_answer(subject, self._wall, idle=idle))

    def _check_cpu(self, subject: Subject, before: float | None, now: float | None) -> None:
        if now is not None and now > self._seconds:
            alone = now - (before or 0.0) >= _ALONE * self._seconds
            raise self.end(faults.used_too_much_cpu(subject, self._seconds, alone=alone))

    def _check_memory(self, subject: Subject) -> None:
        self._rss = self._child.rss_bytes() or self._rss
        if self._rss > self._memory_limit:
            raise self.end(faults.took_too_much_memory(subject, self._memory_mib))

    def _explained(self, subject: Subject, how: Exit) -> StudentFault:
        """Return the fault of a child that ended by itself; the system's limits are ours in another form."""
        cpu = self._cpu() or 0.0
        killed = how.signal == getattr(signal, "SIGKILL", math.nan)
        if how.signal == getattr(signal, "SIGXCPU", math.nan) or (killed and cpu >= self._seconds):
            return faults.used_too_much_cpu(subject, self._seconds, alone=True)
        if killed and self._rss > _NEARLY * self._memory_limit:
            return faults.took_too_much_memory(subject, self._memory_mib)
        return faults.ended(subject, how)

    @property
    def _memory_limit(self) -> int:
        return self._baseline + self._memory_mib * 2**20

    def _cpu(self) -> float | None:
        used = self._child.cpu_seconds()
        return None if used is None else used - self._cpu_before
