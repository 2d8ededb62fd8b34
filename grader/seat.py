"""One process of a crew, from inside: it takes items, applies a function and answers, on a core of its own.

When the process that started it ends, however it ends, this one ends too: a thread listens for the end of the pipe,
whatever else is going on.
"""

from __future__ import annotations

import _thread
import contextlib
import gc
import os
import pickle
import signal
import socket
import sys
import threading
from queue import SimpleQueue
from typing import IO, TYPE_CHECKING, Any

from grader.errors import GraderError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SETTLED = 50  # items
LEAVE_SECONDS = 3.0  # what a process gets to end its children and itself
GOODBYE = b""
_LENGTH = 8


class Mishap(RuntimeError):  # noqa: N818 - what a judge tells of, not an error of this process
    """The function raised something that is no sentence of ours: its type and text."""


def main(number: str) -> None:
    """Be the process of a seat: take items from standard input and put answers on standard output, until goodbye."""
    items, answers = _channels()
    signal.signal(signal.SIGINT, _leave)
    inbox: SimpleQueue[bytes] = SimpleQueue()
    threading.Thread(target=_listen, args=(items, inbox), daemon=True).start()
    with claimed_core(int(number)):  # before numpy is imported: it starts a thread for each core that it sees
        try:
            function = pickle.loads(inbox.get())()  # noqa: S301 - from the process that started this one
        except Exception as error:  # noqa: BLE001 - told to that process
            write(answers, f"{type(error).__name__}: {error}".encode())
            return
        write(answers, b"")
        for answered, data in enumerate(iter(inbox.get, GOODBYE)):
            write(answers, _answer(function, data))
            if answered == SETTLED:  # what has been imported and learned by now stays: collecting need not go over it
                gc.collect()
                gc.freeze()


@contextlib.contextmanager
def claimed_core(number: int) -> Iterator[None]:
    """Keep this process and its children on one core: a call between two cores takes several times as long.

    It is a core that nobody else on this machine has claimed, as long as there is one; the claim ends with the
    process at the latest.

    Args:
        number: of this process among its equals, where every core is claimed.
    """
    if sys.platform != "linux" or not hasattr(os, "sched_getaffinity"):
        yield
        return
    before = os.sched_getaffinity(0)
    cores = sorted(before)
    turn = number % len(cores)
    with contextlib.ExitStack() as claims:
        free = (core for core in cores[turn:] + cores[:turn] if _claims(core, claims))
        os.sched_setaffinity(0, {next(free, cores[turn])})
        try:
            yield
        finally:
            os.sched_setaffinity(0, before)


def _claims(core: int, claims: contextlib.ExitStack) -> bool:
    """Claim a core by a name that only one process can hold, and that the system takes back when it ends."""
    claim = socket.socket(socket.AF_UNIX)
    try:
        claim.bind(f"\0grader-core-{core}")
    except OSError:
        claim.close()
        return False
    claims.enter_context(claim)
    return True


def _channels() -> tuple[IO[bytes], IO[bytes]]:
    """Move what is said between processes out of the way of whatever reads or prints in this one."""
    items, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    with open(os.devnull, "rb") as nothing:  # noqa: PTH123 - no path of anybody's
        os.dup2(nothing.fileno(), 0)
    os.dup2(2, 1)
    return items, answers


def _listen(items: IO[bytes], inbox: SimpleQueue[bytes]) -> None:
    """Put what arrives into the inbox; where the other end is gone, end this process."""
    with contextlib.suppress(EOFError, OSError):
        while True:
            inbox.put(data := read(items))
            if data == GOODBYE:
                return
    stop = threading.Timer(LEAVE_SECONDS, os.kill, (os.getpid(), signal.SIGTERM))  # not heard in a long computation
    stop.daemon = True
    stop.start()
    if hasattr(signal, "pthread_kill"):  # wakes a thread that waits for something, too
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
    else:
        _thread.interrupt_main()
    inbox.put(GOODBYE)


def _leave(*_: object) -> None:
    """End through every ``finally``: children and their folders go first."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    raise SystemExit


def _answer(function: Callable[[Any], Any], data: bytes) -> bytes:
    try:
        return pickle.dumps((True, function(pickle.loads(data))))  # noqa: S301 - from the process that started this one
    except GraderError as error:
        with contextlib.suppress(Exception):  # an error that cannot be sent as it is
            pickle.loads(said := pickle.dumps((False, error)))  # noqa: S301 - what was just made
            return said
        return pickle.dumps((False, Mishap(str(error))))
    except Exception as error:  # noqa: BLE001 - told to that process
        return pickle.dumps((False, Mishap(f"{type(error).__name__}: {error}")))


def read(stream: IO[bytes]) -> bytes:
    """Read one message.

    Raises:
        EOFError: the other end is gone.
    """
    size = int.from_bytes(_exactly(stream, _LENGTH), "little")
    return _exactly(stream, size)


def _exactly(stream: IO[bytes], size: int) -> bytes:
    data = stream.read(size)
    if len(data) < size:
        raise EOFError
    return data


def write(stream: IO[bytes], data: bytes) -> None:
    """Write one message."""
    stream.write(len(data).to_bytes(_LENGTH, "little") + data)
    stream.flush()
