"""Killed at any moment, children and graders leave nothing behind, and a grader that goes on grows by nothing.

``GRADER_KILLS`` says how many children are killed of each kind; the long form takes a thousand.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading

import pytest
from attackers import best_layers
from children import source
from fuzzing import endurance, frames, processes

from grader.errors import IsolationError
from grader.isolation import guardian, tiers
from grader.isolation.forked import ForkLauncher
from grader.isolation.profile import Layers, Profile
from grader.isolation.worker import Worker

KILLS = int(os.environ.get("GRADER_KILLS", "60"))
GRADERS = max(KILLS // 12, 3)
CHILDREN = max(2 * KILLS, 100)
BEST = best_layers()
GROWTH_KIB = 4096
SPAWNED_SHARE = 4  # fresh interpreters cost ten times as much

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="what is left is seen in Linux's /proc: not run")
every_kind = pytest.mark.parametrize(
    "kind",
    [
        pytest.param(
            "strongest", marks=pytest.mark.skipif(Layers() != BEST, reason="this machine lacks a layer: not run")
        ),
        pytest.param(
            "without namespaces",
            marks=pytest.mark.skipif(not BEST.landlock, reason="this machine has no Landlock: not run"),
        ),
        "spawned",
    ],
)


def carried_out(tmp_path, *command):
    """Run a command of `endurance` in a process of its own, whose temporary files are all in one folder."""
    environment = os.environ | frames.ENVIRONMENT | {"TMPDIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, endurance.__file__, *map(str, command)],
        stdout=subprocess.PIPE,
        env=environment,
        check=True,
    )
    return json.loads(done.stdout)


@every_kind
def test_children_killed_at_random_moments_leave_nothing_and_the_grader_is_as_it_was(kind, tmp_path):
    count = max(KILLS // (SPAWNED_SHARE if kind == "spawned" else 1), 10)
    told = carried_out(tmp_path, "children", count, kind)
    print(json.dumps(told))  # noqa: T201 - shown by pytest -s, and when this fails
    assert told["outcomes"]["CRASHED"] > count / 4, "children were killed at work"
    assert told["wrong"] == [], "between them a right answer is always right"
    assert set(told["left"].values()) == {0}
    assert told["mounts"]
    assert told["threads"] == 1
    settled, *later = told["sizes"][len(told["sizes"]) // 4 :]
    for resident, descriptors in later:
        assert resident < settled[0] + GROWTH_KIB
        assert descriptors == settled[1]
    assert list(tmp_path.iterdir()) == []


@every_kind
def test_a_grader_killed_at_any_moment_leaves_no_process_mount_or_folder(kind, tmp_path):
    told = carried_out(tmp_path, "graders", GRADERS, kind)
    print(json.dumps(told))  # noqa: T201 - as above
    assert told["left"] == []
    assert told["mounts"]
    assert told["busy"], "some had a child at the time"


@pytest.mark.skipif(Layers() != BEST, reason="this machine lacks a layer: not run")
def test_a_zygote_that_has_started_many_children_is_as_it_was(tmp_path):
    """So there is no need to replace it every so often."""
    told = carried_out(tmp_path, "drift", CHILDREN)
    print(json.dumps(told))  # noqa: T201 - as above
    sizes = told["sizes"][len(told["sizes"]) // 4 :]
    assert max(resident for resident, _ in sizes) < sizes[0][0] + GROWTH_KIB
    assert len({descriptors for _, descriptors in sizes}) == 1
    assert told["limits"] == 1, "every child gets the same limits"
    assert told["zygotes"] == 1


SLEEPER = source("import time\ndef f(s):\n    time.sleep(s)\n    return 'rested'\n")


def asked(worker, seconds):
    return worker.call(("f",), (seconds,), {}, tensors=False)


def test_a_zygote_that_dies_costs_one_call_and_the_same_worker_goes_on():
    with contextlib.closing(ForkLauncher(BEST)) as launcher, Worker(launcher, SLEEPER, Profile()) as worker:
        worker.begin(20.0)
        (zygote,) = launcher._zygotes.values()
        threading.Timer(0.1, zygote._process.kill).start()
        with pytest.raises(IsolationError, match="zygote"):
            asked(worker, 1000)
        worker.begin(20.0)
        assert asked(worker, 0) == "rested"
        assert launcher._zygotes
        assert zygote not in launcher._zygotes.values()


class TestGuardian:
    @pytest.fixture
    def watched(self, tmp_path):
        """A guardian in the hands of a process that can be killed; yields the process, and what it watches."""
        script = (
            "import subprocess, sys, time\n"
            "from grader.isolation.guardian import Guardian\n"
            "guardian, folder = Guardian(), sys.argv[1]\n"
            "guardian.watch(folder)\n"
            "busy = subprocess.Popen([sys.executable, '-c', 'while True: pass'], start_new_session=True)\n"
            "guardian.watch(folder, busy.pid)\n"
            "guardian.watch(folder + '-over')\n"
            "guardian.release(folder + '-over')\n"
            "print(busy.pid, guardian._process.pid, flush=True)\n"
            "time.sleep(1000)\n"
        )
        (tmp_path / "folder").mkdir()
        (tmp_path / "folder" / "file").touch()
        (tmp_path / "folder-over").mkdir()
        process = subprocess.Popen(
            [sys.executable, "-c", script, str(tmp_path / "folder")],
            stdout=subprocess.PIPE,
            env=os.environ | frames.ENVIRONMENT,
        )
        pids = [int(word) for word in process.stdout.readline().split()]
        yield process, pids
        process.kill()
        process.wait()
        process.stdout.close()
        for pid in pids:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)

    def test_it_ends_what_it_watches_when_its_grader_is_killed(self, watched, tmp_path):
        process, pids = watched
        assert not set(pids) & gone(pids)
        process.kill()
        assert processes.until(lambda: gone(pids) == set(pids), 20.0)
        assert [path.name for path in tmp_path.iterdir()] == ["folder-over"], "what was released is left alone"

    def test_a_killed_guardian_is_replaced_and_knows_what_the_first_one_knew(self, tmp_path):
        watcher = guardian.Guardian()
        folder = tmp_path / "folder"
        folder.mkdir()
        watcher.watch(str(folder))
        watcher._process.kill()
        watcher._process.wait()
        watcher.watch(str(tmp_path / "other"))
        watcher.close()
        assert not folder.exists()

    def test_closing_a_launcher_ends_it(self):
        with contextlib.closing(tiers.launcher(endurance.LAYERS["spawned"])) as launcher:
            launcher.start(Profile()).close()
            pid = launcher._guardian._process.pid
            assert not gone([pid])
        assert gone([pid])


def gone(pids):
    """Which of these processes have ended."""
    states = processes.table()
    return {pid for pid in pids if pid not in states or states[pid][0] in "ZX"}
