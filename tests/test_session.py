"""What a session makes of a child's ends and figures, with a child that does as it is told."""

from __future__ import annotations

import math
import signal
import types

import numpy as np
import pytest

from grader.errors import AuthoringError, StudentFault
from grader.isolation.faults import Subject
from grader.isolation.inside import wire
from grader.isolation.profile import OUTPUT_KEPT, Exit
from grader.isolation.session import Output, Session
from grader.verdict import Status

F = Subject(label="`f`", file="xor.py")


class Puppet:
    """A child whose every answer is set beforehand."""

    pid = 1

    def __init__(self, *, replies=(), output=(), exit_=None, cpu=0.0, rss=0):
        self.replies, self.printed, self.exit, self.cpu, self.rss = list(replies), list(output), exit_, cpu, rss
        self.killed = False
        self.received = b""
        self.appetite = math.inf

    def write(self, data):
        taken = min(len(data), self.appetite)
        if data[:4] == b"TGW1":
            self.received = b""
        self.received += bytes(data[:taken])
        return taken

    def wait(self, seconds, *, writing=False):
        pass

    def reply(self):
        reply = self.replies.pop(0) if self.replies else b""
        return reply(self.received) if callable(reply) else reply

    def output(self):
        return self.printed.pop(0) if self.printed else b""

    def ended(self):
        return self.exit

    def cpu_seconds(self):
        return next(self.cpu) if hasattr(self.cpu, "__next__") else self.cpu

    def rss_bytes(self):
        return next(self.rss) if hasattr(self.rss, "__next__") else self.rss

    def kill(self):
        self.killed = True
        return Exit(signal=9)

    def close(self):
        self.killed = True


def answer(value):
    """Return what answers any request with a value."""
    return lambda received: wire.pack(received[4:20], value)


def start(seconds=1.0, **figures):
    child = Puppet(**figures)
    session = Session(child, memory_mib=100)
    session.allow(seconds)
    return child, session


def fault(session, request=None):
    with pytest.raises(StudentFault) as caught:
        session.exchange(request or {"op": "call"}, F)
    return caught.value


def test_a_reply_is_returned_as_it_came():
    child, session = start(replies=[answer({"value": 3})])
    assert session.exchange({"op": "call"}, F) == {"value": 3}
    assert not child.killed


def test_a_reply_may_come_in_pieces():
    whole = answer({"value": np.arange(3)})
    _, session = start(replies=[lambda r: whole(r)[:10], b"", lambda r: whole(r)[10:50], b"", lambda r: whole(r)[50:]])
    np.testing.assert_array_equal(session.exchange({}, F)["value"], np.arange(3))


def test_a_reply_counts_though_its_sender_has_ended():
    _, session = start(replies=[answer({"value": 3})], exit_=Exit(code=0))
    assert session.exchange({}, F) == {"value": 3}
    assert not session.alive


@pytest.mark.parametrize(
    ("exit_", "figures", "status", "words"),
    [
        (Exit(code=0), {}, Status.CRASHED, "exited with code 0 while `f` was running"),
        (Exit(signal=11), {}, Status.CRASHED, "ended by SIGSEGV (segmentation fault) while"),
        (Exit(signal=9), {}, Status.CRASHED, "ended by SIGKILL (killed)"),
        (Exit(signal=200), {}, Status.CRASHED, "ended by signal 200 while"),
        (Exit(code=0xC0000005), {}, Status.CRASHED, "ended by SIGSEGV (segmentation fault)"),
        (Exit(signal=getattr(signal, "SIGXCPU", 24)), {}, Status.TIMED_OUT, "more than 1 s of CPU time"),
        (Exit(signal=9), {"cpu": iter([0, 0, 0, 1.0, 1.0])}, Status.TIMED_OUT, "more than 1 s of CPU time"),
    ],
)
def test_an_end_is_read_for_what_it_is(exit_, figures, status, words):
    child, session = start(**figures)
    child.exit = exit_
    found = fault(session)
    assert found.status is status
    assert words in found.summary


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="signals are POSIX")
def test_the_systems_killer_is_believed_if_memory_was_nearly_used_up():
    child, session = start()
    child.rss = 95 * 2**20
    ends = iter([None, None, None, Exit(signal=9)])
    child.ended = lambda: next(ends)
    child.wait = lambda _seconds, **_: session.__setattr__("_looked", 0.0)
    assert fault(session).status is Status.OUT_OF_MEMORY


def test_memory_counts_from_where_the_child_began():
    child, session = start(rss=500 * 2**20, replies=[b"", answer({"value": 1})])
    assert session.exchange({}, F) == {"value": 1}
    child.rss = 601 * 2**20
    found = fault(session)
    assert (found.status, child.killed) == (Status.OUT_OF_MEMORY, True)
    assert found.summary.startswith("`f` used more than 100 MiB of memory; ")


def test_cpu_time_counts_from_the_budgets_start():
    child, session = start(cpu=100.0, replies=[answer({"value": 1})])
    assert session.exchange({}, F) == {"value": 1}
    child.cpu, child.replies = 101.5, [answer({"value": 1})]
    assert fault(session).status is Status.TIMED_OUT  # though an answer would come at once


@pytest.fixture
def clock(monkeypatch):
    """A clock that goes on as far as a child's waiting takes."""
    now = [0.0]
    monkeypatch.setattr("grader.isolation.session.time", types.SimpleNamespace(monotonic=lambda: now[0]))
    return now


def test_waiting_adds_up_over_calls(clock):
    child, session = start(seconds=1.0)

    def wait(seconds, **_):
        clock[0] += seconds

    child.wait = wait
    silence = [b""] * 150  # 1.5 s
    child.replies = [*silence, answer({"value": 1}), b""] * 2
    for _ in range(2):
        assert session.exchange({}, F) == {"value": 1}
    found = fault(session)
    assert (found.status, session.spent) == (Status.TIMED_OUT, 0.0)
    assert found.summary.startswith("`f` did not finish within 4 s; it slept")
    assert clock[0] == pytest.approx(4.0, abs=0.1)


def test_what_the_machine_stood_still_is_nobodys_waiting(clock):
    """A wait of ten milliseconds that takes a minute says nothing about the child."""
    child, session = start(seconds=1.0, replies=[b"", b"", b"", answer({"value": 1})])

    def wait(_seconds, **_):
        clock[0] += 60.0

    child.wait = wait
    assert session.exchange({}, F) == {"value": 1}


def test_last_words_are_kept():
    _, session = start(output=[b"first\n", b"last\n"], exit_=Exit(code=1))
    fault(session)
    assert session.output() == "first\nlast\n"


def test_without_a_cpu_clock_wall_time_is_the_limit():
    _, session = start(seconds=-0.33, cpu=None)
    found = fault(session)
    assert found.status is Status.TIMED_OUT
    assert found.summary.startswith("`f` did not finish within 0.01 s; is there a loop")


def test_output_is_counted_for_each_budget():
    child, session = start(output=[b"x" * 2**19], replies=[answer({"value": 1}), b""] * 3)
    session.exchange({}, F)
    child.printed = [b"x" * 2**19]
    session.exchange({}, F)
    session.allow(1.0)
    child.printed = [b"x" * 2**20]
    session.exchange({}, F)
    child.printed, child.replies = [b"x"], [answer({"value": 1})]
    found = fault(session)
    assert (found.status, child.killed) == (Status.TOO_MUCH_OUTPUT, True)


def test_a_reply_before_the_whole_request_is_unusable():
    child, session = start(replies=[answer({"value": 1})])
    child.appetite = 30
    assert fault(session, {"op": "x" * 1000}).status is Status.UNUSABLE


@pytest.mark.parametrize("value", [None, 3, "text", [1]], ids=repr)
def test_a_reply_that_is_no_dict_is_unusable(value):
    child, session = start(replies=[answer(value)])
    assert fault(session).status is Status.UNUSABLE
    assert child.killed


def test_a_request_that_cannot_be_sent_is_the_authors_error():
    child, session = start()
    with pytest.raises(AuthoringError, match="`f` is called with something that cannot be sent"):
        session.exchange({"op": object()}, F)
    assert not child.killed


class TestOutput:
    def test_short_output_is_whole(self):
        output = Output()
        for part in (b"a\n", b"", "ä".encode(), b"\xff\x1b"):
            output.add(part)
        assert output.text() == "a\nä\\xff\\x1b"

    def test_of_long_output_both_ends_are_kept(self):
        output = Output()
        for i in range(100_000):
            output.add(b"%d\n" % i)
        text = output.text()
        assert text.startswith("0\n1\n2\n")
        assert text.endswith("\n99998\n99999\n")
        assert "bytes left out" in text
        assert len(text) < OUTPUT_KEPT + 100

    def test_nothing_is_left_out_up_to_the_bound(self):
        output = Output()
        output.add(b"x" * OUTPUT_KEPT)
        assert output.text() == "x" * OUTPUT_KEPT
