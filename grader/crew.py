"""Processes of our own, side by side, each on a core of its own: a crew that applies one function to many items.

A process that dies takes nothing along but the item in its hands, and that is known by name. When this process ends,
however it ends, the crew's processes end too: each listens for the end of its pipe, whatever else it is at.
"""

from __future__ import annotations

import contextlib
import json
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar

from grader.errors import IsolationError
from grader.seat import GOODBYE, LEAVE_SECONDS, read, write

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Item = TypeVar("Item")
Result = TypeVar("Result")

STARTS = 3  # how often a process is started that is killed before it says that it is there
GOODBYE_SECONDS = 10.0  # what a process gets to end its children and itself, where nobody waits for the prompt
_START = "import json, sys; sys.path[:] = json.loads(sys.argv[1]); from grader import seat; seat.main(sys.argv[2])"


class Died(Exception):  # noqa: N818 - what happened to a process, not an error of this one
    """The process that had an item in its hands is gone; the sentence says how."""


class Unseated(IsolationError):  # noqa: N818 - as above
    """A process of the crew does not come up, whatever it is given to do."""


@dataclass(slots=True, eq=False)
class _Job:
    data: bytes
    future: Future[Any]
    kind: str = ""
    sent: bool = False


@dataclass(slots=True)
class _Seat:
    """One process, and the jobs that it has been given: the first it is at, the next lies ready."""

    number: int
    process: subprocess.Popen[bytes] | None = None
    ready: bool = False
    hands: deque[_Job] = field(default_factory=deque)
    kinds: set[str] = field(default_factory=set)  # of items that it has been given


class Crew(Generic[Item, Result]):
    """``size`` processes that apply one function to items; a context manager that ends them.

    Args:
        make: called once in each process, returns the function; it goes over once a process, not with each item.
        size: how many work side by side. They are started when there is something to do.
        kind: of an item; whoever is free takes, of those that wait, one of a kind that it has had, being quick at it.

    An item's future raises `Died` if its process is gone, `Unseated` if no process can be had, a `GraderError` that
    the function raised, `Mishap` for anything else that it raised, and `CancelledError` once the crew is abandoned.
    """

    def __init__(
        self,
        make: Callable[[], Callable[[Item], Result]],
        size: int,
        kind: Callable[[Item], str] = lambda _item: "",
    ) -> None:
        self.size = size
        self._kind = kind
        self._make = pickle.dumps(make)
        self._waiting: deque[_Job] = deque()
        self._changed = threading.Condition()
        self._closing = self._abandoned = False
        self._seats = [_Seat(number) for number in range(size)]
        self._threads = [threading.Thread(target=self._serve, args=(seat,), daemon=True) for seat in self._seats]
        for thread in self._threads:
            thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            self.close()
        else:
            self.abandon()

    def submit(self, item: Item) -> Future[Result]:
        """Give an item to whoever is free first."""
        job = _Job(pickle.dumps(item), Future(), self._kind(item))
        job.future.set_running_or_notify_cancel()
        with self._changed:
            if self._closing or self._abandoned:
                raise RuntimeError("the crew has been sent home")
            self._waiting.append(job)
            self._changed.notify()
        return job.future

    def close(self) -> None:
        """Do what has been submitted, then end every process. Safe to call twice."""
        with self._changed:
            self._closing = True
            self._changed.notify_all()
        for thread in self._threads:
            thread.join()

    def abandon(self) -> None:
        """End every process now, whatever it is at; takes a few seconds at most. Safe to call twice."""
        with self._changed:
            self._abandoned = True
            unheard = list(self._waiting)
            self._waiting.clear()
            processes = [seat.process for seat in self._seats if seat.process is not None]
            for seat in self._seats:
                _ask_to_leave(seat)
            self._changed.notify_all()
        for job in unheard:
            job.future.set_exception(CancelledError())
        _await(processes, LEAVE_SECONDS)
        for thread in self._threads:
            thread.join(LEAVE_SECONDS)

    def _serve(self, seat: _Seat) -> None:
        """Keep one seat busy until there is nothing more to come."""
        while self._given(seat):
            try:
                good, value = self._exchanged(seat)
            except EOFError:
                self._bury(seat)
            except Exception as error:  # noqa: BLE001 - no process to be had, or no sense in its answer
                seat.hands.popleft().future.set_exception(error)
            else:
                future = seat.hands.popleft().future
                future.set_result(value) if good else future.set_exception(value)
        if seat.process is not None:
            self._send(seat, GOODBYE)
            _end(seat.process, GOODBYE_SECONDS)

    def _given(self, seat: _Seat) -> bool:
        """Fill a seat's hands; return False if there will never be anything more for it."""
        with self._changed:
            if not seat.hands:
                self._changed.wait_for(lambda: self._waiting or self._closing or self._abandoned)
            # A second item only where there are enough for everybody: none shall wait beside somebody idle.
            while self._waiting and (not seat.hands or (len(seat.hands) == 1 and len(self._waiting) >= self.size)):
                seat.hands.append(self._next(seat))
            return bool(seat.hands)

    def _next(self, seat: _Seat) -> _Job:
        """Take from those that wait: of a kind that this seat knows, else of one that nobody knows, else the first."""
        known = set[str]().union(*(other.kinds for other in self._seats))
        job = min(self._waiting, key=lambda job: 0 if job.kind in seat.kinds else 2 if job.kind in known else 1)
        self._waiting.remove(job)
        seat.kinds.add(job.kind)
        return job

    def _exchanged(self, seat: _Seat) -> tuple[bool, Any]:
        """Return what the seat's process answers on its first item; start it if there is none.

        Raises:
            EOFError: the process has ended.
            Unseated: there is none to be had.
        """
        process = seat.process or self._start(seat)
        for job in seat.hands:
            if not job.sent:
                self._send(seat, job.data)
                job.sent = True
        assert process.stdout is not None
        answer: tuple[bool, Any] = pickle.loads(read(process.stdout))  # noqa: S301 - from a process of our own
        return answer

    def _start(self, seat: _Seat) -> subprocess.Popen[bytes]:
        trouble = ""
        for _ in range(STARTS):
            process = self._open(seat)
            assert process.stdout is not None
            try:
                trouble = read(process.stdout).decode()
            except EOFError:  # killed from outside, it may come up the next time
                trouble = f"it {_how(process)}; what it said stands above"
                self._vacate(seat)
                continue
            if not trouble:
                seat.ready = True
                return process
            self._vacate(seat)
            break
        raise CancelledError if self._abandoned else Unseated(f"a process that judges does not come up: {trouble}")

    def _open(self, seat: _Seat) -> subprocess.Popen[bytes]:
        if self._abandoned:
            raise CancelledError
        places = json.dumps([os.path.abspath(place) for place in sys.path])  # noqa: PTH100 - "" is the working folder
        try:
            process = subprocess.Popen(
                [sys.executable, "-P", "-c", _START, places, str(seat.number)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                start_new_session=True,  # Ctrl-C is for this process to answer
            )
        except OSError as error:
            raise Unseated(f"a process that judges cannot be started: {error}") from error
        with self._changed:
            seat.process, seat.ready = process, False
            if self._abandoned:
                process.kill()
        self._send(seat, self._make)
        return process

    def _vacate(self, seat: _Seat) -> None:
        assert seat.process is not None
        _end(seat.process, 0)
        with self._changed:
            seat.process = None
            seat.kinds.clear()

    def _send(self, seat: _Seat, data: bytes) -> None:
        assert seat.process is not None
        assert seat.process.stdin is not None
        with contextlib.suppress(OSError, ValueError):  # it has ended; whoever reads its answer will see
            write(seat.process.stdin, data)

    def _bury(self, seat: _Seat) -> None:
        """Take leave of a process that has ended: one job was its end, what lay ready goes back to the queue."""
        assert seat.process is not None
        fault = Died(f"the process that judges {_how(seat.process)}")
        self._vacate(seat)
        first, *others = seat.hands
        seat.hands.clear()
        with self._changed:
            if not self._abandoned:
                self._waiting.extendleft(replace(other, sent=False) for other in reversed(others))
                others = []
                self._changed.notify_all()
        first.future.set_exception(CancelledError() if self._abandoned else fault)
        for other in others:
            other.future.set_exception(CancelledError())


def _ask_to_leave(seat: _Seat) -> None:
    if seat.process is None:
        return
    if seat.ready and hasattr(signal, "pthread_kill"):
        seat.process.send_signal(signal.SIGINT)
    else:
        seat.process.kill()


def _await(processes: Sequence[subprocess.Popen[bytes]], patience: float) -> None:
    """Wait for processes, and kill those that take longer than they may."""
    deadline = time.monotonic() + patience
    for process in processes:
        try:
            process.wait(max(deadline - time.monotonic(), 0))
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _end(process: subprocess.Popen[bytes], patience: float) -> None:
    """Wait for a process, and release what was held for it."""
    _await([process], patience)
    for stream in (process.stdin, process.stdout):
        with contextlib.suppress(OSError):  # what was not sent yet is for nobody any more
            assert stream is not None
            stream.close()


def _how(process: subprocess.Popen[bytes]) -> str:
    """Return how a process has ended, as the rest of a sentence."""
    try:
        code = process.wait(LEAVE_SECONDS)
    except subprocess.TimeoutExpired:
        return "speaks no more"
    if code >= 0:
        return f"ended with code {code}"
    with contextlib.suppress(ValueError):
        return f"was ended by {signal.Signals(-code).name}"
    return f"was ended by signal {-code}"
