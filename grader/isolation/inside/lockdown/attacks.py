"""What a hostile submission would try, each in a few lines; the tier is read from how these end.

An attack returns what it got, as text, or raises whatever stopped it. `run` writes one JSON line for each.
It works wherever Python does, so that the weakest machine is measured with the same attacks.
"""

from __future__ import annotations

import contextlib
import ctypes
import io
import json
import mmap
import os
import socket
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable

MIB: Final = 2**20
_SECONDS: Final = 0.5  # for a connection to answer


def main(text: str) -> None:
    """Run the attacks of a JSON plan in this process and write the results on stdout."""
    run(json.loads(text), 1)


def run(plan: dict[str, Any], results: int) -> None:
    """Try the attacks that the plan names, in order, and write how each went."""
    if "script" in plan:
        exec(compile(plan["script"], "attack.py", "exec"), {"__name__": "attack", "results": results})  # noqa: S102 - the point of it
    for name in plan.get("attacks", ()):
        outcome: dict[str, str] = {"attack": name}
        try:
            outcome["got"] = ATTACKS[name](plan, results)
        except Exception as error:  # noqa: BLE001 - a refusal has many forms
            outcome["refused"] = f"{type(error).__name__}: {error}"
        os.write(results, json.dumps(outcome).encode() + b"\n")


def read(plan: dict[str, Any], _: int) -> str:
    """Read a file that no submission may see."""
    return Path(plan["canary"]).read_text(encoding="ascii")


def stat(plan: dict[str, Any], _: int) -> str:
    """Learn a hidden file's size and time."""
    return str(Path(plan["canary"]).stat().st_size)


def write(plan: dict[str, Any], _: int) -> str:
    """Create a file outside the child's own folder."""
    Path(plan["outside"], "written").write_text("x", encoding="ascii")
    return "written"


def chmod(plan: dict[str, Any], _: int) -> str:
    """Change a file's mode."""
    Path(plan["marked"]).chmod(0o640)
    return "changed"


def utime(plan: dict[str, Any], _: int) -> str:
    """Change a file's time."""
    os.utime(plan["marked"], (1, 1))
    return "changed"


def tcp(plan: dict[str, Any], _: int) -> str:
    """Connect to a server on this machine."""
    with socket.create_connection(("127.0.0.1", plan["tcp"]), _SECONDS):
        return "connected"


def udp(plan: dict[str, Any], _: int) -> str:
    """Send a datagram."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        sender.sendto(b"x", ("127.0.0.1", plan["udp"]))
    return "sent"


def unix(plan: dict[str, Any], _: int) -> str:
    """Connect to a socket that is a file."""
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(_SECONDS)
        client.connect(plan["unix"])
    return "connected"


def fork(_plan: dict[str, Any], _: int) -> str:
    """Start another process."""
    pid = os.fork()
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)
    return "forked"


def kill(plan: dict[str, Any], _: int) -> str:
    """Signal the grader, or who started this process."""
    if sys.platform == "win32":  # where this would end the process instead of asking
        raise NotImplementedError("not tried on Windows")
    targets = {*plan["processes"], os.getppid()} - {os.getpid()}
    return ", ".join(str(pid) for pid in targets if _allowed(os.kill, pid, 0)) or _refuse("no process reached")


def memory(plan: dict[str, Any], _: int) -> str:
    """Read the grader's memory."""
    pid, address, length = plan["secret"]
    with contextlib.suppress(OSError), Path(f"/proc/{pid}/mem").open("rb", buffering=0) as image:
        image.seek(address)
        return image.read(length).decode("ascii", "replace")
    return _read_memory_by_call(pid, address, length)


def environ(plan: dict[str, Any], _: int) -> str:
    """Read the environment of the grader, or of who started this process."""
    for pid in (*plan["processes"], os.getppid()):
        with contextlib.suppress(OSError):
            return f"{len(Path(f'/proc/{pid}/environ').read_bytes())} bytes of {pid}"
    return _refuse("no environment was readable")


def arguments(plan: dict[str, Any], _: int) -> str:
    """Read the command line of the grader, or of who started this process; not even another user is refused that."""
    for pid in (*plan["processes"], os.getppid()):
        with contextlib.suppress(OSError):
            return f"{len(Path(f'/proc/{pid}/cmdline').read_bytes())} bytes of {pid}"
    return _refuse("no command line was readable")


def quota(plan: dict[str, Any], _: int) -> str:
    """Fill the disk by way of the child's own folder."""
    size, made = 4 * MIB, []
    try:
        for number in range(plan["fill_mib"] // 4):
            made.append(Path(f"fill{number}"))
            with made[-1].open("wb") as file:
                os.posix_fallocate(file.fileno(), 0, size)
    finally:
        for file_made in made:
            file_made.unlink(missing_ok=True)
    return f"{plan['fill_mib']} MiB"


def execute(_plan: dict[str, Any], results: int) -> str:
    """Become another program; it writes this attack's line itself."""
    os.dup2(results, 1)
    line = json.dumps({"attack": "execute", "got": "executed"})
    os.execv(sys.executable, [sys.executable, "-I", "-S", "-c", f"print({line!r})"])  # noqa: S606 - the attack
    raise AssertionError("exec returned")


def balloon(plan: dict[str, Any], _: int) -> str:
    """Take more memory than allowed: shared, which the data limit does not count, or else its own."""
    try:
        region: Any = mmap.mmap(-1, plan["balloon_mib"] * MIB)
    except PermissionError:
        region = io.BytesIO()
    with region:
        for _step in range(plan["balloon_mib"]):
            region.write(b"\1" * MIB)
    return f"{plan['balloon_mib']} MiB"


ATTACKS: Final[dict[str, Callable[[dict[str, Any], int], str]]] = {
    attack.__name__: attack
    for attack in (
        read, stat, write, chmod, utime, tcp, udp, unix, fork, kill, memory, environ, arguments, quota, balloon,
        execute,
    )
}  # fmt: skip


def _allowed(call: Callable[..., object], *args: int) -> bool:
    try:
        call(*args)
    except OSError:
        return False
    return True


def _refuse(why: str) -> str:
    raise PermissionError(why)


def _read_memory_by_call(pid: int, address: int, length: int) -> str:
    """Read another process by process_vm_readv, which needs no /proc."""

    class Piece(ctypes.Structure):
        _fields_ = (("base", ctypes.c_void_p), ("length", ctypes.c_size_t))

    buffer = ctypes.create_string_buffer(length)
    here, there = Piece(ctypes.addressof(buffer), length), Piece(address, length)
    libc = ctypes.CDLL(None, use_errno=True)
    got = libc.process_vm_readv(
        pid, ctypes.byref(here), ctypes.c_ulong(1), ctypes.byref(there), ctypes.c_ulong(1), ctypes.c_ulong(0)
    )
    if got != length:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return buffer.raw.decode("ascii", "replace")
