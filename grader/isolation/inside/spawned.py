"""A child that was started as a fresh interpreter: the portable way, where nothing can be forked."""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import sys
from typing import Any

READY = b"ready\n"  # sent once, before any student code is here

_OPEN_FILES = 256
_FILE_BYTES = 64 * 2**20
_DATA_SLACK = 64 * 2**20  # stacks of threads and what the allocator keeps; the grader watches the true figure


def main(text: str) -> None:
    """Turn standard streams into channels, load what the profile needs, and serve; never returns.

    Args:
        text: JSON with ``paths`` to import libraries from, ``torch``, ``device``, ``limits``, ``memory_mib``.
    """
    settings = json.loads(text)
    request_fd, reply_fd = os.dup(0), os.dup(1)
    with open(os.devnull, "rb") as nothing:  # noqa: PTH123 - no pathlib in the child
        os.dup2(nothing.fileno(), 0)
    os.dup2(2, 1)
    _make_binary(request_fd, reply_fd)
    sys.path.extend(settings["paths"])
    serve = importlib.import_module("serve")  # needs numpy, hence the paths
    if settings["torch"]:
        import torch._dynamo  # noqa: F401 - the first optimiser would spend a second of the student on it
    if settings["limits"]:
        _limit(settings)
    os.write(reply_fd, READY)
    serve.main(request_fd, reply_fd)


def _make_binary(*descriptors: int) -> None:
    if sys.platform == "win32":
        import msvcrt

        for descriptor in descriptors:
            msvcrt.setmode(descriptor, os.O_BINARY)


def _limit(settings: dict[str, Any]) -> None:
    """Set the limits that this process cannot raise again."""
    import resource

    limits = {
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_NOFILE: _OPEN_FILES,
        resource.RLIMIT_FSIZE: _FILE_BYTES,
    }
    used = _data_bytes()
    if used is not None and settings["device"] == "cpu":  # CUDA reserves far more than it uses
        limits[resource.RLIMIT_DATA] = used + settings["memory_mib"] * 2**20 + _DATA_SLACK
    for limit, value in limits.items():
        hard = resource.getrlimit(limit)[1]
        bounded = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(limit, (bounded, bounded))


def _data_bytes() -> int | None:
    """Return how much private memory this process has reserved; None where the system does not say."""
    with contextlib.suppress(OSError), open("/proc/self/status", encoding="ascii") as lines:  # noqa: PTH123 - as above
        for line in lines:
            if line.startswith("VmData:"):
                return int(line.split()[1]) * 1024
    return None
