"""JupyterLab with nbgrader for tests: on this machine alone, with nothing of the user's, gone at the end."""

from __future__ import annotations

import importlib.util
import json
import os
import secrets
import signal
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from pathlib import Path

ROOT = Path(__file__).parent.parent
NEEDED = ("nbgrader", "jupyterlab", "ipykernel")
PATIENCE = 120.0  # seconds; a loaded machine is slow to start a server
# A server that outlives who started it would go on for ever: it is told to end when they do.
STARTED = """
import ctypes, runpy, signal
ctypes.CDLL(None).prctl(1, signal.SIGTERM)
runpy.run_module("jupyterlab", run_name="__main__", alter_sys=True)
"""
FOLDERS = {name: f"JUPYTER_{name.upper()}_DIR" for name in ("config", "data", "runtime")}


def missing():
    """Return which of the needed packages is not installed; None where all are there."""
    return next((name for name in NEEDED if importlib.util.find_spec(name) is None), None)


def environment(home):
    """Return an environment in which Jupyter finds nothing of the user's, and which leaves no virtual environment."""
    folders = {variable: str(home / name) for name, variable in FOLDERS.items()}
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("JUPYTER", "NBGRADER"))}
    ours = {"HOME": str(home), "IPYTHONDIR": str(home / "ipython"), "JUPYTER_PLATFORM_DIRS": "1"}
    return {**kept, **folders, **ours, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"}


@contextmanager
def server(root, *, cwd, home):
    """Serve the folder ``root`` with the configuration in ``cwd``; yield a function from a path to its address."""
    token = secrets.token_hex(16)
    _configure(home, root, token)
    name = "GRADER_TEST_LAB"  # kernels start sessions of their own; they are found again by this variable
    surroundings = {**environment(home), name: token}
    with (home / "server.log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-c", STARTED],
            cwd=cwd, env=surroundings, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True,
        )  # fmt: skip
    try:
        at = _address(home, process)
        yield lambda path: f"{at}{path}{'&' if '?' in path else '?'}token={token}"
    finally:
        process.terminate()
        with suppress(subprocess.TimeoutExpired):
            process.wait(20)
        for pid in _marked(f"{name}={token}"):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        process.wait()


def _configure(home, root, token):
    """Write a configuration with which the server asks nobody for news, updates or extensions."""
    server = {"ip": "127.0.0.1", "port": 0, "open_browser": False, "root_dir": str(root), "terminals_enabled": False}
    settings = {
        "ServerApp": {**server, "allow_root": True},
        "IdentityProvider": {"token": token},
        "LabApp": {
            "extension_manager": "readonly",
            "news_url": None,
            "check_for_updates_class": "jupyterlab.NeverCheckForUpdate",
        },
    }
    chosen = {
        "apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False, "doNotDisturbMode": True},
        "notebook-extension/tracker": {"windowingMode": "none"},  # cells out of sight are in the page all the same
    }
    _write(home / "config" / "jupyter_server_config.json", settings)
    (home / "exchange").mkdir()
    _write(home / "config" / "nbgrader_config.json", {"Exchange": {"root": str(home / "exchange")}})
    for name, choice in chosen.items():
        _write(home / "config" / "lab" / "user-settings" / "@jupyterlab" / f"{name}.jupyterlab-settings", choice)


def _write(path, value):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value), encoding="utf-8")


def _address(home, process):
    """Return the server's address, which it writes down once it listens."""
    until = time.monotonic() + PATIENCE
    while True:
        for path in (home / "runtime").glob("jpserver-*.json"):
            with suppress(ValueError):  # being written
                return json.loads(path.read_text(encoding="utf-8"))["url"]
        said = (home / "server.log").read_text(encoding="utf-8", errors="replace")
        assert process.poll() is None, f"JupyterLab ended:\n{said}"
        assert time.monotonic() < until, f"JupyterLab does not start:\n{said}"
        time.sleep(0.1)


def _marked(entry):
    """Return the processes whose environment has this entry."""
    found = []
    for path in Path("/proc").glob("[0-9]*/environ"):
        with suppress(OSError):
            if entry.encode() in path.read_bytes().split(b"\0"):
                found.append(int(path.parent.name))
    return found
