"""What a child is started with, and what its parent may ask of it: frozen plain data and one protocol."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

OUTPUT_BYTES = 2**20  # a child that prints more in one check is stopped
OUTPUT_KEPT = 64 * 2**10  # of which this much is kept, head and tail


@dataclass(frozen=True, slots=True)
class Layers:
    """Which protections a child is built with; found by probing, never assumed."""

    fork: bool = True  # a zygote that forks; otherwise a fresh interpreter for each child
    namespaces: bool = True
    landlock: bool = True
    seccomp: bool = True
    rlimits: bool = True
    user: int = 0  # whom children become where root starts them without namespaces; 0: nobody else


@dataclass(frozen=True, slots=True)
class Profile:
    """The conditions inside a child: everything that may change a number, and the limits."""

    torch: bool = False
    dtype: str = "float64"
    device: str = "cpu"
    threads: int = 1
    autograd: bool = True
    seed: int = 0
    memory_mib: int = 1024
    import_seconds: float = 10.0
    hidden_packages: tuple[str, ...] = ("grader",)  # top-level packages that cannot be imported inside


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One module's text, or one notebook's cells, as the student handed it in (UTF-8, decoded)."""

    name: str  # what a traceback shows: "xor.py" or "xor.ipynb"
    cells: tuple[str, ...]  # one text for a .py file; a notebook's code cells in order
    notebook: bool = False


@dataclass(frozen=True, slots=True)
class Source:
    """What a child imports: the answer to one problem and the modules that lie beside it."""

    slug: str
    main: SourceFile
    helpers: tuple[tuple[str, str], ...] = ()  # (module name, text) of the submission's other .py files
    probes: str = ""  # text of the problem's probes.py, run in a namespace of its own


@dataclass(frozen=True, slots=True)
class Exit:
    """How a child ended; exactly one of the two is set."""

    code: int | None = None
    signal: int | None = None


class Child(Protocol):
    """One started child process, locked down and ready for its first frame; owned by one Worker.

    Nothing here blocks for longer than it says, whatever the child does.
    """

    @property
    def pid(self) -> int:
        """Process id, for messages; every signal goes through a handle that cannot be reused."""

    def write(self, data: memoryview) -> int:
        """Send what the channel takes now; return how many bytes that was. 0 if full or closed."""

    def wait(self, seconds: float, *, writing: bool = False) -> None:
        """Return when something can be read (or written, if asked), the child has ended, or time is up."""

    def reply(self) -> bytes:
        """Return what has arrived on the reply channel since the last call; b"" if nothing."""

    def output(self) -> bytes:
        """Return what the student's code printed since the last call; b"" if nothing."""

    def ended(self) -> Exit | None:
        """Return how the child ended, or None while it lives."""

    def cpu_seconds(self) -> float | None:
        """Return the CPU time used so far, measured from outside; None where it cannot be had."""

    def rss_bytes(self) -> int | None:
        """Return the resident memory now, measured from outside; None where it cannot be had."""

    def kill(self) -> Exit:
        """End the child at once and reap it; return how it ended. Safe to call twice."""

    def close(self) -> None:
        """Kill if need be and release every descriptor. Safe to call twice."""


class Launcher(Protocol):
    """Starts children. One launcher a process; closing it ends everything it started."""

    @property
    def layers(self) -> Layers:
        """What its children are built with."""

    def start(self, profile: Profile) -> Child:
        """Start a child. Raises IsolationError if any promised layer cannot be had."""

    def close(self) -> None:
        """End every zygote and child. Safe to call twice."""
