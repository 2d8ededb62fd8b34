"""What a `Worker` promises, with real children: plain values, or a fault that names its kind, file and line."""

from __future__ import annotations

import os
import sys
import time
import types
from fractions import Fraction

import numpy as np
import pytest
from carrying import same
from children import call, fault, source, workers

from grader.errors import AuthoringError
from grader.isolation import session
from grader.isolation.inside.wire import Handle
from grader.isolation.profile import OUTPUT_KEPT, Profile
from grader.verdict import Status

posix = pytest.mark.skipif(os.name != "posix", reason="signals are POSIX")
on_linux = pytest.mark.skipif(sys.platform != "linux", reason="it is measured from outside on Linux only")

ANSWERS = """\
import collections, ctypes, dataclasses, os, random, signal, sys, threading, time
import numpy as np

def echo(*args, **kwargs):
    return args, kwargs

def double(x):
    x *= 2
    return x

def stub(x):
    raise NotImplementedError

def divide(x):
    return outer(x)

def outer(x):
    return x / 0

not_a_function = 3
length = len

def endless():
    while True:
        pass

def busy(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass

def sleep(seconds=100):
    time.sleep(seconds)

def grow():
    held = []
    while True:
        held.append(np.ones(2**17))

def ask_for_everything():
    return np.ones(10**12)

def flood():
    while True:
        print("x" * 1000)

def say(text, times=1):
    for _ in range(times):
        print(text)

def mutter(text):
    print(text, end="")

def leave(code):
    os._exit(code)

def call_exit():
    sys.exit(0)

def crash():
    ctypes.string_at(0)

def end_itself(name):
    os.kill(os.getpid(), getattr(signal, name))

def interrupt():
    raise KeyboardInterrupt

def recurse():
    return recurse()

class Strange(ValueError):
    def __str__(self):
        raise RuntimeError("no text for you")

def strange():
    raise Strange

def ragged():
    return np.array([1, [2, 3]], dtype=object)

def generator():
    yield 1

def large():
    return np.zeros(2**26)

def draws():
    return [random.random(), float(np.random.rand())]

def ask():
    return input()

class Counter:
    def __init__(self, start):
        self.value = start

    def add(self, other):
        self.value += other.value if isinstance(other, Counter) else other
        return self

    def read(self):
        return self.value

    def __call__(self, factor):
        return self.value * factor

@dataclasses.dataclass
class Pair:
    left: int
    right: int

def pair():
    return Pair(1, 2)
"""
PROBES = """\
def value_of(counter):
    return counter.value

def careless(counter):
    return counter.nothing
"""


@pytest.fixture
def started():
    """Start workers of one's own."""
    with workers() as start:
        yield start


@pytest.fixture(scope="module")
def shared():
    with workers() as start:
        yield start(source(ANSWERS, probes=PROBES), Profile(memory_mib=256))


@pytest.fixture
def worker(shared):
    """A worker at the start of a check; a child that another test ended has been replaced."""
    shared.begin(20)
    return shared


class TestValues:
    def test_arguments_and_results_cross_unchanged(self, worker):
        args = (None, True, -(10**299), 0.1, 1j, "ä \ud800", Fraction(1, 3), [1, (2,)], {"k": {3: 0.5}})
        got, named = call(worker, "echo", *args, np.arange(6.0).reshape(2, 3), flag=False)
        assert same(got[:-1], args)
        assert same(got[-1], np.arange(6.0).reshape(2, 3))
        assert named == {"flag": False}

    def test_a_student_may_write_to_its_arguments(self, worker):
        sent = np.ones(3)
        assert call(worker, "double", sent).tolist() == [2, 2, 2]
        assert sent.tolist() == [1, 1, 1]

    def test_a_call_may_be_larger_than_any_pipe(self, started):
        worker = started(source(ANSWERS))
        array = np.random.default_rng(0).random(2**22)
        (got,), _ = call(worker, "echo", array)
        assert same(got, array)

    def test_printing_meanwhile_does_not_block_a_large_call(self, started):
        talking = """
            import threading

            def talk():
                print("." * 600_000)

            threading.Thread(target=talk).start()

            def total(x):
                return float(x.sum())
        """
        assert call(started(source(talking)), "total", np.ones(2**22)) == 2**22

    def test_calls_of_an_example_draw_differently_and_every_example_alike(self, worker):
        first = [call(worker, "draws"), call(worker, "draws")]
        worker.forget()
        assert [call(worker, "draws"), call(worker, "draws")] == first
        assert first[0] != first[1]

    def test_draws_follow_the_profiles_seed(self, started):
        one, other = (call(started(source(ANSWERS), Profile(seed=seed)), "draws") for seed in (1, 2))
        assert one != other


class TestObjects:
    def test_an_object_stays_in_the_child_and_can_be_called(self, worker):
        counter = call(worker, "Counter", 3)
        assert counter == Handle(counter.id, "Counter")
        assert call(worker, (counter, "read")) == 3
        assert call(worker, (counter, ""), 5) == 15
        assert call(worker, ("probe", "value_of"), counter) == 3

    def test_objects_can_be_passed_on_inside_containers(self, worker):
        one, other = call(worker, "Counter", 3), call(worker, "Counter", 4)
        again = call(worker, (one, "add"), other)
        assert call(worker, (again, "read")) == 7
        (kept,), _ = call(worker, "echo", [again, {"k": other}])
        assert [kept[0].kind, kept[1]["k"].kind] == ["Counter", "Counter"]

    def test_a_class_makes_an_object_where_a_function_returns_its_fields(self, worker):
        assert call(worker, "Pair", 1, 2).kind == "Pair"
        assert call(worker, "pair") == {"left": 1, "right": 2}

    def test_objects_end_with_their_example(self, worker):
        counter = call(worker, "Counter", 3)
        worker.forget()
        for target, args in (((counter, "read"), ()), (("echo",), ([counter],)), (("echo",), ({"k": (counter,)},))):
            with pytest.raises(AuthoringError, match="ended"):
                worker.call(target, args, {}, tensors=False)

    def test_a_missing_method_is_not_attempted(self, worker):
        found = fault(worker, (call(worker, "Counter", 3), "reset"))
        assert (found.status, found.summary) == (Status.NOT_ATTEMPTED, "`Counter().reset` is missing from xor.py")

    def test_a_fault_of_a_probe_is_told(self, worker):
        found = fault(worker, ("probe", "careless"), call(worker, "Counter", 3))
        assert (found.status, found.summary) == (Status.CRASHED, "`probe.careless` raised AttributeError")


class TestMisuse:
    def test_misuse_by_a_check_is_the_authors_error(self, worker):
        with pytest.raises(AuthoringError, match="no function 'nothing'"):
            call(worker, ("probe", "nothing"), 1)
        with pytest.raises(AuthoringError, match="cannot be sent"):
            call(worker, "double", object())
        assert call(worker, "double", 4) == 8


class TestExceptions:
    def test_the_stub_is_not_attempted(self, worker):
        found = fault(worker, "stub", 1)
        assert found.status is Status.NOT_ATTEMPTED
        assert found.summary == "`stub` is not written yet (NotImplementedError at xor.py:12)"

    def test_a_missing_function_is_not_attempted(self, worker):
        found = fault(worker, "nowhere")
        assert (found.status, found.summary) == (Status.NOT_ATTEMPTED, "`nowhere` is missing from xor.py")

    def test_an_exception_is_told_with_the_students_own_frames_alone(self, worker):
        found = fault(worker, "divide", 1.0)
        assert found.status is Status.CRASHED
        assert found.summary == "`divide` raised ZeroDivisionError at xor.py:18"
        assert found.exception[:3] == ("ZeroDivisionError", "ArithmeticError", "Exception")
        assert found.text == "float division by zero"
        assert found.traceback == (
            '  File "xor.py", line 15, in divide\n'
            "    return outer(x)\n"
            '  File "xor.py", line 18, in outer\n'
            "    return x / 0\n"
            "ZeroDivisionError: float division by zero"
        )

    def test_the_check_goes_on_after_an_exception(self, worker):
        fault(worker, "divide", 1.0)
        assert call(worker, "double", 4) == 8

    def test_a_wrong_signature_is_told_apart_from_a_type_error_inside(self, worker):
        found = fault(worker, "divide", 1, 2, axis=3)
        assert found.status is Status.CRASHED
        assert found.summary == (
            "`divide` does not take the 3 arguments (`axis` by name) that it is called with (TypeError); "
            "is its first line as it was handed out?"
        )
        assert fault(worker, "divide", "text").summary == "`divide` raised TypeError at xor.py:18"
        assert "does not take the 1 argument that" in fault(worker, "Pair", 1).summary
        assert fault(worker, "length", 3).summary == "`length` raised TypeError"

    def test_what_is_no_function_cannot_be_called(self, worker):
        found = fault(worker, "not_a_function")
        assert (found.status, found.summary) == (
            Status.CRASHED,
            "`not_a_function` is not a function, so it cannot be called",
        )

    def test_exit_is_a_crash_and_never_a_pass(self, worker):
        found = fault(worker, "call_exit")
        assert (found.status, found.exception[0]) == (Status.CRASHED, "SystemExit")
        assert found.summary.startswith("`call_exit` called exit() at xor.py:")

    def test_interrupts_and_recursion_are_only_exceptions(self, worker):
        assert fault(worker, "interrupt").exception[0] == "KeyboardInterrupt"
        assert "RecursionError" in fault(worker, "recurse").summary
        assert call(worker, "double", 4) == 8

    def test_an_exception_of_ones_own_is_named_by_its_kind(self, worker):
        found = fault(worker, "strange")
        assert found.summary.startswith("`strange` raised an exception of its own, a kind of ValueError at xor.py:")
        assert (found.exception[:2], found.text) == (("Strange", "ValueError"), "(its text cannot be shown)")

    def test_reading_the_terminal_is_an_error_at_once(self, worker):
        assert "EOFError" in fault(worker, "ask").summary


class TestUnusable:
    @pytest.mark.parametrize(
        ("name", "words"),
        [
            ("ragged", "an array whose entries are not plain numbers"),
            ("generator", "makes its values only when asked"),
            ("large", "more than can be taken"),
        ],
    )
    def test_values_that_cannot_be_taken_are_unusable(self, worker, name, words):
        found = fault(worker, name)
        assert found.status in {Status.UNUSABLE, Status.OUT_OF_MEMORY if name == "large" else None}
        assert words in found.summary or found.status is Status.OUT_OF_MEMORY
        worker.begin(20)
        assert call(worker, "double", 4) == 8


class TestLimits:
    def test_a_loop_that_does_not_end_is_timed_out(self, worker):
        worker.begin(0.3)
        found = fault(worker, "endless")
        assert found.status is Status.TIMED_OUT
        if sys.platform == "linux":
            assert found.summary == "`endless` used more than 0.3 s of CPU time; is there a loop that does not end?"

    @on_linux
    def test_many_slow_calls_share_one_budget(self, worker):
        worker.begin(0.5)
        call(worker, "busy", 0.3)
        found = fault(worker, "busy", 0.3)
        assert found.status is Status.TIMED_OUT
        assert found.summary == (
            "the calls of this check together used more than 0.5 s of CPU time, the last of them `busy`; "
            "is one too slow?"
        )

    def test_sleeping_is_told_apart_from_computing(self, worker):
        worker.begin(0.1)
        found = fault(worker, "sleep")
        assert found.status is Status.TIMED_OUT
        if sys.platform == "linux":
            assert found.summary == (
                "`sleep` did not finish within 1.3 s; it slept or waited for something (a lock, or input?)"
            )

    @on_linux
    def test_memory_that_grows_is_stopped(self, worker):
        found = fault(worker, "grow")
        assert found.status is Status.OUT_OF_MEMORY
        assert found.summary.startswith("`grow` ")
        assert "memory" in found.summary

    def test_a_memory_error_is_out_of_memory(self, worker):
        found = fault(worker, "ask_for_everything")
        assert found.status is Status.OUT_OF_MEMORY
        assert found.summary.startswith("`ask_for_everything` ran out of memory at xor.py:")
        assert fault(worker, "double", 4) is found

    def test_a_flood_of_output_is_stopped_and_its_ends_are_kept(self, worker):
        call(worker, "say", "the beginning")
        found = fault(worker, "flood")
        assert found.status is Status.TOO_MUCH_OUTPUT
        assert found.summary == "`flood` printed more than 1 MiB; is there a print in a loop?"
        assert worker.output().startswith("the beginning\nxxx")
        assert "bytes left out" in worker.output()
        assert len(worker.output()) < 2 * OUTPUT_KEPT

    def test_a_limit_is_raised_again_until_the_next_check(self, worker):
        worker.begin(0.1)
        first = fault(worker, "endless")
        assert fault(worker, "double", 4) is first
        worker.begin(20)
        assert call(worker, "double", 4) == 8

    def test_time_between_calls_is_nobodys(self, started, monkeypatch):
        worker = started(source(ANSWERS), seconds=0.1)
        call(worker, "double", 4)
        an_hour_later = types.SimpleNamespace(monotonic=lambda: time.monotonic() + 3600)
        monkeypatch.setattr(session, "time", an_hour_later)
        assert call(worker, "double", 4) == 8


class TestEnds:
    @pytest.mark.parametrize("code", [0, 3])
    def test_leaving_the_process_is_a_crash(self, worker, code):
        found = fault(worker, "leave", code)
        assert found.status is Status.CRASHED
        assert found.summary == f"the process exited with code {code} while `leave` was running"

    @posix
    @pytest.mark.parametrize(
        ("name", "words"), [("SIGKILL", "killed"), ("SIGTERM", "terminated"), ("SIGABRT", "the program aborted")]
    )
    def test_a_signal_is_named(self, worker, name, words):
        found = fault(worker, "end_itself", name)
        assert found.status is Status.CRASHED
        assert found.summary == f"the process was ended by {name} ({words}) while `end_itself` was running"

    @posix
    def test_a_segmentation_fault_is_named(self, worker):
        assert "SIGSEGV (segmentation fault) while `crash`" in fault(worker, "crash").summary

    @posix
    def test_stopping_itself_is_timed_out(self, worker):
        worker.begin(0.1)
        assert fault(worker, "end_itself", "SIGSTOP").status is Status.TIMED_OUT

    def test_the_next_check_has_a_fresh_child(self, worker):
        fault(worker, "leave", 0)
        worker.begin(20)
        assert call(worker, "double", 4) == 8


class TestOutput:
    def test_output_is_that_of_the_check(self, worker):
        call(worker, "say", "one")
        assert worker.output() == "one\n"
        worker.begin(20)
        assert worker.output() == ""
        call(worker, "mutter", "two")
        assert worker.output() == "two"

    def test_output_of_the_import_belongs_to_the_first_check(self, started):
        assert started(source("print('imported')")).output() == "imported\n"

    def test_output_before_a_crash_is_kept(self, worker):
        call(worker, "say", "last words")
        fault(worker, "leave", 0)
        assert worker.output() == "last words\n"

    def test_output_is_escaped(self, worker):
        call(worker, "say", "\x1b[2J\u202e\ud800")
        assert worker.output() == "\\x1b[2J\\u202e\\ud800\n"


def test_lines_are_those_that_python_counts():
    """A form feed or a line separator inside a line breaks it for `str.splitlines`, and for nobody else."""
    text = "# A\x0cb\u2028c\ndef f(x):\n    y = 1\n    return 1 / 0\n"
    with workers() as start:
        told = fault(start(source(text)), "f", 1.0)
    assert "xor.py:4" in told.summary
    assert "return 1 / 0" in told.traceback


def test_keys_chosen_to_collide_are_the_students_and_cost_no_child():
    """The value cannot be taken, the sentence says why, and the next call is answered."""
    text = f"def f(x):\n    return {{k * {sys.hash_info.modulus}: 0 for k in range(100)}}\n\ndef g(x):\n    return x\n"
    with workers() as start:
        worker = start(source(text))
        told = fault(worker, "f", 1.0)
        assert told.status is Status.UNUSABLE
        assert "key" in told.summary
        assert call(worker, "g", 2.0) == 2.0


FORGER = """\
import sys

class Target:
    def act(self, x):
        return x

frame = sys._getframe()
while frame is not None:
    server = frame.f_locals.get("self")
    if type(server).__name__ == "Server":
        kept = server._keep
        server._keep = lambda value: type(kept(value))(12345, "Target")
        break
    frame = frame.f_back
"""


def test_a_forged_handle_is_the_students_crash():
    """Who makes up the number of an object gets no object, and no word of ours."""
    with workers() as start:
        worker = start(source(FORGER))
        handle = call(worker, "Target")
        assert handle.id == 12345
        told = fault(worker, (handle, "act"), 1.0)
    assert told.status is Status.CRASHED
    assert "serve" not in told.summary + told.traceback + told.text
