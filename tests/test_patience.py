"""Our own side is interrupted, whatever swallows the first attempt."""

from __future__ import annotations

import signal

import pytest

from grader.patience import Overrun, impatient

pytestmark = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs timers as POSIX has them")


def endless(caught):
    """Go on for ever, and swallow the first interruption."""
    while True:
        try:
            while True:
                pass
        except Overrun:
            caught.append(1)
            if len(caught) == 2:
                raise


def test_what_takes_too_long_is_interrupted_even_if_the_first_time_is_lost():
    """A check that swallows the interruption once, as a finaliser does, meets it again."""
    caught = []
    with pytest.raises(Overrun), impatient(0.05):
        endless(caught)
    assert len(caught) == 2


def test_nothing_is_left_of_it():
    """The handler before is back, and no alarm comes later."""
    before = signal.getsignal(signal.SIGALRM)
    with impatient(60):
        assert signal.getsignal(signal.SIGALRM) is not before
    assert signal.getsignal(signal.SIGALRM) is before
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
    with impatient(None):
        assert signal.getsignal(signal.SIGALRM) is before
