"""What a spawned child promises: ready when it is handed out, never blocking, and gone without a trace."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from children import PORTABLE, call, fault, source, workers

from grader.errors import IsolationError
from grader.isolation import spawn
from grader.isolation.profile import Exit, Layers, Profile
from grader.isolation.spawn import SpawnLauncher
from grader.verdict import Status

posix = pytest.mark.skipif(os.name != "posix", reason="groups and signals are POSIX")
on_linux = pytest.mark.skipif(sys.platform != "linux", reason="/proc is Linux's")


@pytest.fixture
def launcher(monkeypatch, tmp_path_factory):
    """A launcher whose children leave nothing in the folder for temporary files."""
    folder = tmp_path_factory.mktemp("temporary")
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    launcher = SpawnLauncher(PORTABLE)
    yield launcher
    launcher.close()
    assert list(folder.iterdir()) == []


@pytest.fixture
def child(launcher):
    return launcher.start(Profile())


def until(condition):
    """Wait for what happens soon; a minute is for machines that are busy with something else."""
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_a_child_is_silent_until_it_is_asked(child):
    child.wait(0.05)
    assert (child.reply(), child.output(), child.ended()) == (b"", b"", None)


def test_waiting_lasts_until_there_is_something(child):
    """Whoever looks again and again instead keeps the threads that serve the pipes from doing so, for seconds."""
    began = time.monotonic()
    child.wait(0.3)
    assert time.monotonic() - began >= 0.3
    began = time.monotonic()
    child.write(memoryview(b"not a frame, but long enough to be taken for one"))
    child.wait(60)
    assert time.monotonic() - began < 60
    assert child.ended() or child.output()


def test_what_is_no_request_ends_the_child_with_its_reason(child):
    assert child.write(memoryview(b"not a frame, but long enough to be taken for one")) > 0
    until(child.ended)
    assert child.ended() == Exit(code=1)
    assert b"WireError" in child.output()


def test_a_write_takes_what_there_is_room_for(child):
    assert child.write(memoryview(b"")) == 0
    sent = 0
    while taken := child.write(memoryview(bytes(2**23))):
        sent += taken
        child.wait(0.5, writing=True)
    assert sent < 2**24  # a child that refuses the first bytes does not take the rest


def test_killing_and_closing_twice_is_harmless(child):
    how = child.kill()
    assert child.kill() == how
    if os.name == "posix":
        assert how == Exit(signal=signal.SIGKILL)
    child.close()
    child.close()
    assert child.write(memoryview(b"x")) == 0


@on_linux
def test_figures_are_measured_from_outside_and_outlive_the_child(child):
    assert child.rss_bytes() > 2**20
    before = child.cpu_seconds()
    assert before > 0
    child.kill()
    assert child.rss_bytes() is None
    assert child.cpu_seconds() >= before


def test_nothing_is_left_of_a_child(launcher):
    def descriptors():
        return set(Path("/proc/self/fd").iterdir()) if sys.platform == "linux" else set()

    at_first = descriptors()
    launcher.start(Profile()).close()  # the launcher itself keeps one pipe, to what watches over its children
    threads, before = threading.active_count(), descriptors()
    child = launcher.start(Profile())
    folder = Path(child._folder)
    assert folder.is_dir()
    (folder / "left").write_text("by the student", encoding="utf-8")
    child.close()
    assert not folder.exists()
    # Fewer, if a thread of another test ends meanwhile.
    assert threading.active_count() <= threads
    assert {path for path in descriptors() if path.exists()} <= before
    launcher.close()
    assert {path for path in descriptors() if path.exists()} <= at_first


def test_closing_the_launcher_ends_its_children():
    launcher = SpawnLauncher(PORTABLE)
    child = launcher.start(Profile())
    launcher.close()
    launcher.close()
    assert child.ended() is not None


@posix
def test_processes_that_a_student_starts_end_with_the_child():
    text = """
        import os, time
        def f():
            pid = os.fork()
            if pid == 0:
                time.sleep(1000)
            return pid
        def leave():
            os._exit(0)
    """
    with workers() as start:
        worker = start(source(text))
        pid = call(worker, "f")
        fault(worker, "leave")

        def gone():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, 0)
                return Path(f"/proc/{pid}/stat").read_text(encoding="ascii").split()[2] == "Z"
            return True

        if sys.platform == "linux":
            until(gone)


@posix
def test_a_grandchild_that_escapes_holds_nobody_up():
    text = """
        import os, time
        def f():
            if os.fork() == 0:
                os.setsid()
                time.sleep(8)
                os._exit(0)
            os._exit(3)
    """
    with workers() as start:
        found = fault(start(source(text)), "f")
    assert (found.status, found.summary) == (
        Status.CRASHED,
        "the process exited with code 3 while `f` was running",
    )


@pytest.mark.parametrize("layer", ["fork", "namespaces", "landlock", "seccomp"])
def test_a_layer_that_it_lacks_is_never_promised(layer):
    with pytest.raises(IsolationError, match=f"no {layer}"):
        SpawnLauncher(Layers(**{name: name == layer for name in ("fork", "namespaces", "landlock", "seccomp")}))


@posix
def test_limits_are_set_in_the_child():
    text = """
        import resource
        def f():
            kinds = ("CORE", "NOFILE", "FSIZE")
            return [resource.getrlimit(getattr(resource, f"RLIMIT_{kind}")) for kind in kinds]
    """
    with workers() as start:
        assert call(start(source(text)), "f") == [(0, 0), (256, 256), (2**26, 2**26)]


def test_without_limits_a_child_works_too():
    launcher = SpawnLauncher(Layers(fork=False, namespaces=False, landlock=False, seccomp=False, rlimits=False))
    child = launcher.start(Profile())
    assert child.ended() is None
    launcher.close()


def test_a_child_that_does_not_come_up_is_our_fault_and_says_why(launcher, monkeypatch, tmp_path):
    (tmp_path / "__main__.py").write_text("raise SystemExit('this is why')", encoding="utf-8")
    monkeypatch.setattr(spawn, "_INSIDE", tmp_path)
    with pytest.raises(IsolationError, match="this is why"):
        launcher.start(Profile())


def test_an_interpreter_that_is_not_there_is_our_fault(launcher, monkeypatch, tmp_path):
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    with pytest.raises(IsolationError, match="could not be started"):
        launcher.start(Profile())


def test_a_library_that_is_not_installed_is_our_fault(launcher, monkeypatch):
    monkeypatch.setattr(spawn.importlib.util, "find_spec", lambda _name: None)
    with pytest.raises(IsolationError, match="numpy is not installed"):
        launcher.start(Profile())


def test_the_student_sees_the_same_numpy():
    with workers() as start:
        assert call(start(source("import numpy\ndef f(): return numpy.__version__")), "f") == np.__version__
