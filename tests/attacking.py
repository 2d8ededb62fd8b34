"""The attacks of ``tests/attacks``: their headers, and the keepers that carry them out.

A keeper is a grader process of its own (``tests/attacks/keeper.py``): it judges an attack with real isolation at
one tier, judges a right answer after it, looks for whatever was left behind, and tells what came of it as JSON.
That it answers at all is the proof that the grader is alive.
"""

from __future__ import annotations

import contextlib
import functools
import importlib.util
import json
import os
import platform
import re
import secrets
import select
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

CORPUS = Path(__file__).resolve().parent / "attacks"
KEEPER = CORPUS / "keeper.py"
REFUSING, BECOMING = CORPUS.with_name("refusing.py"), CORPUS.with_name("becoming.py")
ROOT = CORPUS.parent.parent
ALL = os.environ.get("ATTACKS") == "all"  # the long form: every machine below, every attack
NOBODY = 65534
ANSWER_SECONDS = 300.0  # no attack takes as long, on however busy a machine
STATUSES = frozenset(
    {
        *("PASSED", "FAILED", "NOT_ATTEMPTED", "CRASHED", "TIMED_OUT", "OUT_OF_MEMORY", "TOO_MUCH_OUTPUT"),
        "UNUSABLE",
    }
)
NAME = re.compile(r"(b\d+)_(\d{3})[a-z]?_[a-z0-9_]+")
HEADER = re.compile(r"# ([A-Z]+): ?(.*)")
KEYS = frozenset(
    {"ROW", "ATTACK", "EXPECT", "CONTROL", "TIERS", "NEEDS", "KIND", "PROBLEM", "LIMITS", "SAYS", "OPEN", "CHECKS"}
)
CONTROL = re.compile(r"(bare|plain|naive|own)(?::([\w.]+))? -> ([\w, ]+): (.+)")
MUST = frozenset({"ROW", "ATTACK", "EXPECT", "CONTROL", "TIERS"})
PROBLEMS = ("arrays", "tensors", "integers", "objects")


@dataclass(frozen=True)
class Control:
    """How an attack is shown to work: ``how`` it is run unprotected, and the ``evidence`` that must be seen."""

    how: str
    option: str
    evidence: tuple[str, ...]
    words: str


@dataclass(frozen=True)
class Attack:
    """One file of the corpus, by its header."""

    path: Path
    group: str
    rows: tuple[int, ...]
    words: str
    expect: frozenset[str]
    control: Control
    tiers: frozenset[int]
    needs: frozenset[str] = frozenset()
    builder: bool = False
    problem: str = "arrays"
    limits: dict[str, float] = field(default_factory=dict)
    both: bool = False  # whether the visible check is judged too
    says: str = ""
    open: str = ""  # what a tier that does not hold it leaves open, in words

    @property
    def name(self) -> str:
        return self.path.stem


def header(path: Path) -> dict[str, str]:
    """Return the comment lines that a file begins with, by key; a line that goes on begins with ``#   ``."""
    said: dict[str, str] = {}
    key = ""
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        found = HEADER.fullmatch(line)
        if found:
            key = found[1]
            assert key in KEYS, f"{path.name}: {key} is no word of the header"
            assert key not in said, f"{path.name}: {key} is said twice"
            said[key] = found[2].strip()
        elif line.startswith("#   ") and key:
            said[key] = f"{said[key]} {line[4:].strip()}"
        else:
            break
    assert set(said) >= MUST, f"{path.name} does not say {sorted(MUST - set(said))}"
    return said


def read(path: Path) -> Attack:
    """Return what a file says of itself; AssertionError with the file's name if it is not well formed."""
    named = NAME.fullmatch(path.stem)
    assert named, f"{path.name} is not named group_row_what.py"
    said = header(path)
    control = CONTROL.fullmatch(said["CONTROL"])
    assert control, f"{path.name}: a control reads `how[:option] -> evidence, ...: what it shows`"
    attack = Attack(
        path=path,
        group=named[1].upper(),
        rows=tuple(int(row) for row in said["ROW"].split()),
        words=said["ATTACK"],
        expect=frozenset(said["EXPECT"].split()),
        control=Control(control[1], control[2] or "", tuple(re.split(r"[, ]+", control[3])), control[4]),
        tiers=frozenset(int(tier) for tier in said["TIERS"].split()),
        needs=frozenset(said.get("NEEDS", "").split()),
        builder=said.get("KIND", "source") == "builder",
        problem=said.get("PROBLEM", "arrays"),
        limits={key: float(value) for key, value in (pair.split("=") for pair in said.get("LIMITS", "").split())},
        both=said.get("CHECKS", "hidden") == "both",
        says=said.get("SAYS", ""),
        open=said.get("OPEN", ""),
    )
    assert attack.rows[0] == int(named[2]) or attack.rows == (0,), f"{path.name}: the name's row is not the header's"
    assert attack.expect <= STATUSES, f"{path.name}: {sorted(attack.expect - STATUSES)} is no status"
    assert attack.tiers <= {1, 2, 3}, f"{path.name}: there are tiers 1 to 3"
    assert attack.problem in PROBLEMS, f"{path.name}: problems are {PROBLEMS}"
    assert attack.tiers == {1, 2, 3} or attack.open, f"{path.name}: OPEN must say what a lower tier leaves open"
    return attack


NAMES = tuple(sorted(path.stem for path in CORPUS.glob("b[0-9]*_*.py")))


def named(name: str) -> Attack:
    """Return an attack of the corpus."""
    return read(CORPUS / f"{name}.py")


def corpus() -> tuple[Attack, ...]:
    """Return every attack."""
    return tuple(map(named, NAMES))


@dataclass(frozen=True)
class Machine:
    """A machine to attack, made out of this one: what its kernel refuses, and who the grader is."""

    name: str
    tier: int  # which tier it must reach to be worth attacking
    refusing: str = ""
    layers: str = "best"  # best, portable (fresh interpreters), bare (no protection: for controls)
    user: int | None = None
    title: str = ""


MACHINES = {
    machine.name: machine
    for machine in (
        Machine("tier3", 3, title="tier 3"),
        Machine("nobody", 3, user=NOBODY, title="tier 3, not root"),
        Machine("tier2", 2, refusing="namespaces", title="tier 2"),
        Machine("container", 2, refusing="container", title="tier 2, in a container"),
        Machine("filter", 1, refusing="namespaces,landlock", title="tier 1, no Landlock"),
        Machine("tier1", 1, layers="portable", title="tier 1, portable"),
        Machine("bare", 0, layers="bare", title="no protection"),
    )
}


class KeeperError(AssertionError):
    """A keeper does not answer: the grader is dead or hangs."""


class Keeper:
    """One keeper process, started when it is first asked and again after it was lost."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self._process: subprocess.Popen[str] | None = None
        self._folder = ""
        self._greeting: dict = {}

    @property
    def greeting(self) -> dict:
        """What it said first: the tier, the layers, what is missing."""
        self._started()
        return self._greeting

    def ask(self, attack: Attack, *, control: bool = False) -> dict:
        """Return what came of one attack. Raises KeeperError if the grader did not survive it."""
        self._started()
        return self._exchange({"attack": attack.name, "control": control})

    def close(self) -> None:
        """End it and all that it started."""
        if self._process is not None:
            with contextlib.suppress(OSError):
                self._process.stdin.close()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(20)
            self._process.kill()
            self._process.wait()
            self._process.stdout.close()
            self._process = None
        if self._folder:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = ""

    def _started(self) -> None:
        if self._process is not None:
            return
        self._folder = tempfile.mkdtemp(prefix="attacks-")
        if self.machine.user is not None:
            os.chown(self._folder, self.machine.user, self.machine.user)
        refusing = [sys.executable, str(REFUSING), self.machine.refusing] if self.machine.refusing else []
        becoming = [] if self.machine.user is None else [sys.executable, str(BECOMING), str(self.machine.user)]
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(ROOT), str(CORPUS.parent)]),
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        secret = f"CNR{secrets.token_hex(16)}"
        with Path(self._folder, "log").open("w", encoding="utf-8") as log:
            self._process = subprocess.Popen(
                [*becoming, *refusing, sys.executable, str(KEEPER), self.machine.layers, self._folder, secret],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                bufsize=1,
                cwd="/",
                env={**environment, "HOME": self._folder},
                start_new_session=True,
            )
        self._greeting = self._exchange(None)

    def _exchange(self, request: dict | None) -> dict:
        process = self._process
        what = "its start" if request is None else request["attack"]
        try:
            if request is not None:
                process.stdin.write(json.dumps(request) + "\n")
            line = self._line(time.monotonic() + ANSWER_SECONDS)
        except OSError as error:
            line, what = "", f"{what} ({error})"
        if not line:
            log = Path(self._folder, "log").read_text(encoding="utf-8", errors="replace")[-2000:]
            code = process.poll()
            self.close()
            raise KeeperError(f"the grader on {self.machine.name} did not survive {what} (exit {code}):\n{log}")
        return json.loads(line)

    def _line(self, deadline: float) -> str:
        """Return one line of the keeper's; "" if it has ended or says nothing."""
        while not select.select([self._process.stdout], [], [], 0.5)[0]:
            if time.monotonic() > deadline:
                return ""
        return self._process.stdout.readline()


def unbuildable(machine: Machine) -> str:
    """Return why a machine cannot be made out of this one, or ""."""
    if machine.refusing and (sys.platform != "linux" or os.uname().machine not in ("x86_64", "aarch64")):
        return "a kernel that refuses more can be had on Linux only"
    if machine.user is not None and (sys.platform != "linux" or os.geteuid() != 0):
        return "only root can become another user; the other machines are attacked as this one"
    if machine.user is not None and not _becomes(machine.user):
        return "this root cannot become a user who may run this Python"
    return ""


@functools.cache
def _becomes(user: int) -> bool:
    command = [
        sys.executable,
        str(BECOMING),
        str(user),
        sys.executable,
        "-c",
        f"import os; assert os.getuid() == {user}",
    ]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def lacking(attack: Attack) -> str:
    """Return why an attack cannot be tried here, or ""."""
    reasons = {
        "linux": (sys.platform == "linux", "needs Linux"),
        "posix": (os.name == "posix", "needs POSIX"),
        "torch": (importlib.util.find_spec("torch") is not None, "torch is not installed"),
        "root": (hasattr(os, "geteuid") and os.geteuid() == 0, "needs root"),
        "gpu": (_has_gpu, "no CUDA device is visible"),
        "gpus": (_has_gpus, "fewer than two CUDA devices are visible"),
        "proc": (Path("/proc/self/maps").exists(), "needs /proc"),
        "x86_64": (platform.machine() == "x86_64", "needs an x86-64 processor"),
        "i386": (_speaks_i386, "this kernel runs no programs of 32 bits"),
    }
    for need in sorted(attack.needs | ({"torch"} if attack.problem == "tensors" else frozenset())):
        met, why = reasons[need]
        if not (met() if callable(met) else met):
            return why
    return ""


def _has_gpus() -> bool:
    if not _has_gpu():
        return False
    import torch

    return torch.cuda.device_count() > 1


I386 = """
import ctypes, mmap, os
page = mmap.mmap(-1, 4096, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, prot=7)
page.write(bytes.fromhex("53 b814000000 cd80 5b c3"))
call = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))
os._exit(0 if call() == os.getpid() else 1)
"""


@functools.cache
def _speaks_i386() -> bool:
    return platform.machine() == "x86_64" and subprocess.run([sys.executable, "-c", I386], check=False).returncode == 0


@functools.cache
def _has_gpu() -> bool:
    if importlib.util.find_spec("torch") is None:
        return False
    import torch

    return torch.cuda.is_available()


def shown(told: dict, evidence: str) -> bool:
    """Return whether evidence of a kind was seen: ``canary`` is shown by ``canary: hidden``."""
    return any(seen.partition(":")[0] == evidence for seen in told["evidence"])


def table(results: list[dict[str, str]]) -> list[str]:
    """Return what became of all attacks of a run, by machine and group, as lines for a terminal."""
    lines = []
    words = ("contained", "open", "escaped", "not run")
    for machine in [name for name in MACHINES if any(result["machine"] == name for result in results)]:
        lines.append(f"{MACHINES[machine].title:<26}{'tried':>10}" + "".join(f"{word:>11}" for word in words))
        here = [result for result in results if result["machine"] == machine]
        for group in sorted({result["name"].split("_")[0] for result in here}, key=lambda name: int(name[1:])):
            seen = [result["result"] for result in here if result["name"].split("_")[0] == group]
            counts = [seen.count(word) for word in words]
            lines.append(f"  {group.upper():<24}{sum(counts[:-1]):>10}" + "".join(f"{count:>11}" for count in counts))
        lines += sorted({f"  not run: {result['why']}" for result in here if result["result"] == "not run"})
    return lines
