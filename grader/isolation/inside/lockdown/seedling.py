"""A process that imports the libraries, then forks: one half becomes a zygote, the other goes on as the grader.

So both share the memory that the libraries take, which is most of what a small machine has. The fork comes before
anything of the grader is read: the half that becomes a zygote holds no more than one that was started by itself.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import runpy
import socket
import sys
from pathlib import Path
from typing import Any, NoReturn

from . import zygote


def main(text: str) -> None:
    """Import, fork, and go on as the script that JSON names; it is told the zygote's process and channel.

    Where importing started a thread nothing is forked, since a fork would hang, and the script is told ``alone``.

    Args:
        text: JSON with ``imports``, the ``libraries`` to find them in, and the ``script`` with its ``arguments`` and
            ``path``.
    """
    config: dict[str, Any] = json.loads(text)
    sys.path.extend(config["libraries"])
    for name in config["imports"]:
        importlib.import_module(name)
    told = _forked() if len(list(Path("/proc/self/task").iterdir())) == 1 else ("alone",)
    sys.path[:] = config["path"]
    sys.argv = [config["script"], *config["arguments"], *told]
    runpy.run_path(config["script"], run_name="__main__")


def _forked() -> tuple[str, str]:
    """Fork what waits to be a zygote; return its process and our end of its channel."""
    gc.collect()
    gc.freeze()
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    pid = os.fork()
    if pid == 0:
        ours.close()
        _wait(theirs)
    theirs.close()
    return str(pid), str(ours.detach())


def _wait(channel: socket.socket) -> NoReturn:
    """Wait to be told how to be a zygote; end if the grader ends before."""
    try:
        os.setsid()
        nothing = os.open(os.devnull, os.O_RDWR)
        for number in (0, 1, 2):
            os.dup2(nothing, number)
        text, descriptors, _, _ = socket.recv_fds(channel, 16, 3)
        if text:
            file, grader, errors = descriptors
            os.dup2(errors, 2)
            config = json.loads(os.pread(file, os.fstat(file).st_size, 0))
            for number in (file, errors):
                os.close(number)
            zygote.run({**config, "grader": grader}, channel)
    finally:
        os._exit(0)
