"""Our own side is interrupted, whatever swallows the first attempt."""

from __future__ import annotations

import signal
import sys

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


class Finalised:
    """Keeps the grader busy while it is being thrown away, where what is raised is lost."""

    def __del__(self):
        while True:
            pass


def throwing_away():
    Finalised()
    while True:
        pass


def test_an_interruption_that_is_lost_is_no_warning(capsys):
    """It comes again; warnings are errors in these tests."""
    with pytest.raises(Overrun), impatient(0.05):
        throwing_away()
    assert not capsys.readouterr().err


def test_nothing_is_left_of_it():
    """The handlers before are back, and no alarm comes later."""
    before, hook = signal.getsignal(signal.SIGALRM), sys.unraisablehook
    with impatient(60):
        assert signal.getsignal(signal.SIGALRM) is not before
    assert signal.getsignal(signal.SIGALRM) is before
    assert sys.unraisablehook is hook
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
    with impatient(None):
        assert signal.getsignal(signal.SIGALRM) is before
