"""How far a long command is: a bar on a terminal, a plain line every half minute elsewhere; always on stderr."""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from typing import TYPE_CHECKING, Protocol

from grader.cli.common import console, say

if TYPE_CHECKING:
    from collections.abc import Iterator

EVERY = 30.0  # seconds between two plain lines
MINUTE, HOUR = 60, 3600
BAR_COLUMNS = 50  # of a bar with its counts and its estimate; what is left tells how it has gone, the commonest first


class Advance(Protocol):
    """What a long command tells of its progress to."""

    def __call__(self, done: int, last: str, so_far: str = "") -> None:
        """Hear how many are done, what was done last, and in short how it has gone so far."""


@contextlib.contextmanager
def progress(total: int, what: str) -> Iterator[Advance]:
    """Yield a function that is told how many are done, what was done last and how it has gone so far.

    Args:
        total: how many there are.
        what: what is done to them: "graded".
    """
    shown = _bar(total, what) if sys.stderr.isatty() else _lines(total, what)
    with shown as advance:
        yield advance


@contextlib.contextmanager
def _bar(total: int, what: str) -> Iterator[Advance]:
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    from grader.report.text import plain

    columns = (TextColumn(what), BarColumn(bar_width=20), MofNCompleteColumn(), TimeRemainingColumn())
    out = console(stderr=True)
    with Progress(*columns, TextColumn("{task.fields[so_far]}"), console=out, transient=True) as bar:
        task = bar.add_task(what, total=total, so_far="")

        def advance(done: int, last: str, so_far: str = "") -> None:  # noqa: ARG001 - a bar has no room for names
            bar.update(task, completed=done, so_far=plain(so_far[: max(0, out.width - BAR_COLUMNS)]))

        yield advance


@contextlib.contextmanager
def _lines(total: int, what: str) -> Iterator[Advance]:
    done_so_far, named, counts = [0], [""], [""]
    started, over = time.monotonic(), threading.Event()

    def tell() -> None:
        while not over.wait(EVERY):
            text = line(done_so_far[0], total, what, time.monotonic() - started)
            text += f" ({counts[0]})" if counts[0] else ""
            say(text + (f" (last: {named[0]})" if named[0] else ""))

    def advance(done: int, last: str, so_far: str = "") -> None:
        done_so_far[0], named[0], counts[0] = done, last, so_far

    teller = threading.Thread(target=tell, daemon=True)
    teller.start()
    try:
        yield advance
    finally:
        over.set()
        teller.join()


def line(done: int, total: int, what: str, seconds: float) -> str:
    """Return one plain line, with an estimate once there is something to estimate from.

    >>> line(10, 40, "graded", 60.0), line(0, 40, "graded", 60.0), line(40, 40, "graded", 60.0)
    ('10 of 40 graded, about 3 min left', '0 of 40 graded', '40 of 40 graded')
    >>> line(100, 900, "graded", 900.0)
    '100 of 900 graded, about 2.0 h left'
    """
    text = f"{done} of {total} {what}"
    if not 0 < done < total:
        return text
    left = seconds / done * (total - done)
    if left >= HOUR:
        return f"{text}, about {left / HOUR:.1f} h left"
    return f"{text}, about {f'{left / MINUTE:.0f} min' if left >= MINUTE else f'{left:.0f} s'} left"


def pace(done: int, seconds: float) -> str:
    """Return how many were judged in what time, and the rate.

    >>> pace(8000, 196.0), pace(6, 90.0)
    ('8000 judged in 3 min 16 s, 41 a second', '6 judged in 1 min 30 s, 4 a minute')
    """
    minutes, rest = divmod(round(seconds), MINUTE)
    time = f"{minutes} min {rest} s" if minutes else f"{rest} s"
    rate = done / max(seconds, 1e-9)
    return f"{done} judged in {time}, " + (f"{rate:.2g} a second" if rate >= 1 else f"{MINUTE * rate:.2g} a minute")
