"""Processes of our own side by side: every item answered once, whatever becomes of the process that has it in hand."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from concurrent.futures import CancelledError
from contextlib import ExitStack
from functools import partial

import pytest

from grader import seat
from grader.crew import Crew, Died, Unseated
from grader.errors import UsageError


def squaring():
    return square


def square(number):
    return number**2


def doing():
    return do


def do(what):
    """Do something that a process may be asked to do in these tests."""
    if what == "die":
        os.kill(os.getpid(), signal.SIGKILL)
    elif what == "say":
        sys.stdout.write("this is not an answer\n")
        return sys.stdin.read() or "nothing to read"
    elif what == "refuse":
        raise UsageError("so it cannot be done")
    elif what == "fail":
        raise ZeroDivisionError("a slip")
    elif what == "hang":
        signal.pause()
    elif what == "cores":
        return os.sched_getaffinity(0)
    return os.getpid()


def telling():
    return lambda _item: os.getpid()


def meeting():
    return _met


def _met(folder):
    """Wait until another process is here too."""
    (folder / str(os.getpid())).touch()
    while len(list(folder.iterdir())) == 1:
        time.sleep(0.01)
    return os.getpid()


def failing(words):
    raise ValueError(words)


@pytest.fixture
def crew():
    """One process that does as it is told."""
    with Crew(doing, 1) as one:
        yield one


def test_every_item_is_answered():
    with Crew(squaring, 2) as crew:
        futures = [crew.submit(number) for number in range(200)]
        assert [future.result() for future in futures] == [number**2 for number in range(200)]


def test_who_has_done_one_of_a_kind_does_the_next_of_it():
    with Crew(telling, 2, kind=lambda item: item[0]) as crew:
        asked = [(kind, number) for number in range(20) for kind in "xy"]
        done = [(kind, future.result()) for (kind, _), future in [(item, crew.submit(item)) for item in asked]]
    pids = {kind: {pid for one, pid in done if one == kind} for kind in "xy"}
    assert min(map(len, pids.values())) == 1, "whoever is through with its own kind first may help the other"


def test_nobody_is_idle_where_all_is_of_one_kind(tmp_path):
    with Crew(meeting, 2, kind=lambda _: "one") as crew:
        futures = [crew.submit(tmp_path) for _ in range(2)]
        assert len({future.result(timeout=120) for future in futures}) == 2


def test_closing_answers_what_was_submitted_and_ends_the_process(crew):
    futures = [crew.submit("go on") for _ in range(20)]
    crew.close()
    (pid,) = {future.result() for future in futures}
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    with pytest.raises(RuntimeError, match="sent home"):
        crew.submit("go on")


def test_a_death_takes_only_the_item_in_hand(crew):
    before, deadly, *after = [crew.submit(what) for what in ("go on", "die", *["go on"] * 9)]
    with pytest.raises(Died, match=r"^the process that judges was ended by SIGKILL$"):
        deadly.result()
    assert len({future.result() for future in after}) == 1
    assert after[0].result() != before.result()


def test_what_is_printed_and_read_there_touches_no_answer(crew):
    assert crew.submit("say").result() == "nothing to read"


def test_an_error_of_ours_comes_back_as_it_was_and_any_other_as_its_words(crew):
    with pytest.raises(UsageError, match="so it cannot be done"):
        crew.submit("refuse").result()
    with pytest.raises(seat.Mishap, match="ZeroDivisionError: a slip"):
        crew.submit("fail").result()
    assert crew.submit("go on").result() > 0


def test_a_process_that_does_not_come_up_is_said_and_not_blamed_on_an_item():
    with Crew(partial(failing, "no such plan"), 1) as crew:
        for _ in range(2):
            with pytest.raises(Unseated, match="does not come up: ValueError: no such plan"):
                crew.submit("anything").result()


def test_abandoning_ends_a_process_that_would_never_end_and_cancels_the_rest():
    crew = Crew(doing, 1)
    pid = crew.submit("go on").result()
    futures = [crew.submit("hang") for _ in range(5)]
    crew.abandon()
    for future in futures:
        with pytest.raises(CancelledError):
            future.result()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    crew.abandon()
    crew.close()


def test_an_error_in_the_block_abandons():
    crew = Crew(doing, 1)
    future = crew.submit("hang")
    with pytest.raises(KeyboardInterrupt), crew:
        raise KeyboardInterrupt
    with pytest.raises(CancelledError):
        future.result()


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="this system pins no process to a core")
def test_each_process_keeps_to_one_core(crew):
    assert len(crew.submit("cores").result()) == 1


@pytest.mark.skipif(sys.platform != "linux", reason="cores are claimed by a kind of name that only Linux has")
def test_a_core_is_claimed_once_until_it_is_given_back():
    core = 10**6 + os.getpid()  # nobody else's
    with ExitStack() as first, ExitStack() as second:
        assert seat._claims(core, first)
        assert not seat._claims(core, second)
        first.close()
        assert seat._claims(core, second)


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="this system pins no process to a core")
def test_where_every_core_is_claimed_they_are_shared(monkeypatch):
    monkeypatch.setattr(seat, "_claims", lambda *_: False)
    before = os.sched_getaffinity(0)
    with seat.claimed_core(len(before)):
        assert os.sched_getaffinity(0) == {min(before)}
    assert os.sched_getaffinity(0) == before


def test_no_thread_is_left_behind():
    before = set(threading.enumerate())  # threads of others may end meanwhile
    with Crew(squaring, 2) as crew:
        crew.submit(3).result()
        assert set(threading.enumerate()) - before
    assert not set(threading.enumerate()) - before
