"""Children and graders killed at random moments, and what is left; each command prints one JSON document.

``children COUNT LAYERS`` kills children of one grader; ``graders COUNT LAYERS`` kills graders that have children;
``grader LAYERS`` is such a grader; ``drift COUNT`` starts children of one zygote and measures it.
Temporary files go where TMPDIR says, which must be empty.
"""

from __future__ import annotations

import collections
import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
from pathlib import Path

from fuzzing import processes

from grader.errors import IsolationError, StudentFault
from grader.isolation import tiers
from grader.isolation.profile import Layers, Profile, Source, SourceFile
from grader.isolation.worker import Worker

LAYERS = {
    "strongest": Layers(),
    "without namespaces": Layers(namespaces=False),
    "spawned": Layers(fork=False, namespaces=False, landlock=False, seccomp=False),
}
ZYGOTES = {"strongest": 2, "without namespaces": 1, "spawned": 1}  # processes that a grader has beside its children
PATIENCE = 30.0  # seconds for what must end at once; only a failure takes as long
LIFE = {"spawned": 0.15}  # seconds in which a child is killed
BEHAVIOURS = {
    "busy": "def f():\n    while True: pass",
    "busy importing": "while True: pass",
    "deaf": "import signal\nsignal.pthread_sigmask(0, signal.valid_signals())\ndef f(): sum(range(10**12))",
    "asleep": "import time\ndef f(): time.sleep(1000)",
    "talking": "def f():\n    while True: print('x' * 1000)",
    "answering": "import numpy as np\ndef f(): return np.zeros(4_000_000)",
    "greedy": "def f():\n    held = []\n    while True: held.append(bytearray(2**22))",
    "threads": """
        import threading
        def turn():
            while True: pass
        for _ in range(4): threading.Thread(target=turn).start()
        def f(): turn()
        """,
    "files": """
        import itertools, os
        def f():
            for n in itertools.count():
                os.makedirs(f"{n % 50}/a/b", exist_ok=True)
                open(f"{n % 50}/a/b/c", "w").write("x" * 1000)
        """,
    "quick": "def f(): return 1",
}
RIGHT = Source("right", SourceFile("right.py", ("def f(x): return 2 * x",)))


def behaving(name: str) -> Source:
    return Source("xor", SourceFile("xor.py", (textwrap.dedent(BEHAVIOURS[name]),)))


class Mortal:
    """A launcher whose next child is killed from outside after a while."""

    def __init__(self, launcher) -> None:
        self._launcher = launcher
        self.layers = launcher.layers
        self.seconds: float | None = None
        self._killers: list[Killer] = []

    def start(self, profile):
        child = self._launcher.start(profile)
        if self.seconds is not None:
            self._killers.append(Killer(child.pid, self.seconds))
        return child

    def settle(self) -> None:
        """Call off what has not been killed yet."""
        for killer in self._killers:
            killer.settle()
        self._killers.clear()


class Killer:
    """Kills a process after a while, by a handle: its number could be another's by then."""

    def __init__(self, pid: int, seconds: float) -> None:
        self._handle = os.pidfd_open(pid)
        self._timer = threading.Timer(seconds, self._kill)
        self._timer.start()

    def settle(self) -> None:
        self._timer.cancel()
        self._timer.join()
        os.close(self._handle)

    def _kill(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._handle, signal.SIGKILL)


def judged(launcher, answer: Source, seconds: float) -> str:
    """Return what came of one submission, in a word."""
    try:
        with Worker(launcher, answer, Profile(memory_mib=128, import_seconds=1.0)) as worker:
            worker.begin(seconds)
            args = (21,) if answer is RIGHT else ()
            return f"value {worker.call(('f',), args, {}, tensors=False)!r:.8}"
    except StudentFault as fault:
        return fault.status.name
    except IsolationError:
        return "ours"


def children(count: int, kind: str) -> dict:
    """Kill that many children; every so often the zygote, too. In between a right answer is judged."""
    chosen = random.Random(count)
    before = processes.mounts()
    with contextlib.closing(tiers.launcher(LAYERS[kind])) as launcher:
        mortal = Mortal(launcher)
        outcomes: collections.Counter[str] = collections.Counter()
        wrong, sizes = [], []
        for number in range(count + 10):
            mortal.seconds = chosen.uniform(0, LIFE.get(kind, 0.08)) if number % 12 else None
            outcomes[judged(mortal, behaving(chosen.choice(sorted(BEHAVIOURS))), chosen.choice((0.02, 0.1)))] += 1
            mortal.settle()
            if number % 50 == 49:
                outcomes["zygotes"] += _kill_zygote(launcher)
            if number % 10 == 9:
                wrong += [said for said in [judged(launcher, RIGHT, 5.0)] if said != "value 42"]
                processes.tidy()
                sizes.append((processes.resident(), processes.descriptors()))
        at_rest = _at_rest(kind)
    return {
        "outcomes": dict(outcomes),
        "wrong": wrong,
        "sizes": sizes,
        "left": at_rest | {f"after close: {what}": value for what, value in _left().items()},
        "mounts": processes.mounts() == before,
        "descriptors": processes.descriptors(),
        "threads": threading.active_count(),
    }


def _kill_zygote(launcher) -> int:
    """Kill zygotes, and see what dies with them die: who is started in that moment would be lost with them."""
    zygotes = list(getattr(launcher, "_zygotes", {}).values())
    for zygote in zygotes:
        below = processes.family(zygote._process.pid)
        zygote._process.kill()
        zygote._process.wait()
        processes.until(lambda below=below: not below.keys() & processes.table().keys(), PATIENCE)
    return len(zygotes)


def _at_rest(kind: str) -> dict:
    """Return what lives although no child is wanted: what starts them or watches over them is."""
    wanted = ZYGOTES[kind]
    processes.until(lambda: len(processes.family(os.getpid())) <= wanted, PATIENCE)
    found = processes.family(os.getpid())
    zombies = sum(state == "Z" for state in found.values())
    return {
        "processes": len(found) - wanted,
        "zombies": zombies,
        "folders": len(list(Path(tempfile.gettempdir()).glob("*/*"))),
    }


def _folders() -> list[str]:
    return [path.name for path in Path(tempfile.gettempdir()).iterdir()]


def _left() -> dict:
    return {"processes": len(processes.family(os.getpid())), "folders": len(_folders())}


def grader(kind: str) -> None:
    """Judge for ever, one submission after another; say when it begins and when the first is done."""
    chosen = random.Random(os.getpid())
    _say("begun")
    with contextlib.closing(tiers.launcher(LAYERS[kind])) as launcher:
        judged(launcher, RIGHT, 5.0)
        _say("ready")
        while True:
            judged(launcher, behaving(chosen.choice(sorted(BEHAVIOURS))), 0.3)


def _say(word: str) -> None:
    sys.stdout.write(word + "\n")
    sys.stdout.flush()


def graders(count: int, kind: str) -> dict:
    """Kill that many graders at random moments, from their first import to the middle of their work."""
    processes.adopt_orphans()
    chosen = random.Random(count)
    before = processes.mounts()
    left, busy = [], 0
    for number in range(count):
        process = subprocess.Popen(
            [sys.executable, __file__, "grader", kind], stdout=subprocess.PIPE, start_new_session=True
        )
        for _ in range(1 if number % 3 == 0 else 2):  # while it starts, or at work
            process.stdout.readline()
        time.sleep(chosen.uniform(0, 0.5))
        busy += len(processes.family(process.pid)) > ZYGOTES[kind]
        process.kill()
        process.wait()
        process.stdout.close()
        if not processes.until(_nothing_is_left, PATIENCE):
            left.append((number, processes.family(os.getpid()), _folders()))
            for pid in processes.family(os.getpid()):
                os.kill(pid, signal.SIGKILL)
    return {"killed": count, "busy": busy, "left": left, "mounts": processes.mounts() == before}


def _nothing_is_left() -> bool:
    processes.reap()
    return not processes.family(os.getpid()) and not _folders()


def drift(count: int) -> dict:
    """Start that many children of one zygote, one after another; return what it holds as time goes by."""
    sizes, limits = [], set()
    with contextlib.closing(tiers.launcher(LAYERS["strongest"])) as launcher:
        for number in range(count):
            with contextlib.closing(launcher.start(Profile())) as child:
                if number % (count // 20) == 0:
                    zygote = processes.table()[child.pid][1]
                    limits.add(Path(f"/proc/{child.pid}/limits").read_text(encoding="ascii"))
                    sizes.append((processes.resident(zygote), processes.descriptors(zygote)))
        return {"sizes": sizes, "limits": len(limits), "zygotes": len(launcher._zygotes)}


if __name__ == "__main__":
    what, *rest = sys.argv[1:]
    arguments = [int(word) if word.isdigit() else word for word in rest]
    commands = {"children": children, "graders": graders, "grader": grader, "drift": drift}
    sys.stdout.write(json.dumps(commands[what](*arguments)) + "\n")
