"""Runs an attack in an ordinary Python and sees what became of it: the control of what needs no child of ours."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from surroundings import descendants, resident

if TYPE_CHECKING:
    from scene import Scene

HERE = Path(__file__).resolve().parent
PATIENCE, LONGEST = 1.0, 60.0  # seconds: after which what runs is said to run; for what must end
MUCH_MEMORY, MUCH_OUTPUT = 300 * 2**20, 2**20


def unprotected(attack, place: Path, scratch: Path, scene: Scene) -> tuple[list[str], bytes]:
    """Run an attack in an ordinary Python; return what became of the process, and what it printed."""
    control = attack.control
    passed = f"PASSED-{os.urandom(8).hex()}"
    limits = {"patience": PATIENCE, **attack.limits}
    ready, theirs = os.pipe()
    command = [sys.executable, "-B", str(HERE / "unprotected.py"), control.how, control.option, str(attack.path)]
    environment = {
        **os.environ,
        "PASSED": passed,
        "READY": str(theirs),
        "MEMORY_CANARY": scene.canaries["memory"],
        "HIDDEN_CANARY": scene.canaries["hidden"],
        "PYTHONIOENCODING": "utf-8:backslashreplace",
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
    }
    with tempfile.TemporaryFile() as output, os.fdopen(ready, "rb") as going:
        process = subprocess.Popen(
            [*command, str(place)],
            cwd=scratch,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            pass_fds=(theirs,),
            start_new_session=True,
        )
        os.close(theirs)
        going.read(1)  # the end of it at the latest: then the submission is about to be run
        ended, grown = _waited(process, output.fileno(), frozenset(control.evidence), limits["patience"])
        size = output.seek(0, os.SEEK_END)
        output.seek(max(0, size - 2 * MUCH_OUTPUT))
        printed = output.read()
    seen = [how for how, so in (("running", ended is None), ("memory", grown > MUCH_MEMORY)) if so]
    seen += ["printed"] if size > MUCH_OUTPUT else []
    if ended is not None:
        seen.append(f"exit{ended}" if ended >= 0 else f"signal{-ended}")
    if passed.encode() in printed or (control.option == "exit" and ended == 0):
        seen.append("passed")
    return seen, printed


def _waited(
    process: subprocess.Popen[bytes], output: int, wanted: frozenset[str], patience: float
) -> tuple[int | None, int]:
    """Wait until a process has ended or shown what is wanted of it; end it.

    That it still runs is shown after a while; for all else there is as much time as a busy machine may take.

    Returns:
        its exit code, or None if it still ran; and by how much it grew.
    """
    started = time.monotonic()
    before = most = resident(process.pid)
    early = wanted & {"memory", "printed"}
    while process.poll() is None and time.monotonic() < started + max(patience, LONGEST):
        most = max(most, resident(process.pid))
        seen = {"memory"} if most - before > MUCH_MEMORY else set()
        seen |= {"printed"} if os.fstat(output).st_size > MUCH_OUTPUT else set()
        enough = time.monotonic() > started + patience if "running" in wanted else early and wanted == early
        if enough and early <= seen:
            break
        time.sleep(0.005)
    if process.returncode is not None:
        return process.returncode, most - before
    for pid in [process.pid, *descendants(process.pid)]:
        with contextlib.suppress(OSError):
            os.kill(pid, signal.SIGKILL)
    process.wait()
    return None, most - before
