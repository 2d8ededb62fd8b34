"""Children forked from a zygote, as their parent sees them: channels, limits watched, ends, and nothing left behind."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pytest
from attackers import BARE, LOCKED, best_layers, run, start

from grader.errors import IsolationError
from grader.isolation import libraries
from grader.isolation.forked import ForkedChild, ForkLauncher
from grader.isolation.inside.lockdown import folders, pages
from grader.isolation.profile import Exit, Layers, Profile, Source, SourceFile
from grader.isolation.worker import Worker
from grader.isolation.zygotes import LayerError

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="children are forked on Linux only")

BEST = best_layers()
REFUSING = Path(__file__).with_name("refusing.py")
ROOT = Path(__file__).parent.parent
SECONDS = 20.0  # far more than anything here takes; a test that waits this long has failed
ECHO = """
while data := os.read(3, 65536):
    os.write(results, data)
"""


@pytest.fixture(scope="module")
def launcher():
    with contextlib.closing(ForkLauncher(BEST)) as made:
        yield made


@pytest.fixture
def child(launcher, request):
    with contextlib.closing(start(launcher, request.param)) as made:
        yield made


def until(condition, child=None):
    """Wait until a condition holds; fail if it never does."""
    deadline = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        if child is None:
            time.sleep(0.005)
        else:
            child.wait(0.05)


def ended(child):
    until(lambda: child.ended() is not None, child)
    return child.ended()


def running(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def family(pid):
    """All processes below one, itself included."""
    children = {}
    for entry in Path("/proc").iterdir():
        with contextlib.suppress(OSError, ValueError):
            parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            children.setdefault(parent, []).append(int(entry.name))
    found, queue = [], [pid]
    while queue:
        found.append(queue.pop())
        queue += children.get(found[-1], [])
    return found


class TestChannels:
    @pytest.mark.parametrize("child", [ECHO], indirect=True)
    def test_what_is_written_comes_back_in_order_however_large(self, child):
        data = os.urandom(3 * 2**20)
        unsent, back = memoryview(data), b""
        deadline = time.monotonic() + SECONDS
        while len(back) < len(data):
            assert time.monotonic() < deadline
            unsent = unsent[child.write(unsent) :] if unsent else unsent
            child.wait(1.0, writing=bool(unsent))
            back += child.reply()
        assert back == data

    @pytest.mark.parametrize("child", ["os.read(3, 1)"], indirect=True)
    def test_nothing_is_there_before_the_child_speaks(self, child):
        assert child.reply() == b""
        assert child.output() == b""
        assert child.ended() is None

    @pytest.mark.parametrize(
        "child", ["os.read(3, 1); print('out'); os.write(2, b'err'); os.write(results, b'reply')"], indirect=True
    )
    def test_output_is_both_streams_and_apart_from_replies(self, child):
        child.write(memoryview(b"x"))
        ended(child)
        assert child.reply() == b"reply"
        assert child.output() in (b"errout\n", b"out\nerr")

    @pytest.mark.parametrize(
        "child", ["os.close(3); os.write(results, b'x'); import time; time.sleep(60)"], indirect=True
    )
    def test_writing_to_a_child_that_closed_its_channel_sends_nothing(self, child):
        until(child.reply, child)
        assert child.write(memoryview(b"y")) == 0
        assert child.ended() is None

    @pytest.mark.parametrize("child", ["os.close(4); os.write(1, b'x'); import time; time.sleep(60)"], indirect=True)
    def test_a_closed_reply_channel_does_not_keep_waking_us(self, child):
        until(child.output, child)
        assert child.reply() == b""
        assert not child._reading.poll(0), "waiting would return at once, for ever"

    @pytest.mark.parametrize("child", ["import time; time.sleep(60)"], indirect=True)
    def test_a_full_channel_takes_nothing_and_does_not_block(self, child):
        data = memoryview(bytes(2**20))
        sent = 0
        while taken := child.write(data):
            sent += taken
        assert 0 < sent < 2**24

    @pytest.mark.parametrize("child", ["os.read(3, 1); os.write(results, b'now')"], indirect=True)
    def test_waiting_ends_when_something_arrives(self, child):
        child.write(memoryview(b"x"))
        child.wait(SECONDS)
        assert child.reply() == b"now"


class TestEnds:
    @pytest.mark.parametrize(
        ("script", "how"),
        [
            ("pass", Exit(code=0)),
            ("os._exit(7)", Exit(code=7)),
            ("import sys; sys.exit(3)", Exit(code=3)),
            ("import sys; sys.exit('text')", Exit(code=1)),
            ("raise ValueError", Exit(code=1)),
            ("os.abort()", Exit(signal=signal.SIGABRT)),
            ("import ctypes; ctypes.string_at(0)", Exit(signal=signal.SIGSEGV)),
            ("os.kill(os.getpid(), 9)", Exit(signal=signal.SIGKILL)),
            ("os.kill(os.getpid(), 15)", Exit(signal=signal.SIGTERM)),
        ],
    )
    def test_how_it_ended_is_told_as_it_was(self, launcher, script, how):
        with contextlib.closing(start(launcher, script)) as child:
            assert ended(child) == how
            assert child.kill() == how, "killing what has ended changes nothing"

    @pytest.mark.parametrize(
        "script",
        [
            "import time; time.sleep(60)",
            "import signal as s\ns.signal(15, s.SIG_IGN)\ns.pthread_sigmask(0, s.valid_signals())\nwhile True: pass",
            "os.kill(os.getpid(), 19)",
        ],
        ids=["sleeping", "busy and deaf", "stopped"],
    )
    def test_it_can_always_be_killed(self, launcher, script):
        with contextlib.closing(start(launcher, "os.write(results, b'x')\n" + script)) as child:
            until(child.reply, child)
            child.wait(0.05)
            assert child.kill() == Exit(signal=signal.SIGKILL)
            assert child.ended() == Exit(signal=signal.SIGKILL)
            assert child.kill() == Exit(signal=signal.SIGKILL)

    @pytest.mark.parametrize(
        "child", ["import os; os.close(3); os.close(4); os.close(1); os.close(2)\nwhile True: pass"], indirect=True
    )
    def test_one_that_closed_every_channel_can_be_killed(self, child):
        child.wait(0.05)
        assert child.kill() == Exit(signal=signal.SIGKILL)

    def test_an_endless_loop_at_exit_cannot_outlive_its_script(self, launcher):
        script = "import atexit\n@atexit.register\ndef _():\n    while True: pass"
        with contextlib.closing(start(launcher, script)) as child:
            assert ended(child) == Exit(code=0)


class TestMeasures:
    @pytest.mark.parametrize("child", ["while True: pass"], indirect=True)
    def test_processor_time_is_counted_from_outside(self, child):
        until(lambda: child.cpu_seconds() > 0.05, child)
        child.kill()
        assert child.cpu_seconds() > 0.05, "the last figure stays"

    @pytest.mark.parametrize(
        "child", ["os.read(3, 1); held = b'1' * (100 * 2**20); os.write(results, b'x'); os.read(3, 1)"], indirect=True
    )
    def test_memory_is_measured_from_outside(self, child):
        before = child.rss_bytes()
        child.write(memoryview(b"x"))
        until(child.reply, child)
        assert 95 * 2**20 < child.rss_bytes() - before < 140 * 2**20
        child.kill()
        assert child.rss_bytes() is None

    def test_memory_is_measured_also_when_the_first_thread_has_ended(self, launcher):
        """The kernel tells a process's size by its first thread, and nothing of one that has ended."""
        script = """
import threading, ctypes
def grow():
    os.read(3, 1)
    held = b"1" * (100 * 2**20)
    os.write(results, b"x")
    os.read(3, 1)
threading.Thread(target=grow).start()
ctypes.CDLL(None).syscall(EXIT, 0)
""".replace("EXIT", {"x86_64": "60", "aarch64": "93"}[os.uname().machine])
        with contextlib.closing(start(launcher, script)) as child:
            before = child.rss_bytes()
            child.write(memoryview(b"x"))
            until(child.reply, child)
            until(lambda: "Z" in Path(f"/proc/{child.pid}/stat").read_text().rpartition(")")[2], child)
            assert child.rss_bytes() - before > 95 * 2**20

    def test_many_threads_count_as_memory(self, launcher):
        """The kernel's own limit on them does not hold for root."""
        script = """
import threading
threading.stack_size(2**16)
for _ in range(400):
    threading.Thread(target=os.read, args=(3, 1), daemon=True).start()
os.write(results, b"x")
os.read(3, 1)
"""
        with contextlib.closing(start(launcher, script)) as child:
            until(child.reply, child)
            assert child.rss_bytes() > 80 * 2**20

    @pytest.mark.skipif(not BEST.rlimits, reason="no limits here")
    def test_asking_for_more_than_allowed_is_a_memory_error(self, launcher):
        assert run(launcher, "attempt(lambda: bytearray(600 * 2**20))", memory_mib=256) == [["refused", "MemoryError"]]
        assert run(launcher, "attempt(lambda: len(bytearray(200 * 2**20)))", memory_mib=256) == [
            ["got", str(200 * 2**20)]
        ]


class TestZygotes:
    def test_one_zygote_serves_many_children(self, launcher):
        zygotes = {(run(launcher, "say(os.getppid())")[0], launcher._zygotes[libraries.Kind()]) for _ in range(3)}
        assert len(zygotes) == 1

    def test_each_child_starts_afresh(self, launcher):
        script = "import sys; say(hasattr(sys, 'mark')); sys.mark = 1; os.environ['MARK'] = '1'"
        assert [run(launcher, script) for _ in range(2)] == [[False], [False]]

    def test_two_children_live_side_by_side(self, launcher):
        with contextlib.closing(start(launcher, ECHO)) as one, contextlib.closing(start(launcher, ECHO)) as other:
            one.write(memoryview(b"one"))
            other.write(memoryview(b"other"))
            for child, text in ((other, b"other"), (one, b"one")):
                child.wait(SECONDS)
                assert child.reply() == text
            one.kill()
            assert other.ended() is None

    def test_a_dead_zygote_takes_its_children_along_and_is_replaced(self):
        with contextlib.closing(ForkLauncher(BEST)) as launcher:
            child = start(launcher, "import time; time.sleep(60)")
            (zygote,) = launcher._zygotes.values()
            zygote._process.kill()
            until(lambda: not running(child.pid))
            child.close()
            assert run(launcher, "say(1)") == [1]

    def test_one_that_imports_a_thread_is_refused(self, tmp_path, monkeypatch):
        (tmp_path / "threaded.py").write_text(
            "import threading, time\nthreading.Thread(target=time.sleep, args=(60,), daemon=True).start()\n"
        )
        monkeypatch.syspath_prepend(str(tmp_path))
        with contextlib.closing(ForkLauncher(BEST)) as launcher, pytest.raises(IsolationError, match="thread"):
            start(launcher, "pass", kind=libraries.Kind(imports=("threaded",)))

    def test_signals_that_the_grader_ignores_still_end_a_child(self):
        before = signal.signal(signal.SIGTERM, signal.SIG_IGN)
        try:
            script = "os.kill(os.getpid(), 15); os._exit(1)"
            with (
                contextlib.closing(ForkLauncher(BEST)) as launcher,
                contextlib.closing(start(launcher, script)) as child,
            ):
                assert ended(child) == Exit(signal=signal.SIGTERM)
        finally:
            signal.signal(signal.SIGTERM, before)

    def test_one_that_forks_often_goes_on_as_before(self, launcher):
        assert [run(launcher, f"say({number})") for number in range(20)] == [[number] for number in range(20)]

    def test_only_whole_huge_pages_of_its_own_memory_are_moved(self):
        maps = (
            "1ff000-a01000 rw-p 00000000 00:00 0 \n"
            "c00000-e00000 rw-p 00000000 00:00 0    [heap]\n"
            "1000000-1600000 rw-p 00000000 08:01 77 /usr/lib/library.so\n"
            "2000000-2600000 r--p 00000000 00:00 0 \n"
            "3000000-3100000 rw-p 00000000 00:00 0 \n"
        )
        assert list(pages._own_regions(maps)) == [(0x200000, 0xA00000), (0xC00000, 0xE00000)]

    def test_what_is_not_installed_is_named(self):
        launcher = ForkLauncher(BEST, preload=("no_such_library",))
        with contextlib.closing(launcher), pytest.raises(IsolationError, match="no_such_library"):
            launcher.start(Profile())

    def test_its_environment_is_fixed(self, launcher, monkeypatch):
        monkeypatch.setenv("ATEN_CPU_CAPABILITY", "avx2")
        monkeypatch.setenv("PYTHONPATH", "/somewhere")
        environment = libraries.environment(cuda=False)
        assert environment["ATEN_CPU_CAPABILITY"] == "avx2"
        assert {name: environment[name] for name in ("OMP_NUM_THREADS", "PYTHONHASHSEED", "TZ")} == {
            "OMP_NUM_THREADS": "1",
            "PYTHONHASHSEED": "0",
            "TZ": "UTC",
        }
        assert "PYTHONPATH" not in environment
        (inside,) = run(launcher, "say(sorted(os.environ))")
        assert set(inside) == set(environment) | {"HOME", "TMPDIR"} or "ATEN_CPU_CAPABILITY" not in inside


class TestPromises:
    @pytest.mark.parametrize("layer", ["namespaces", "landlock", "seccomp"])
    def test_a_layer_that_is_refused_is_an_error_that_names_it(self, layer):
        script = (
            "from grader.isolation.forked import ForkLauncher\n"
            "from grader.isolation.profile import Layers\n"
            "from grader.isolation.zygotes import LayerError\n"
            f"only = {{name: False for name in ('namespaces', 'landlock', 'seccomp')}} | {{{layer!r}: True}}\n"
            "launcher = ForkLauncher(Layers(**only))\n"
            "try:\n    launcher.attack({}, memory_mib=64)\n"
            "except LayerError as error:\n    print(error.layer)\n"
            "finally:\n    launcher.close()\n"
        )
        assert python(script, refusing=layer).split() == [layer]

    def test_a_child_that_says_that_it_is_not_locked_down_is_an_error(self, launcher, monkeypatch):
        monkeypatch.setattr(ForkedChild, "reply", lambda _: b'{"error": "rlimits: no", "layer": "rlimits"}\n')
        with pytest.raises(LayerError, match="rlimits: no"):
            start(launcher, "os.read(3, 1)")

    def test_a_child_that_says_nothing_is_an_error(self, launcher, monkeypatch):
        monkeypatch.setattr(ForkedChild, "reply", lambda _: b"")
        with pytest.raises(IsolationError, match="sign of life"):
            start(launcher, "pass")


class TestNothingIsLeft:
    def test_after_close(self):
        def state():
            return sorted(entry.name for entry in Path("/proc/self/fd").iterdir()), sorted(
                Path(tempfile.gettempdir()).glob("grader-*/tmp*")
            )

        for layers in {BEST, BARE}:
            with contextlib.closing(ForkLauncher(BEST)) as warm:  # what Python itself opens once
                run(warm, "pass")
            before = state()
            launcher = ForkLauncher(layers)
            children = [
                start(launcher, "open('file', 'w').write('x'); os.mkdir('folder', 0); import time; time.sleep(60)")
                for _ in range(3)
            ]
            (zygote,) = launcher._zygotes.values()
            pids = [*family(zygote._process.pid), *(child.pid for child in children)]
            children[0].close()
            children[0].close()
            children[1].kill()
            launcher.close()
            launcher.close()
            for child in children:
                child.close()
            assert not any(map(running, pids))
            assert not zygote.folder or not Path(zygote.folder).exists()
            assert state() == before

    @pytest.mark.parametrize("layers", sorted({BEST, BARE, Layers(namespaces=False)}, key=str), ids=str)
    def test_after_the_grader_was_killed(self, layers):
        script = f"""
import os, sys, time
sys.path.insert(0, {str(ROOT / "tests")!r})
from attackers import start
from grader.isolation.forked import ForkLauncher
from grader.isolation.profile import Layers
launcher = ForkLauncher({layers!r})
children = [start(launcher, "import time; time.sleep(600)"), start(launcher, "while True: pass")]
(zygote,) = launcher._zygotes.values()
if os.fork() == 0:  # a fork of the grader keeps the sockets open; it must not keep the children alive
    time.sleep(30)
    os._exit(0)
print(*(child.pid for child in children), zygote._process.pid, zygote.folder or "-", flush=True)
time.sleep(600)
"""
        with contextlib.suppress(LayerError):
            grader = subprocess.Popen(
                [sys.executable, "-c", script], stdout=subprocess.PIPE, cwd=ROOT, text=True, start_new_session=True
            )
            *pids, folder = grader.stdout.readline().split()
            everyone = {pid for known in map(int, pids) for pid in family(known)}
            assert all(map(running, everyone))
            grader.kill()
            grader.wait()
            try:
                until(lambda: not any(map(running, everyone)))
                until(lambda: not Path(folder).exists())
            finally:
                os.killpg(grader.pid, signal.SIGKILL)
                grader.stdout.close()

    def test_removing_a_childs_folder_touches_nothing_that_a_link_leads_to(self, tmp_path):
        outside, folder = tmp_path / "outside", tmp_path / "folder"
        outside.mkdir(mode=0o500)
        (folder / "closed").mkdir(parents=True, mode=0o000)
        (folder / "link").symlink_to(outside)
        (outside / "kept").touch()
        (folder / "file").write_text("x")
        folders.remove(str(folder))
        assert sorted(path.name for path in tmp_path.iterdir()) == ["outside"]
        assert (outside / "kept").exists()
        assert outside.stat().st_mode & 0o777 == 0o500

    def test_a_childs_folder_is_removed_however_deep_it_is(self, tmp_path):
        """Deeper than Python's stack, than a path may be long, than descriptors may be open."""
        place = os.open(tmp_path, os.O_RDONLY)
        for name in ["folder", *["deeper" * 8] * 1200]:
            os.mkdir(name, dir_fd=place)
            place, above = os.open(name, os.O_RDONLY, dir_fd=place), place
            os.close(above)
        os.close(os.open("file", os.O_CREAT | os.O_WRONLY, dir_fd=place))
        os.close(place)
        folders.remove(str(tmp_path / "folder"))
        assert list(tmp_path.iterdir()) == []

    def test_by_a_fork_of_the_grader_that_uses_the_launcher(self, launcher):
        run(launcher, "pass")
        ours = launcher._zygotes[libraries.Kind()]
        reader, writer = os.pipe()
        pid = os.fork()
        if pid == 0:
            said = run(launcher, "say('there')")
            own = launcher._zygotes[libraries.Kind()] is not ours
            launcher.close()
            os.write(writer, json.dumps([*said, own]).encode())
            os._exit(0)
        os.close(writer)
        assert json.loads(os.read(reader, 1000)) == ["there", True]
        os.close(reader)
        os.waitpid(pid, 0)
        assert run(launcher, "say('still here')") == ["still here"]


class TestServing:
    SOURCE = Source(
        "double", SourceFile("double.py", ("import numpy as np\ndef f(x):\n    return 2 * np.asarray(x)\n",))
    )

    def test_a_worker_calls_a_function_in_it(self, launcher):
        with Worker(launcher, self.SOURCE, Profile()) as worker:
            worker.begin(5.0)
            got = worker.call(("f",), (np.arange(3.0),), {}, tensors=False)
        assert got.tolist() == [0.0, 2.0, 4.0]

    @pytest.mark.torch
    def test_torch_is_ready_and_uses_the_pinned_kernels(self, launcher):
        text = (
            "import sys, torch\n"
            "def f(x):\n"
            "    ready = 'torch._dynamo' in sys.modules\n"
            "    return [x * 2, torch.backends.cpu.get_cpu_capability(), torch.get_num_threads(), ready]\n"
        )
        source = Source("double", SourceFile("double.py", (text,)))
        with Worker(launcher, source, Profile(torch=True)) as worker:
            worker.begin(5.0)
            doubled, capability, threads, ready = worker.call(("f",), (np.arange(3.0),), {}, tensors=True)
        assert doubled.tolist() == [0.0, 2.0, 4.0]
        pinned = libraries.environment(cuda=False).get("ATEN_CPU_CAPABILITY")
        assert pinned in (None, capability.lower())
        assert threads == 1
        assert ready

    @pytest.mark.gpu
    def test_a_gpu_is_within_reach_of_a_child(self, launcher):
        text = "def f(x):\n    assert x.is_cuda\n    return (x * 2).sum()\n"
        source = Source("double", SourceFile("double.py", (text,)))
        with Worker(launcher, source, Profile(torch=True, device="cuda", memory_mib=4096)) as worker:
            worker.begin(60.0)
            assert worker.call(("f",), (np.arange(4.0),), {}, tensors=True) == 12.0

    def test_profiles_of_one_kind_share_a_zygote_and_hidden_packages_make_another(self):
        with contextlib.closing(ForkLauncher(BEST)) as launcher:
            for profile in (
                Profile(),
                Profile(memory_mib=300, threads=2),
                Profile(hidden_packages=("grader", "torch")),
            ):
                launcher.start(profile).close()
            assert len(launcher._zygotes) == 2


def python(script, *, refusing):
    """Run a script on a machine that refuses a layer; return what it printed."""
    command = [sys.executable, str(REFUSING), refusing, sys.executable, "-c", script]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True, timeout=60).stdout


def test_the_refusing_machine_refuses():
    """A control of the helper: each feature fails under it."""
    script = (
        "import ctypes, os\n"
        "libc = ctypes.CDLL(None)\n"
        "print(libc.unshare(0x10000000), libc.syscall(444, None, 0, 1), libc.prctl(22, 2, 0, 0, 0))"
    )
    assert python(script, refusing="namespaces,landlock,seccomp").split() == ["-1", "-1", "-1"]


def test_a_launcher_says_what_it_builds():
    launcher = ForkLauncher(LOCKED)
    assert launcher.layers == LOCKED
    launcher.close()
