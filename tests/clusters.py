"""Dask clusters for tests: a scheduler and workers, each a process of its own, in folders that hold no course."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import SimpleNamespace

from class_of_works import until

ROOT = Path(__file__).parent.parent


@contextmanager
def cluster(folder, *workers, tls=()):
    """Start a scheduler and a worker for each tuple of arguments; yield their processes and the address."""
    place = folder / "scheduler.json"
    with ExitStack() as stack:
        at = ["--host", "tls://127.0.0.1" if tls else "127.0.0.1", "--no-dashboard", "--scheduler-file", place, *tls]
        scheduler = stack.enter_context(_running(folder / "scheduler", "scheduler", *at, "--port", 0))
        address = until(lambda: _address(place))
        started = [
            stack.enter_context(_running(folder / f"worker{number}", "worker", *at, "--nthreads", 1, *options))
            for number, options in enumerate(workers)
        ]
        yield SimpleNamespace(address=address, scheduler=scheduler, workers=started)


@contextmanager
def _running(folder, kind, *arguments):
    folder.mkdir(parents=True)
    if kind == "worker":
        arguments = [*arguments, "--local-directory", folder, "--memory-limit", 0]
    with (folder / "log.txt").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", f"distributed.cli.dask_{kind}", *map(str, arguments)],
            cwd=folder, env={**os.environ, "PYTHONPATH": str(ROOT)}, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
        )  # fmt: skip
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _address(place):
    try:
        return json.loads(place.read_text(encoding="utf-8"))["address"]
    except (OSError, ValueError, KeyError):
        return ""
