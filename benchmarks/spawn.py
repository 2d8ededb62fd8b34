"""What isolation costs: a child to its first answer, a further call, an array through the wire.

Everything is measured side by side in this one run, on one core, and printed as medians and as ratios to a bare
process: what a fresh interpreter would cost that imports the same library.

    python benchmarks/spawn.py [rounds]
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from grader import isolation
from grader.isolation import Profile, Source, SourceFile, Worker

TEXT = "def same(x):\n    return x\n"


def median(function, rounds):
    taken = []
    for _ in range(rounds):
        started = time.perf_counter()
        function()
        taken.append(time.perf_counter() - started)
    return statistics.median(taken) * 1000


def bare(library):
    return lambda: subprocess.run([sys.executable, "-I", "-c", f"import {library}"], check=True, env={})


def first_answer(launcher, profile):
    source = Source(slug="same", main=SourceFile("same.py", (TEXT,)))

    def spawn():
        with Worker(launcher, source, profile) as worker:
            worker.begin(5)
            worker.call(("same",), (1.0,), {}, tensors=False)

    return spawn


def measured(launcher, library, rounds):
    profile = Profile(torch=library == "torch")
    spawn = first_answer(launcher, profile)
    started = time.perf_counter()
    spawn()  # starts the zygote
    warm = (time.perf_counter() - started) * 1000
    source = Source(slug="same", main=SourceFile("same.py", (TEXT,)))
    rows = [(f"{library}: fresh interpreter", median(bare(library), max(rounds // 10, 3)))]
    rows += [(f"{library}: zygote, once", warm), (f"{library}: child to first answer", median(spawn, rounds))]
    with Worker(launcher, source, profile) as worker:
        worker.begin(600)
        for name, value in (("number", 1.0), ("1 MiB array", np.ones(2**17)), ("16 MiB array", np.ones(2**21))):
            repeats = rounds * 10 if name == "number" else rounds
            call = median(lambda value=value: worker.call(("same",), (value,), {}, tensors=False), repeats)
            rows.append((f"{library}: call, {name} there and back", call))
    return rows


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 50
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    survey = isolation.survey()
    launcher = isolation.launcher(survey.layers)
    print(f"tier {survey.tier}, {rounds} rounds, one core, medians")
    try:
        for library in ("numpy", *(["torch"] if find_spec("torch") else [])):
            rows = measured(launcher, library, rounds)
            unit = rows[0][1]
            for name, milliseconds in rows:
                print(f"{name:<44} {milliseconds:>10.3f} ms {milliseconds / unit:>10.5f} x")
    finally:
        launcher.close()


if __name__ == "__main__":
    main()
