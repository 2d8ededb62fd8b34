"""The reply channel is the student's to write to: nothing on it may be believed but plain values."""

from __future__ import annotations

import contextlib
import os

import numpy as np
import pytest
from children import call, fault, source, workers

from grader.errors import StudentFault
from grader.isolation import packing
from grader.isolation.inside import wire
from grader.isolation.worker import Line
from grader.verdict import Status

pytestmark = pytest.mark.skipif(os.name != "posix", reason="the forger looks for pipes as POSIX has them")

FORGER = """\
import os, stat, struct, sys, time

def channel():
    pipes = [fd for fd in range(3, 64) if is_pipe(fd)]
    return max(pipes)

def is_pipe(fd):
    try:
        return stat.S_ISFIFO(os.fstat(fd).st_mode)
    except OSError:
        return False

def nonce():
    frame = sys._getframe()
    while "nonce" not in frame.f_locals or frame.f_code.co_name != "main":
        frame = frame.f_back
    return frame.f_locals["nonce"], frame.f_globals["wire"]

def frame(value):
    token, wire = nonce()
    return wire.pack(token, value)

def honest(x):
    return x + 1

def noise():
    os.write(channel(), b"x" * 100)

def unsolicited():
    _, wire = nonce()
    os.write(channel(), wire.pack(bytes(16), {"value": 42, "warnings": []}))

def forge(value, then):
    os.write(channel(), frame(value))
    if then == "leave":
        os._exit(0)
    if then == "hang":
        time.sleep(100)

def terabyte():
    token, _ = nonce()
    os.write(channel(), struct.pack("<4s16sIQ", b"TGW1", token, 4, 2**40) + b"null")
    time.sleep(100)

def dribble():
    for byte in frame({"value": "a text of some length", "warnings": []}):
        os.write(channel(), bytes([byte]))
        time.sleep(0.2)

def half():
    os.write(channel(), frame({"value": 1, "warnings": []})[:-1])
    time.sleep(100)

def hang_up():
    os.close(channel())

def claim(fault):
    os.write(channel(), frame({"fault": fault, "warnings": []}))
    os._exit(0)
"""


@pytest.fixture(scope="module")
def shared():
    with workers() as start:
        yield start(source(FORGER))


@pytest.fixture
def worker(shared):
    """A worker at the start of a check; a child that another test ended has been replaced."""
    shared.begin(20)
    assert call(shared, "honest", 1) == 2
    return shared


@pytest.mark.parametrize("name", ["noise", "unsolicited", "terabyte"])
def test_what_is_no_answer_is_unusable(worker, name):
    found = fault(worker, name)
    assert found.status is Status.UNUSABLE
    assert found.summary == (f"the answer of `{name}` could not be read: something else wrote to the grader's channel")
    assert fault(worker, "honest", 1) is found
    worker.begin(20)
    assert call(worker, "honest", 1) == 2


@pytest.mark.parametrize("warnings", [np.ones(2), np.ones(0), "text", {"a": 1}, None])
def test_warnings_that_are_none_are_unusable(worker, warnings):
    """An array in place of a list, whose truth nobody can tell, breaks nothing of ours."""
    found = fault(worker, "forge", {"value": 42, "warnings": warnings}, "leave")
    assert found.status is Status.UNUSABLE


def part(reply):
    """Return the answers to a script as they lie in a reply to all of them."""
    return np.frombuffer(wire.encode(reply), np.uint8)


GOOD = {"value": [1, 2], "faults": {}, "warnings": []}
FALSE_PARTS = {
    "no dict": [1, 2],
    "nothing": {},
    "too few": {**GOOD, "value": [1]},
    "too many": {**GOOD, "value": [1, 2, 3]},
    "no list": {**GOOD, "value": np.ones(2)},
    "no faults": {"value": [1, 2], "warnings": []},
    "faults of nothing": {**GOOD, "faults": {7: None}},
    "faults without a form": {**GOOD, "faults": {1: "text"}},
    "faults by strange keys": {**GOOD, "faults": {(1, "a"): None}},
    "warnings that are none": {**GOOD, "warnings": np.ones(2)},
}
FALSE_REPLIES = {
    **{name: {"value": [part(reply)]} for name, reply in FALSE_PARTS.items()},
    "a list": [part(GOOD)],
    "an array": np.ones(3),
    "a fault of the whole": {"fault": "text", "warnings": []},
    "no part": {"value": []},
    "a part too many": {"value": [part(GOOD), part(GOOD)]},
    "parts that are no bytes": {"value": [part(GOOD).astype(float)]},
    "parts in two dimensions": {"value": [part(GOOD).reshape(1, -1)]},
    "parts by name": {"value": {0: part(GOOD)}},
    "a part that is cut off": {"value": [part(GOOD)[:-1]]},
    "a part with more behind it": {"value": [np.append(part(GOOD), np.zeros(1, np.uint8))]},
    "noise": None,
}


def performed(worker, reply):
    """Have a script performed by a child that sends this in place of its reply, or noise."""
    false = "noise" if reply is None else "forge"
    args = () if reply is None else (reply, "leave")
    rows = [((false,), args, False), (("honest",), (1,), False)]
    columns = {
        "scenes": [2],
        "seeds": [1, 2],
        "targets": [row[0] for row in rows],
        "args": [row[1] for row in rows],
        "kwargs": {},
        "tensors": [False, False],
        "objects": [False, False],
        "refused": [False, False],
    }
    lines = [Line(target, len(given), (), 0, refused) for target, given, refused in rows]
    script = np.frombuffer(packing.pack(columns), np.uint8)
    return worker.perform(wire.encode({"op": "perform", "scripts": [script]}), [lines], 5)


@pytest.mark.parametrize("reply", FALSE_REPLIES)
def test_a_false_answer_to_a_script_costs_its_sender_the_child_and_nothing_else(worker, reply):
    """The script counts as not performed, and a fresh child answers call by call."""
    assert call(worker, "honest", 0) == 1
    assert performed(worker, FALSE_REPLIES[reply]) is None
    worker.renew()
    assert call(worker, "honest", 1) == 2


def test_only_what_is_false_of_it_makes_such_an_answer_none(worker):
    """The control: without a fault in its form the same forgery is an answer."""
    assert call(worker, "honest", 0) == 1
    (performance,) = performed(worker, {"value": [part(GOOD)]})
    assert performance.values == [1, 2]


@pytest.mark.parametrize("name", ["dribble", "half"])
def test_an_answer_that_does_not_come_to_its_end_is_timed_out(worker, name):
    worker.begin(0.1)
    assert fault(worker, name).status is Status.TIMED_OUT


def test_a_whole_answer_counts_even_if_its_sender_is_gone(worker):
    assert call(worker, "forge", {"value": 42, "warnings": []}, "leave") == 42
    found = fault(worker, "honest", 1)
    assert (found.status, found.summary) == (
        Status.CRASHED,
        "the process exited with code 0 while `honest` was running",
    )


def test_the_next_check_begins_anew_after_a_late_end(worker):
    assert call(worker, "forge", {"value": 42, "warnings": []}, "leave") == 42
    worker.begin(20)
    assert call(worker, "honest", 1) == 2


def test_a_second_answer_is_noticed(worker):
    # Where the second lands, behind the first or before the next, is a matter of scheduling.
    with contextlib.suppress(StudentFault):
        call(worker, "forge", {"value": 42, "warnings": []}, "return")
    assert fault(worker, "honest", 1).status is Status.UNUSABLE


def test_hanging_up_is_a_crash(worker):
    assert fault(worker, "hang_up").status is Status.CRASHED


@pytest.mark.parametrize(
    "reply",
    [
        None,
        [1],
        {},
        {"values": 1},
        {"fault": None},
        {"fault": {}},
        {"fault": {"kind": "passed"}},
        {"fault": {"kind": 1}},
    ],
    ids=repr,
)
def test_an_answer_without_the_form_of_one_is_unusable(worker, reply):
    assert fault(worker, "forge", reply, "hang").status is Status.UNUSABLE


@pytest.mark.parametrize("change", [{}, {"kind": "untransportable"}, {"kind": "exit"}, {"name": "sec" + "ret"}])
def test_no_word_of_the_child_gets_into_a_summary(worker, change):
    secret = "sec" + "ret"
    claimed = {
        "kind": "exception",
        "mro": [secret, secret, "ValueError"],
        "text": secret,
        "frames": [("xor.py", 10**9, secret, secret), (secret, 1, secret, secret), ("xor.py", -1, "", "")],
        "memory": False,
        "name": secret,
        "reason": secret,
    }
    found = fault(worker, "claim", claimed | change)
    assert secret not in found.summary
    assert str(10**9) not in found.summary
    assert secret in found.text


def test_control_characters_do_not_reach_a_terminal(worker):
    claimed = {"kind": "exception", "mro": ["\x1b[2J"], "frames": [], "memory": False, "name": "", "reason": ""}
    found = fault(worker, "claim", claimed | {"text": "\x1b]0;\u202e\ud800\r\n" + "x" * 10**6})
    assert found.text.startswith("\\x1b]0;\\u202e\\ud800\\r\nxxx")
    assert len(found.text) < 3000
    assert found.exception == ("\\x1b[2J",)
