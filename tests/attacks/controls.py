"""Runs an attack in an ordinary Python and sees what became of it: controls that need no child of ours."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from surroundings import descendants, resident

if TYPE_CHECKING:
    import attacking
    from scene import Scene

HERE = Path(__file__).resolve().parent
PATIENCE, LONGEST = 1.0, 60.0  # seconds: after which what runs is said to run; for what must end
KILLED = 30.0  # seconds for what was killed to be gone
MUCH_MEMORY, MUCH_OUTPUT = 300 * 2**20, 2**20


class Controls:
    """Runs attacks in ordinary processes, each forked from one that has the libraries imported and nothing else."""

    def __init__(self) -> None:
        self._servers: dict[str, subprocess.Popen[bytes]] = {}

    def ready(self, attack: attacking.Attack) -> subprocess.Popen[bytes]:
        """Return the process that an attack's control is forked from, which is alive."""
        library = "torch" if attack.problem == "tensors" else "numpy"
        server = self._servers.get(library)
        if server is None or server.poll() is not None:
            server = self._servers[library] = subprocess.Popen(
                [sys.executable, "-B", str(HERE / "unprotected.py"), library],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                bufsize=0,
            )
        return server

    def run(self, attack: attacking.Attack, place: Path, scratch: Path, scene: Scene) -> tuple[list[str], bytes]:
        """Run an attack; return what became of the process, and what it printed."""
        control = attack.control
        passed = f"PASSED-{os.urandom(8).hex()}"
        with tempfile.NamedTemporaryFile() as output:
            request = {
                "command": [control.how, control.option, str(attack.path), str(place)],
                "folder": str(scratch),
                "output": output.name,
                "environment": {
                    "PASSED": passed,
                    "MEMORY_CANARY": scene.canaries["memory"],
                    "HIDDEN_CANARY": scene.canaries["hidden"],
                },
            }
            run = _Run(self.ready(attack), request)
            patience = attack.limits.get("patience", PATIENCE)
            ended, grown = run.watched(output.fileno(), frozenset(control.evidence), patience)
            size = os.fstat(output.fileno()).st_size
            output.seek(max(0, size - 2 * MUCH_OUTPUT))
            printed = output.read()
        seen = [how for how, so in (("running", ended is None), ("memory", grown > MUCH_MEMORY)) if so]
        seen += ["printed"] if size > MUCH_OUTPUT else []
        if ended is not None:
            seen.append(f"exit{ended}" if ended >= 0 else f"signal{-ended}")
        if passed.encode() in printed or (control.option == "exit" and ended == 0):
            seen.append("passed")
        return seen, printed

    def close(self) -> None:
        for server in self._servers.values():
            server.kill()
            server.communicate()


class _Run:
    """One forked process."""

    def __init__(self, server: subprocess.Popen[bytes], request: dict[str, object]) -> None:
        self._server = server
        server.stdin.write(json.dumps(request).encode() + b"\n")
        self._pid = int(server.stdout.readline())
        self._ended: int | None = None

    def watched(self, output: int, wanted: frozenset[str], patience: float) -> tuple[int | None, int]:
        """Wait until the process has ended or shown what is wanted of it; end it.

        That it still runs is shown after a while; for all else there is as much time as a busy machine may take.

        Returns:
            its exit code, or None if it still ran; and by how much it grew.
        """
        started = time.monotonic()
        before = most = resident(self._pid)
        early = wanted & {"memory", "printed"}
        while not self._has_ended(0.005) and time.monotonic() < started + max(patience, LONGEST):
            most = max(most, resident(self._pid))
            seen = {"memory"} if most - before > MUCH_MEMORY else set()
            seen |= {"printed"} if os.fstat(output).st_size > MUCH_OUTPUT else set()
            enough = time.monotonic() > started + patience if "running" in wanted else early and wanted == early
            if enough and early <= seen:
                break
        ended = self._ended
        if ended is None:
            for pid in [self._pid, *descendants(self._pid)]:
                with contextlib.suppress(OSError):
                    os.kill(pid, signal.SIGKILL)
            self._has_ended(KILLED)
        return ended, most - before

    def _has_ended(self, seconds: float) -> bool:
        if self._ended is None and select.select([self._server.stdout], [], [], seconds)[0]:
            status = self._server.stdout.readline().strip()
            # Where the server is gone too, the attack has done more than end its own process.
            self._ended = os.waitstatus_to_exitcode(int(status)) if status else -signal.SIGKILL
        return self._ended is not None
