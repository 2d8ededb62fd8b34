"""How well this machine isolates student code, found by attacking it; never read from feature flags.

====  ==================================================================================================
tier  what was seen
====  ==================================================================================================
3     every attack was contained
2     all but two: the size and time of a known file can be seen, and disk space has no quota
1     a separate process, but at least one attack that matters went through
0     no child could be started
====  ==================================================================================================
"""

from __future__ import annotations

import functools
import importlib.util
import os
import platform
import sys
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from grader.errors import IsolationError
from grader.isolation import advice, probing
from grader.isolation.profile import Layers

if TYPE_CHECKING:
    from collections.abc import Mapping

    from grader.isolation.profile import Launcher

WORDS: Final = {
    3: "student code is contained: no hidden file, no network, no other process, limited memory and disk",
    2: "hidden files unreadable, no network, no other process reachable; file names and sizes can be seen",
    1: "a separate process with limits; files, network or other processes of this user are within its reach",
    0: "no child process can be started",
}
_TOLERATED: Final = frozenset({"stat", "quota"})  # at tier 2
_PROC: Final = ("/proc/self/statm", "/proc/self/fdinfo")
_LAYERS: Final = ("namespaces", "landlock", "seccomp", "rlimits", "user")


@dataclass(frozen=True, slots=True)
class Survey:
    """What this machine offers; plain data, made by `survey`."""

    tier: int
    layers: Layers
    probes: Mapping[str, str] = field(default_factory=dict)  # by attack: contained, open, or why it was not tried
    missing: tuple[str, ...] = ()  # a sentence each, with the command that would help; the last says what is left open
    landlock_abi: int = 0
    uid: int = -1
    platform: str = ""

    @property
    def words(self) -> str:
        """The tier in one clause."""
        return WORDS[self.tier]


def survey(want: Layers | None = None) -> Survey:
    """Find the strongest layers that work here, at most those wanted, and the tier that they reach.

    Takes about a tenth of a second; the answer is kept for the life of the process.
    """
    return _survey(want or Layers())


def launcher(layers: Layers, *, preload: tuple[str, ...] = ()) -> Launcher:
    """Return a new launcher whose children have these layers.

    Args:
        layers: what the children are built with, from a survey.
        preload: modules to import once for all children, where they are forked.
    """
    if layers.fork:
        from grader.isolation.forked import ForkLauncher

        return ForkLauncher(layers, preload=preload)
    from grader.isolation.spawn import SpawnLauncher

    return SpawnLauncher(layers)


def tier_of(probes: Mapping[str, str]) -> int:
    """Return the tier that these probe results amount to; no results mean that there was no child.

    >>> tier_of({"read": "contained", "stat": "open", "tcp": "contained"})
    2
    >>> tier_of({"read": "open", "tcp": "contained"})
    1
    """
    if not probes:
        return 0
    uncontained = {attack for attack, result in probes.items() if result != probing.CONTAINED}
    return 3 if not uncontained else 2 if uncontained <= _TOLERATED else 1


@functools.cache
def _survey(want: Layers) -> Survey:
    refusals: dict[str, str] = {}
    layers, probes, abi = _forked(want, refusals) or _spawned(want, refusals)
    return Survey(
        tier=tier_of(probes),
        layers=layers,
        probes=probes,
        missing=(*advice.missing(refusals, landlock_abi=abi), *advice.left_open(probes)),
        landlock_abi=abi,
        uid=os.getuid() if hasattr(os, "getuid") else -1,
        platform=f"{platform.system()} {platform.release()} {platform.machine()}",
    )


def _forked(layers: Layers, refusals: dict[str, str]) -> tuple[Layers, dict[str, str], int] | None:
    """Probe forked children, leaving out one layer after another as the machine refuses them."""
    while layers.fork:
        reason = _cannot_fork()
        if reason:
            refusals["fork"] = reason
            return None
        from grader.isolation.forked import ForkLauncher
        from grader.isolation.zygotes import LayerError

        launcher = ForkLauncher(layers)
        try:
            return layers, probing.probe(probing.in_forked_child(launcher)), launcher.landlock_abi
        except LayerError as error:
            refused = error.layer if error.layer in _LAYERS and getattr(layers, error.layer) else "fork"
            refusals[refused] = str(error)
            layers = replace(layers, **{refused: False})
        except (IsolationError, OSError) as error:
            refusals["fork"] = str(error)
            return None
        finally:
            launcher.close()
    return None


def _spawned(want: Layers, refusals: dict[str, str]) -> tuple[Layers, dict[str, str], int]:
    limits = want.rlimits and importlib.util.find_spec("resource") is not None
    layers = Layers(fork=False, namespaces=False, landlock=False, seccomp=False, rlimits=limits)
    try:
        return layers, probing.probe(probing.in_fresh_interpreter), 0
    except (IsolationError, OSError) as error:
        refusals["spawn"] = str(error)
        return layers, {}, 0


def _cannot_fork() -> str:
    """Return what this platform lacks for forked children, or ""."""
    if sys.platform != "linux":
        return f"{platform.system()} has none of the layers that Linux has"
    lacking = [name for name in ("fork", "pidfd_open") if not hasattr(os, name)]
    lacking += [name for name in ("resource", "fcntl") if importlib.util.find_spec(name) is None]
    lacking += [path for path in _PROC if not Path(path).exists()]
    return f"this Python or system lacks {', '.join(lacking)}" if lacking else ""
