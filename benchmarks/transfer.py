"""Part (f): an array of 64 MiB to a student's child and back, against copying it in memory."""

from __future__ import annotations

import numpy as np
from measuring import ROOT, alternated, clocked, compared  # noqa: F401 - puts the project on the path

from grader import isolation
from grader.isolation import Profile, Source, SourceFile, Worker

ENTRIES = 2**23  # float64: 64 MiB
TEXT = "def same(x):\n    return x\n\n\ndef last(x):\n    return float(x[-1])\n"


def rows(rounds):
    launcher = isolation.launcher(isolation.survey().layers)
    source = Source(slug="same", main=SourceFile("same.py", (TEXT,)))
    array = np.linspace(0, 1, ENTRIES)
    copy = np.empty_like(array)
    try:
        with Worker(launcher, source, Profile(memory_mib=1024)) as worker:
            worker.begin(600)
            called = {
                name: lambda name=name: worker.call((name,), (array,), {}, tensors=False) for name in ("last", "same")
            }
            taken = alternated(
                {"copy": lambda: clocked(lambda: np.copyto(copy, array))}
                | {name: lambda call=call: clocked(call) for name, call in called.items()},
                rounds,
            )
    finally:
        launcher.close()
    for name, what in (("last", "64 MiB to a child"), ("same", "64 MiB there and back")):
        yield compared("f", f"{what} : np.copyto of it", taken[name].wall, taken["copy"].wall)
