"""What a machine lacks for a higher tier, in sentences that end in the command that would help."""

from __future__ import annotations

import platform
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_CONTAINER_MARKS: Final = (Path("/.dockerenv"), Path("/run/.containerenv"))
_IN_LINUX: Final = 'docker run --rm -it --security-opt seccomp=unconfined -v "$PWD":/course -w /course python:3.13 bash'
_LOOSER_CONTAINER: Final = (
    "start the container with `--security-opt seccomp=unconfined --security-opt apparmor=unconfined`"
)
# (switch, the value that refuses, the command that allows)
_SWITCHES: Final = (
    ("/proc/sys/user/max_user_namespaces", "0", "sudo sysctl -w user.max_user_namespaces=15000"),
    ("/proc/sys/kernel/unprivileged_userns_clone", "0", "sudo sysctl -w kernel.unprivileged_userns_clone=1"),
    (
        "/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
        "1",
        "sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0",
    ),
)
# What an attack that is not contained means, in words.
_OPEN: Final = {
    "read": "reading any file of this user",
    "stat": "seeing whether there is a file at a known path, its size and its times",
    "write": "writing to files of this user",
    "chmod": "changing modes of files",
    "utime": "changing times of files",
    "tcp": "connecting to servers",
    "udp": "sending datagrams",
    "unix": "connecting to local sockets",
    "fork": "starting processes",
    "kill": "signalling processes of this user",
    "memory": "reading the grader's memory",
    "environ": "reading the environment of this user's processes",
    "arguments": "reading the command lines of processes",
    "quota": "filling the disk",
    "balloon": "taking more memory than allowed",
    "execute": "running other programs",
}
_LANDLOCK_FIRST: Final = (5, 13)
_UPGRADE: Final = "sudo apt full-upgrade && sudo reboot"


def missing(refusals: Mapping[str, str], *, landlock_abi: int) -> Iterator[str]:
    """Yield a sentence for each layer that was refused, and for what an old Landlock leaves to others.

    Args:
        refusals: the error of each refused layer, by its name in Layers, or under "spawn".
        landlock_abi: the version in use, 0 if none.
    """
    if "spawn" in refusals:
        yield f"No child process can be started ({_first_line(refusals['spawn'])}): `{sys.executable} -I -c pass`."
    if "fork" in refusals:
        yield f"Children cannot be locked down here ({_first_line(refusals['fork'])}): {_locked_down_elsewhere()}."
    for layer, sentence in (("namespaces", _namespaces), ("landlock", _landlock), ("seccomp", _seccomp)):
        if layer in refusals:
            yield sentence(_first_line(refusals[layer]))
    yield from _old_landlock(landlock_abi)


def left_open(probes: Mapping[str, str]) -> Iterator[str]:
    """Yield one sentence that names every attack that was not contained, or nothing if there is none.

    >>> list(left_open({"read": "contained", "stat": "contained"}))
    []
    >>> next(left_open({"read": "contained", "quota": "open", "fork": "not tried: no fork"}))
    'Nothing keeps student code from filling the disk; starting processes (not tried): `grade doctor` lists attacks.'
    """
    names = [
        _OPEN.get(attack, attack) + ("" if result == "open" else f" ({result.partition(':')[0]})")
        for attack, result in probes.items()
        if result != "contained"
    ]
    if names:
        yield f"Nothing keeps student code from {'; '.join(names)}: `grade doctor` lists attacks."


def _locked_down_elsewhere() -> str:
    if sys.platform == "linux":
        return "use CPython 3.11 or newer with a mounted /proc: `python3 --version; ls /proc/self`"
    return f"grade in a Linux container: `{_IN_LINUX}`"


def _namespaces(error: str) -> str:
    return (
        "User namespaces are refused, so sizes of known files can be seen and files have no quota "
        f"({error}): {_allow_namespaces()}."
    )


def _allow_namespaces() -> str:
    for switch, refusing, command in _SWITCHES:
        if _value(switch) == refusing:
            return f"`{command}`"
    if any(mark.exists() for mark in _CONTAINER_MARKS):
        return _LOOSER_CONTAINER
    return f"`{_SWITCHES[0][2]}`, or outside of any sandbox of your own"


def _landlock(error: str) -> str:
    first = tuple(int(part) for part in platform.release().split("-")[0].split(".")[:2] if part.isdigit())
    if first < _LANDLOCK_FIRST:
        remedy = f"needs Linux 5.13 or newer: `{_UPGRADE}`"
    elif any(mark.exists() for mark in _CONTAINER_MARKS):
        remedy = _LOOSER_CONTAINER
    else:
        remedy = "put `lsm=landlock,yama,apparmor` on the kernel's command line: `sudoedit /etc/default/grub`"
    return f"Landlock is refused, so files are protected by namespaces alone ({error}): {remedy}."


def _seccomp(error: str) -> str:
    return f"System calls cannot be filtered ({error}): use a kernel with CONFIG_SECCOMP_FILTER: `{_UPGRADE}`."


def _old_landlock(version: int) -> Iterator[str]:
    if 0 < version < 4:  # noqa: PLR2004 - where TCP came in
        yield f"Landlock {version} knows no TCP, which seccomp alone refuses: Linux 6.7 or newer: `{_UPGRADE}`."
    if 0 < version < 6:  # noqa: PLR2004 - where signals came in
        yield f"Landlock {version} knows no signals, which seccomp alone refuses: Linux 6.12 or newer: `{_UPGRADE}`."


def _value(path: str) -> str:
    try:
        return Path(path).read_text(encoding="ascii").strip()
    except OSError:
        return ""


def _first_line(text: str) -> str:
    return text.splitlines()[0] if text else ""
