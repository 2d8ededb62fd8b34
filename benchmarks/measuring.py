"""Clocks, contenders in turn, processes watched from outside, and the one table that everything ends in."""

from __future__ import annotations

import itertools
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import asdict, dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

PYTHON = [sys.executable]
GRADE = [sys.executable, "-m", "grader"]
MANY = 100  # ratios from here on are shown as whole numbers
TICK = 0.1  # seconds between two looks at the memory of processes


@dataclass(frozen=True)
class Used:
    """What something took, in seconds: on the clock, and of processors, children that were waited for included."""

    wall: float
    cpu: float

    def each(self, number):
        return Used(self.wall / number, self.cpu / number)


@dataclass(frozen=True)
class Row:
    """One comparison: ``ratio`` is first / second; without it, ``note`` says why there is none."""

    part: str
    what: str
    first: str = ""
    second: str = ""
    ratio: float | None = None
    aim: str = ""
    note: str = ""


class NotMeasuredError(Exception):
    """Something cannot be measured here; the sentence says why."""


def compared(part, what, first, second, *, aim="", unit="ms", note=""):
    """Return the row of two figures, each in seconds (for ``unit`` s, ms) or MiB."""
    scale = {"s": 1, "ms": 1000, "MiB": 1}[unit]
    texts = [f"{value * scale:.3g} {unit}" for value in (first, second)]
    return Row(part, what, *texts, ratio=first / second, aim=aim, note=note)


def clocked(function):
    """Return what one call of a function takes."""
    wall, cpu = time.perf_counter(), time.process_time()
    function()
    return Used(time.perf_counter() - wall, time.process_time() - cpu)


def finished(command, *, cwd=None, env=None, codes=(0,)):
    """Run a command to its end and return what it took.

    Raises:
        NotMeasuredError: it ends with another code than ``codes``.
    """
    with tempfile.TemporaryFile() as said:
        started = time.perf_counter()
        process = subprocess.Popen(
            [str(word) for word in command], cwd=cwd, env=env or environment(), stdout=said, stderr=said
        )
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - started
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode not in codes:
            said.seek(0)
            last = said.read().decode(errors="replace").strip().splitlines()[-1:] or [""]
            name = " ".join(Path(word).name for word in map(str, command[:4]))
            raise NotMeasuredError(f"`{name} ...` ended with code {process.returncode}: {last[0][:160]}")
    return Used(wall, usage.ru_utime + usage.ru_stime)


def environment(**more):
    return {**os.environ, "PYTHONPATH": str(ROOT), **more}


def alternated(contenders, rounds):
    """Return the median of each contender, all measured in turn, round after round, in a changing order."""
    taken = {name: [] for name in contenders}
    names = list(contenders)
    for number in range(rounds):
        turn = number % len(names)
        for name in names[turn:] + names[:turn]:
            taken[name].append(contenders[name]())
    return {name: median(runs) for name, runs in taken.items()}


def median(runs):
    return Used(statistics.median(run.wall for run in runs), statistics.median(run.cpu for run in runs))


class Watched:
    """The most memory that the processes below this one held at any look, by kind, in MiB; Linux alone tells.

    ``kinds`` maps the name of a kind to a text in the command line of its processes.
    """

    def __init__(self, **kinds):
        self._kinds = kinds
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self.peak = dict.fromkeys(kinds, 0.0)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._over.set()
        self._thread.join()

    def _look(self):
        while not self._over.wait(TICK):
            for command, mib in _below(os.getpid()):
                for kind, text in self._kinds.items():
                    if text in command:
                        self.peak[kind] = max(self.peak[kind], mib)


def _below(pid):
    """Yield the command line and the resident MiB of every process below one."""
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            command = (folder / "cmdline").read_text().replace("\0", " ")
            pages = int((folder / "statm").read_text().split()[1])
        except (OSError, ValueError):  # it has ended
            continue
        found[int(folder.name)] = parent, command, pages * os.sysconf("SC_PAGE_SIZE") / 2**20
    wanted = {pid}
    while more := {one for one, (parent, *_) in found.items() if parent in wanted} - wanted:
        wanted |= more
    return [found[one][1:] for one in wanted - {pid} if one in found]


def machine():
    """Return, in words, what was measured on and with."""
    import numpy as np

    from grader import isolation

    survey = isolation.survey()
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    load = f", load {os.getloadavg()[0]:.1f} before" if hasattr(os, "getloadavg") else ""
    versions = f"Python {sys.version.split()[0]}, numpy {np.__version__}"
    return f"{cores} cores{load}; {versions}; isolation tier {survey.tier}"


def table(rows):
    """Return rows as text, one comparison a line."""
    columns = [("", "what", "first", "second", "ratio", "aim", "note")]
    columns += [(row.part, row.what, row.first, row.second, shown(row.ratio), row.aim, row.note) for row in rows]
    widths = [max(map(len, column)) for column in itertools.islice(zip(*columns, strict=True), 6)]
    lines = (
        "  ".join(text.rjust(width) if place in {2, 3, 4} else text.ljust(width) for place, (text, width) in pairs)
        + f"  {note}"
        for *texts, note in columns
        for pairs in [list(enumerate(zip(texts, widths, strict=True)))]
    )
    return "\n".join(line.rstrip() for line in lines)


def shown(ratio):
    """Return a ratio with three digits that count."""
    return "" if ratio is None else f"{ratio:.3g}" if ratio < MANY else f"{ratio:.0f}"


def kept(path, told, rows):
    """Write a run's rows where the page of figures is made from."""
    path.write_text(json.dumps({"machine": told, "rows": [asdict(row) for row in rows]}, indent=1) + "\n")
