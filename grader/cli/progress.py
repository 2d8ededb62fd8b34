"""How far a long command is: a bar on a terminal, a plain line every half minute elsewhere; always on stderr."""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from typing import TYPE_CHECKING

from grader.cli.common import console, say

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

EVERY = 30.0  # seconds between two plain lines
MINUTE = 60
Advance = "Callable[[int, str], None]"


@contextlib.contextmanager
def progress(total: int, what: str) -> Iterator[Callable[[int, str], None]]:
    """Yield a function that is told how many are done and what was done last.

    Args:
        total: how many there are.
        what: what is done to them: "graded".
    """
    shown = _bar(total, what) if sys.stderr.isatty() else _lines(total, what)
    with shown as advance:
        yield advance


@contextlib.contextmanager
def _bar(total: int, what: str) -> Iterator[Callable[[int, str], None]]:
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=total)
        yield lambda done, last: bar.update(task, completed=done)  # noqa: ARG005 - a bar has no room for names


@contextlib.contextmanager
def _lines(total: int, what: str) -> Iterator[Callable[[int, str], None]]:
    state = {"done": 0}
    last = [""]
    started, over = time.monotonic(), threading.Event()

    def tell() -> None:
        while not over.wait(EVERY):
            say(
                line(state["done"], total, what, time.monotonic() - started)
                + (f" (last: {last[0]})" if last[0] else "")
            )

    def advance(done: int, name: str) -> None:
        state["done"], last[0] = done, name

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
    """
    text = f"{done} of {total} {what}"
    if not 0 < done < total:
        return text
    left = seconds / done * (total - done)
    return f"{text}, about {f'{left / MINUTE:.0f} min' if left >= MINUTE else f'{left:.0f} s'} left"
