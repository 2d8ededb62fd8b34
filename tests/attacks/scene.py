"""What an attack would reach if it could, and how it is seen that it did.

Everything that must not be touched is a stand-in that the keeper made: a process that holds secrets as a grader does,
files with marks, listeners, another student's work. None of it is needed by anybody, so a control may destroy it.
"""

from __future__ import annotations

import contextlib
import ctypes
import hashlib
import importlib.util
import os
import secrets
import select
import shutil
import signal
import socket
import subprocess
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING

import targets

if TYPE_CHECKING:
    import attacking

KIT = Path(__file__).with_name("kit.py")
PLACES = ("hidden", "variants", "reference", "environ", "argv", "memory", "sibling", "victim", "file")

VICTIM = """
import ctypes, os, sys
secret = ctypes.create_string_buffer(sys.argv[1].encode())
held = open(sys.argv[2])
print(ctypes.addressof(secret), held.fileno(), flush=True)
sys.stdin.read()
"""


class Scene:
    """The stand-ins, in a folder of their own."""

    def __init__(self, folder: Path, argument: str) -> None:
        self.folder = folder
        self.canaries = {place: f"CNR{secrets.token_hex(16)}" for place in PLACES} | {"argv": argument}
        self.tokens = {"worked": f"WORKED-{secrets.token_hex(8)}", "leak": f"LEAK-{secrets.token_hex(8)}"}
        self.outside = folder / "outside"
        self.outside.mkdir(parents=True)
        self.outside.chmod(0o777)
        self.precious = self.outside / "precious.txt"
        self.results = self.outside / "results.json"
        self.sibling = folder / "students" / "bo" / "target.py"
        self.sibling.parent.mkdir(parents=True)
        self.sibling.write_text(f"# {self.canaries['sibling']}\n", encoding="utf-8")
        self._memory = ctypes.create_string_buffer(self.canaries["memory"].encode())
        self._listeners: dict[str, socket.socket] = {}
        self._victim: subprocess.Popen[bytes] | None = None
        self._looks = ""
        self._tree: dict[str, str] = {}
        self.restore()

    def restore(self) -> None:
        """Put everything back into the state that traces are told by."""
        for path in self.outside.iterdir():
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path, ignore_errors=True)
            elif not path.is_socket():
                path.unlink()
        self.precious.write_text(f"precious {self.canaries['file']}\n", encoding="utf-8")
        self.precious.chmod(0o644)
        os.utime(self.precious, (10**9, 10**9))
        self.results.write_text('{"score": 0}\n', encoding="utf-8")
        if not self._listeners:
            self._listeners = self._listen()
        if self._victim is None or self._victim.poll() is not None or self._appearance() != self._looks:
            self._replace_victim()
        self._tree = self.tree()

    @property
    def victim(self) -> int:
        """The process that stands in for a grader."""
        assert self._victim is not None
        return self._victim.pid

    def lore(self) -> dict[str, object]:
        """Return what an attacker is told: where everything lies, and none of the secrets."""
        return {
            "OUTSIDE": str(self.outside),
            "PRECIOUS": str(self.precious),
            "RESULTS": str(self.results),
            "SIBLING": str(self.sibling),
            "TCP": self._listeners["tcp"].getsockname()[1],
            "UDP": self._listeners["udp"].getsockname()[1],
            "UNIX": str(self.outside / "stream.socket"),
            "UNIX_DATAGRAM": str(self.outside / "datagram.socket"),
            "ABSTRACT": self._abstract,
            "VICTIM": self.victim,
            "VICTIM_SECRET": (self.victim, self._address, len(self.canaries["victim"])),
            "VICTIM_DESCRIPTOR": self._held,
            "GRADER": os.getpid(),
            "GRADER_SECRET": (os.getpid(), ctypes.addressof(self._memory), len(self._memory.value)),
            "GRADER_USER": os.getuid(),
        }

    def hand_in(self, attack: attacking.Attack, place: Path, course: Path) -> Path:
        """Write what a student hands in: an attack's own text and what it may know, or what its builder makes.

        Returns the folder, or the single file or archive that stands for it.
        """
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True)
        known = {
            **self.lore(),
            "COURSE": str(course),
            "HIDDEN": str(course / "problems" / "target" / "hidden.py"),
            "VARIANTS": str(course / "problems" / "target" / "variants.py"),
            "REFERENCE": str(course / "reference" / "target.py"),
            "_WORKED": self.tokens["worked"],
            "_LEAK": self.tokens["leak"],
        }
        if not attack.builder:
            text = "".join(f"{name} = {value!r}\n" for name, value in known.items())
            (place / "lore.py").write_text(text + KIT.read_text(encoding="utf-8"), encoding="utf-8")
            shutil.copyfile(attack.path, place / "target.py")
            return place
        made = _module(attack.path).build(SimpleNamespace(**known, RIGHT=targets.right(attack.problem)))
        for name, content in made.items():
            path = place / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        single = next(iter(made)) if len(made) == 1 else ""
        return place / single if single and "/" not in single else place

    def traces(self) -> list[str]:
        """Return what has been touched since the last `restore`."""
        seen = [name for name, listener in self._listeners.items() if _heard(listener)]
        tree = self.tree()
        touched = sorted(path for path in tree.keys() | self._tree.keys() if tree.get(path) != self._tree.get(path))
        seen += [
            f"file: {path} {'changed' if path in tree.keys() & self._tree.keys() else 'new or gone'}"
            for path in touched
        ]
        assert self._victim is not None
        if self._victim.poll() is not None:
            seen.append(f"victim: ended with {self._victim.returncode}")
        elif self._appearance() != self._looks:
            seen.append("victim: changed")
        return seen

    def found(self, data: bytes) -> list[str]:
        """Return the places whose canary is in some bytes."""
        return [place for place, canary in self.canaries.items() if canary.encode() in data]

    def tree(self) -> dict[str, str]:
        """Return a mark for every file of the scene: its mode, times and contents."""
        return {str(path.relative_to(self.folder)): _mark(path) for path in sorted(self.folder.rglob("*"))}

    def close(self) -> None:
        for listener in self._listeners.values():
            listener.close()
        self._end_victim()

    def _listen(self) -> dict[str, socket.socket]:
        self._abstract = f"attack-{secrets.token_hex(8)}"
        made = {
            "tcp": (socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 0)),
            "udp": (socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", 0)),
            "unix": (socket.AF_UNIX, socket.SOCK_STREAM, str(self.outside / "stream.socket")),
            "datagram": (socket.AF_UNIX, socket.SOCK_DGRAM, str(self.outside / "datagram.socket")),
        }
        if sys.platform == "linux":
            made["abstract"] = (socket.AF_UNIX, socket.SOCK_STREAM, f"\0{self._abstract}")
        listeners = {}
        for name, (family, kind, address) in made.items():
            listener = socket.socket(family, kind)
            listener.bind(address)
            if kind == socket.SOCK_STREAM:
                listener.listen()
            listener.setblocking(False)
            listeners[name] = listener
        return listeners

    def _replace_victim(self) -> None:
        self._end_victim()
        secret = self.canaries["victim"]
        self._victim = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", VICTIM, secret, str(self.precious)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={"SECRET": secret, "PATH": os.environ.get("PATH", "")},
            start_new_session=True,
        )
        assert self._victim.stdout
        self._address, self._held = map(int, self._victim.stdout.readline().split())
        self._looks = self._appearance()

    def _end_victim(self) -> None:
        if self._victim is None:
            return
        with contextlib.suppress(ProcessLookupError):
            self._victim.send_signal(signal.SIGKILL)
        self._victim.communicate()

    def _appearance(self) -> str:
        """Return what others may have changed about the victim: whether it is stopped, its limits, its place."""
        assert self._victim is not None
        if sys.platform != "linux":
            return ""
        place = Path("/proc", str(self._victim.pid))
        try:
            status = (place / "stat").read_text(encoding="ascii").rpartition(")")[2].split()
            stopped, nice, policy = status[0] in "Tt", status[16], status[38]
            limits = (place / "limits").read_text(encoding="ascii")
            score = (place / "oom_score_adj").read_text(encoding="ascii").strip()
            allowed = sorted(os.sched_getaffinity(self._victim.pid))
        except OSError:
            return "gone"
        return f"{stopped} {nice} {policy} {score} {allowed} {hashlib.sha256(limits.encode()).hexdigest()}"


def _module(path: Path) -> ModuleType:
    """Import an attack that is a builder; its text is this project's own."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _heard(listener: socket.socket) -> bool:
    """Return whether somebody came to a listener; takes in all who did."""
    heard = False
    while select.select([listener], [], [], 0)[0]:
        heard = True
        with contextlib.suppress(OSError):
            if listener.type == socket.SOCK_STREAM:
                listener.accept()[0].close()
            else:
                listener.recv(65536)
    return heard


def _mark(path: Path) -> str:
    facts = path.lstat()
    mark = f"{facts.st_mode:o} {facts.st_size if path.is_file() else ''} {facts.st_nlink}"
    if path.is_file() and not path.is_symlink():
        mark += f" {facts.st_mtime_ns} {hashlib.sha256(path.read_bytes()).hexdigest()}"
    return mark
