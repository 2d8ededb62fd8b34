"""How long our own side may take over one example."""

from __future__ import annotations

import contextlib
import signal
import sys
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


AGAIN = 0.1  # seconds


class Overrun(Exception):  # noqa: N818 - what happened, not whose error it is
    """A check took longer than the child can account for: it, or the reference, works on a student's own value."""


@contextlib.contextmanager
def impatient(seconds: float | None) -> Iterator[None]:
    """Raise Overrun if what is inside takes longer, where the system can interrupt it.

    A value that a student chose must not keep the grader busy: a check may hand it on to the reference.
    """
    here = threading.current_thread() is threading.main_thread()
    if seconds is None or not here or not hasattr(signal, "setitimer"):
        yield
        return

    over = False

    def stop(*_: object) -> None:
        if not over:
            raise Overrun(f"the check took longer than {seconds:g} s")

    def hear(unraisable: sys.UnraisableHookArgs) -> None:
        if unraisable.exc_type is not Overrun:
            heard(unraisable)

    before = signal.signal(signal.SIGALRM, stop)
    heard, sys.unraisablehook = sys.unraisablehook, hear
    # Again and again: what is raised while an object is being finalised, say, is lost.
    signal.setitimer(signal.ITIMER_REAL, seconds, AGAIN)
    try:
        yield
    finally:
        over = True
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        sys.unraisablehook = heard
