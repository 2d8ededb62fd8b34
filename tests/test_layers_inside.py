"""What a locked-down child can reach. Each attack is also run with the protection off, where it must work."""

from __future__ import annotations

import contextlib
import importlib
import os
import sys
from pathlib import Path

import pytest
from attackers import BARE, LOCKED, NO_NAMESPACES, PRELUDE, best_layers, finish, run, start

from grader.isolation import libraries, probing, tiers
from grader.isolation.forked import ForkLauncher
from grader.isolation.inside.lockdown.attacks import ATTACKS

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the layers are Linux's")

BEST = best_layers()
HAS_NAMESPACES = pytest.mark.skipif(not BEST.namespaces, reason="user namespaces are refused here")
HAS_LANDLOCK = pytest.mark.skipif(not BEST.landlock, reason="Landlock is refused here")
LOCKED_HERE = pytest.param(LOCKED, marks=[HAS_NAMESPACES, HAS_LANDLOCK], id="all layers")
NO_NAMESPACES_HERE = pytest.param(NO_NAMESPACES, marks=HAS_LANDLOCK, id="no namespaces")


@pytest.fixture(scope="module")
def launchers():
    """Launchers by their layers, kept for the module: a zygote is the dear part."""
    made = {}
    with contextlib.ExitStack() as stack:

        def launcher(layers):
            if layers not in made:
                made[layers] = stack.enter_context(contextlib.closing(ForkLauncher(layers)))
            return made[layers]

        yield launcher


@pytest.fixture(scope="module")
def probed(launchers):
    results = {}

    def probe(layers):
        if layers not in results:
            results[layers] = probing.probe(probing.in_forked_child(launchers(layers)))
        return results[layers]

    return probe


class TestProbes:
    @HAS_NAMESPACES
    @HAS_LANDLOCK
    @pytest.mark.parametrize("attack", sorted(ATTACKS))
    def test_all_layers_contain_every_attack(self, probed, attack):
        assert probed(LOCKED)[attack] == "contained"

    @HAS_LANDLOCK
    @pytest.mark.parametrize("attack", sorted(set(ATTACKS) - {"stat", "quota"}))
    def test_without_namespaces_all_but_two_are_contained(self, probed, attack):
        assert probed(NO_NAMESPACES)[attack] == "contained"

    @pytest.mark.parametrize("attack", sorted(set(ATTACKS) - {"balloon", "memory"}))
    def test_with_all_protection_off_the_attack_works(self, probed, attack):
        assert probed(BARE)[attack] == "open"

    @pytest.mark.skipif(os.getuid() != 0, reason="reading another process may need root: yama decides")
    def test_with_all_protection_off_memory_can_be_read(self, probed):
        assert probed(BARE)["memory"] == "open"

    def test_with_no_watch_and_no_limit_the_balloon_fills(self, launchers):
        with contextlib.closing(
            launchers(BARE).attack({"attacks": ["balloon"], "balloon_mib": 64}, memory_mib=16)
        ) as child:
            assert finish(child) == [{"attack": "balloon", "got": "64 MiB"}]


# What a child asks of the kernel, and how the machine answers once the child is locked down. Every entry works
# with the protection off, or fails there in another way: see the control below it.
CALLS = {
    "a datagram pair, which could send to any named socket": (
        "import socket; attempt(lambda: socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM))",
        "EPERM",
    ),
    "a netlink socket": ("import socket; attempt(lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW))", "EPERM"),
    "memory in no file": ("attempt(lambda: os.memfd_create('x'))", "EPERM"),
    "a signal by way of a pipe": ("import fcntl; attempt(lambda: fcntl.fcntl(3, 8, os.getppid()))", "EPERM"),
    "a larger pipe": ("import fcntl; r, w = os.pipe(); attempt(lambda: fcntl.fcntl(w, 1031, 2**20))", "EPERM"),
    "to be traced": ("attempt(lambda: call(__import__('ctypes') and PTRACE, 0, 0, 0, 0))", "EPERM"),
    "to outlive the zygote": ("attempt(lambda: PRCTL(1, 0))", "EPERM"),
    "to be dumped": ("attempt(lambda: PRCTL(4, 1))", "EPERM"),
    "a user namespace": ("import ctypes; attempt(lambda: UNSHARE(0x10000000))", "EPERM"),
    "io_uring": ("attempt(lambda: call(425, 0, 0))", "EPERM"),
    "a key": ("attempt(lambda: call(KEYCTL, 0, -4, 1))", "EPERM"),
    "shared memory of System V": ("attempt(lambda: call(SHMCTL, call(SHMGET, 0, 4096, 0o1600), 0, 0))", "EPERM"),
    "a lock that others see": ("import fcntl; attempt(lambda: fcntl.flock(os.open('.', 0), 2))", "EPERM"),
    "a handle of the zygote": ("attempt(lambda: os.pidfd_open(os.getppid()))", "EPERM"),
    "an attribute on a file": ("open('f', 'w').close(); attempt(lambda: os.setxattr('f', 'user.x', b'1'))", "EPERM"),
    "another owner": ("open('f', 'w').close(); attempt(lambda: os.chown('f', -1, -1))", "EPERM"),
    "a call not yet known": ("attempt(lambda: call(900))", "ENOSYS"),
}
NUMBERS = {
    "x86_64": {"PTRACE": 101, "KEYCTL": 250, "SHMGET": 29, "SHMCTL": 31},
    "aarch64": {"PTRACE": 117, "KEYCTL": 219, "SHMGET": 194, "SHMCTL": 195},
}
HELPERS = """
import ctypes
libc = ctypes.CDLL(None, use_errno=True)

def checked(result):
    if result < 0:
        raise OSError(ctypes.get_errno(), "")
    return result

PRCTL = lambda *args: checked(libc.prctl(*args, 0, 0, 0))
UNSHARE = lambda flags: checked(libc.unshare(flags))
"""


def asked(script: str) -> str:
    numbers = "".join(f"{name} = {number}\n" for name, number in NUMBERS.get(os.uname().machine, {}).items())
    return numbers + HELPERS + script


class TestCalls:
    @pytest.mark.parametrize("layers", [LOCKED_HERE, NO_NAMESPACES_HERE])
    @pytest.mark.parametrize("what", CALLS)
    def test_a_child_is_refused(self, launchers, layers, what):
        script, error = CALLS[what]
        assert run(launchers(layers), asked(script)) == [["refused", error]]

    @pytest.mark.parametrize("what", sorted(set(CALLS) - {"a call not yet known"}))
    def test_without_the_filter_it_is_not(self, launchers, what):
        script, error = CALLS[what]
        (answer,) = run(launchers(BARE), asked(script))
        assert answer != ["refused", error]

    @pytest.mark.parametrize("layers", [LOCKED_HERE, NO_NAMESPACES_HERE])
    def test_what_honest_code_needs_is_allowed(self, launchers, layers):
        script = """
import asyncio, signal, socket, tempfile, threading
threads = [threading.Thread(target=lambda: None) for _ in range(8)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
a, b = socket.socketpair()
a.send(b"x")
say(b.recv(1).decode())
say(asyncio.run(asyncio.sleep(0, "slept")))
with tempfile.NamedTemporaryFile("w+") as file:
    file.write("text")
    file.seek(0)
    say(file.read())
open("/dev/null", "w").write("x")
say(len(os.urandom(4)))
os.kill(os.getpid(), 0)
import decimal, sqlite3
say("imported")
"""
        assert run(launchers(layers), script) == ["x", "slept", "text", 4, "imported"]


class TestState:
    """What the kernel says of a child, seen from outside."""

    @pytest.fixture(params=[LOCKED_HERE, NO_NAMESPACES_HERE])
    def child(self, launchers, request):
        child = start(launchers(request.param), "say(sorted(os.environ)); os.read(3, 1)")
        yield child
        child.close()

    def test_capabilities_filter_and_privileges(self, child):
        facts = dict(line.split(":\t", 1) for line in Path(f"/proc/{child.pid}/status").read_text().splitlines())
        assert [facts[name] for name in ("CapEff", "CapPrm", "CapInh", "CapAmb")] == ["0" * 16] * 4
        assert facts["CapBnd"] == "0" * 16 or os.getuid() != 0
        assert [facts[name] for name in ("Seccomp", "NoNewPrivs", "Threads")] == ["2", "1", "1"]

    @pytest.mark.skipif(os.getuid() != 0, reason="a child cannot be looked into")
    def test_it_holds_its_five_descriptors_and_nothing_else(self, child):
        held = {int(entry.name): str(entry.readlink()) for entry in Path(f"/proc/{child.pid}/fd").iterdir()}
        assert sorted(held) == [0, 1, 2, 3, 4]
        assert held[0] == "/dev/null"
        assert held[1] == held[2]
        assert all(held[number].startswith("pipe:") for number in (1, 3, 4))

    def test_it_has_a_session_of_its_own(self, child):
        assert os.getsid(child.pid) == child.pid


def test_no_secret_of_the_graders_environment_or_arguments_is_inside(monkeypatch):
    monkeypatch.setenv("GRADER_TOKEN", "hush-hush")
    monkeypatch.setattr(sys, "argv", ["grade", "hush-hush"])
    with contextlib.closing(ForkLauncher(BARE)) as launcher:
        files = "[attempt(lambda: open('/proc/self/' + name).read()) for name in ('environ', 'cmdline')]"
        said = run(launcher, f"import sys; say([sys.argv, dict(os.environ)]); {files}")
    assert "zygote" in str(said), "the command line was not read"
    assert "hush" not in str(said)


def test_strings_hash_alike_in_every_zygote():
    hashes = []
    for _ in range(2):
        with contextlib.closing(ForkLauncher(BARE)) as launcher:
            hashes += run(launcher, "say(hash('alike'))")
    assert hashes[0] == hashes[1]


@pytest.mark.parametrize("layers", [LOCKED_HERE, NO_NAMESPACES_HERE])
def test_the_processor_can_be_recognised(launchers, layers):
    """Libraries choose their kernels by these files; hidden, they would compute other last digits."""
    script = "say([open(p).read() for p in ('/proc/cpuinfo', '/sys/devices/system/cpu/possible')]); say(os.cpu_count())"
    files, count = run(launchers(layers), script)
    models = [[line for line in text.splitlines() if "MHz" not in line] for text in files]
    assert models[0] == [line for line in Path("/proc/cpuinfo").read_text().splitlines() if "MHz" not in line]
    assert models[1] == [Path("/sys/devices/system/cpu/possible").read_text().strip()]
    assert count == os.cpu_count()


class TestRoot:
    """What a child with namespaces finds around it."""

    pytestmark = HAS_NAMESPACES

    def test_it_holds_nothing_but_what_libraries_need(self, launchers):
        (entries,) = run(launchers(LOCKED), "say(sorted(os.listdir('/')))")
        assert {"home", "mnt", "srv", "boot", "run", "var", "opt", "media"}.isdisjoint(
            set(entries) - outer_of_libraries()
        )
        assert run(launchers(LOCKED), "say(sorted(os.listdir('/proc')))") == [["cpuinfo", "meminfo"]]
        assert run(launchers(LOCKED), "say(sorted(os.listdir('/dev')))") == [["null", "urandom", "zero"]]
        assert run(launchers(LOCKED), "say(sorted(os.listdir('/etc')))") in ([["ld.so.cache"]], [[]])

    def test_nothing_but_its_own_folder_can_be_written(self, launchers):
        places = ("/", "/usr/lib", "/dev", "/sys/devices/system/cpu")
        script = f"[attempt(lambda: open(place + '/x', 'w')) for place in {places}]"
        assert {tuple(answer) for answer in run(launchers(LOCKED), script)} <= {
            ("refused", "EROFS"),
            ("refused", "EACCES"),
        }

    def test_its_folder_is_small(self, launchers):
        script = """
def fill():
    for number in range(100):
        with open(f"f{number}", "wb") as file:
            file.write(bytes(2**20))
attempt(fill)
say(sum(os.stat(name).st_size for name in os.listdir(".")) // 2**20)
"""
        answer, mib = run(launchers(LOCKED), script, memory_mib=64)
        assert answer == ["refused", "ENOSPC"]
        assert mib == 8

    def test_it_holds_few_files(self, launchers):
        script = "attempt(lambda: [open(f'f{number}', 'w').close() for number in range(10_000)])"
        assert run(launchers(LOCKED), script) == [["refused", "ENOSPC"]]

    def test_two_children_share_no_folder(self, launchers):
        script = "open('/w/left', 'w').close(); say('made'); os.read(3, 1); say(os.listdir('/w'))"
        with contextlib.closing(start(launchers(LOCKED), script)) as first:
            while not first.reply():
                first.wait(5)
            assert run(launchers(LOCKED), "say(os.listdir('.')); say(os.listdir('/tmp'))") == [[], []]
            first.write(memoryview(b"x"))
            assert finish(first) == [["left"]]

    def test_it_sees_no_process_but_its_own(self, launchers):
        assert run(launchers(LOCKED), "say([os.getppid(), os.getuid()])") == [[1, 65534]]

    def test_a_program_cannot_be_loaded_from_its_folder(self, launchers):
        library = next(path for path in libraries._standard_library() if Path(path).is_dir())
        shared = next(str(path) for path in Path(library).rglob("*.so"))
        script = f"""
import shutil, ctypes
open("copy.so", "wb").write(open({shared!r}, "rb").read())
attempt(lambda: ctypes.CDLL("./copy.so"))
"""
        ((answer, _),) = run(launchers(LOCKED), script)
        assert answer == "refused"


def outer_of_libraries() -> set[str]:
    """Top-level folders that must be there because Python or a library lies below them."""
    return {Path(path).parts[1] for path in libraries.needs(libraries.Kind(), namespaces=True).binds}


@pytest.fixture
def site_packages(tmp_path, monkeypatch):
    """A folder that packages were installed into: this grader as a wheel, and a library that children use."""
    folder = tmp_path / "lib" / "site-packages"
    for name, text in {
        "grader/__init__.py": "SECRET = 'hidden'",
        "problems/__init__.py": "SECRET = 'hidden'",
        "secretive.py": "SECRET = 'hidden'",
        "plainlib/__init__.py": "VALUE = 'plain'",
        "plainlib/part.py": "VALUE = 'part'",
    }.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(str(folder))
    importlib.invalidate_caches()
    return folder


class TestHiddenPackages:
    KIND = libraries.Kind(imports=("plainlib",), hidden_packages=("grader", "problems", "secretive"))

    READ = """
import importlib, pathlib, sys
folder = next(path for path in sys.path if path.endswith("site-packages"))
for name in ("grader/__init__.py", "problems/__init__.py", "secretive.py"):
    try:
        say(pathlib.Path(folder, name).read_text())
    except OSError:
        say("unreadable")
for name in ("grader", "problems", "secretive"):
    try:
        say(getattr(importlib.import_module(name), "SECRET", "empty"))
    except (ImportError, OSError):
        say("no import")
say(importlib.import_module("plainlib.part").VALUE)
"""

    @pytest.mark.parametrize("layers", [LOCKED_HERE, NO_NAMESPACES_HERE])
    @pytest.mark.usefixtures("site_packages")
    def test_they_can_be_neither_read_nor_imported(self, layers):
        with contextlib.closing(ForkLauncher(layers)) as launcher:
            *said, part = run(launcher, self.READ, kind=self.KIND)
        assert "hidden" not in str(said)
        assert part == "part", "the library beside them must stay usable"

    @pytest.mark.usefixtures("site_packages")
    def test_with_all_protection_off_they_can(self):
        with contextlib.closing(ForkLauncher(BARE)) as launcher:
            *said, part = run(launcher, self.READ, kind=self.KIND)
        assert said == ["SECRET = 'hidden'"] * 3 + ["hidden"] * 3
        assert part == "part"

    @pytest.mark.parametrize("layers", [LOCKED_HERE, NO_NAMESPACES_HERE])
    def test_the_grader_that_runs_is_out_of_reach_wherever_it_lies(self, launchers, layers):
        script = f"""
attempt(lambda: open({tiers.__file__!r}).read())
attempt(lambda: __import__("grader"))
attempt(lambda: __import__("reference"))
"""
        assert {answer for answer, _ in run(launchers(layers), script)} == {"refused"}


@HAS_LANDLOCK
def test_a_submission_leaves_its_folder_empty_also_without_namespaces(launchers):
    script = "say(os.getcwd()); os.mkdir('locked', 0); open('file', 'w').close()"
    (folder,) = run(launchers(NO_NAMESPACES), script)
    assert not Path(folder).exists()


def test_the_prelude_of_these_scripts_reports_failures(launchers):
    """A control of the tests themselves: an attempt that fails in an unforeseen way is not taken for a refusal."""
    assert "attempt" in PRELUDE
    assert run(launchers(BARE), "attempt(lambda: 1 / 0)") == [["refused", "ZeroDivisionError"]]
