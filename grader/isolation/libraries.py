"""What a child needs of this machine: folders to import from, files to read, an environment. Nothing is run."""

from __future__ import annotations

import glob
import importlib.util
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from grader.errors import IsolationError
from grader.isolation import numerics
from grader.isolation.inside.lockdown import mounts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_GRADER: Final = Path(__file__).resolve().parent.parent
_SYSTEM: Final = (
    *("/lib", "/lib32", "/lib64", "/usr/lib", "/usr/lib32", "/usr/lib64", "/usr/local/lib"),
    *("/nix/store", "/etc/ld.so.cache"),
)
# numpy loads its parts when they are first used, which would be on the student's time.
_NUMPY: Final = ("numpy", "numpy.random", "numpy.linalg", "numpy.fft", "numpy.polynomial", "numpy.ma")
_TORCH: Final = ("torch", "torch._dynamo", "torch.optim", "torchvision")
_OWN: Final = ("kernels", "serve")  # of the folder that the child runs
_PASSED_ON: Final = ("CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER")  # to a child with a GPU
_CUDA_DEVICES: Final = ("/dev/nvidia[0-9]*", "/dev/nvidiactl", "/dev/nvidia-uvm*", "/dev/nvidia-modeset", "/dev/dxg")
_CUDA_RULES: Final = (
    *(("/sys", "read"), ("/proc/self", "read"), ("/proc/self/task", "name"), ("/proc/devices", "read")),
    *(("/proc/driver", "read"), ("/proc/modules", "read"), ("/proc/sys/vm", "read")),
    *(("/proc/cpuinfo", "read"), ("/proc/meminfo", "read")),
)


@dataclass(frozen=True, slots=True)
class Kind:
    """What distinguishes one zygote from another."""

    imports: tuple[str, ...] = ()
    hidden_packages: tuple[str, ...] = ()
    cuda: bool = False


@dataclass(frozen=True, slots=True)
class Needs:
    """Paths by purpose; a zygote is told these."""

    libraries: tuple[str, ...]  # appended to sys.path
    binds: tuple[str, ...]  # readable
    devices: tuple[str, ...]
    hidden: tuple[str, ...]  # below one of the binds, but neither readable nor importable
    rules: tuple[tuple[str, str], ...]  # the same for Landlock: (path, right)


def kind(*, torch: bool, device: str, hidden: Sequence[str], preload: Sequence[str]) -> Kind:
    """Return which zygote a profile's children are forked from.

    Raises IsolationError if a library is not installed.
    """
    names = [*_NUMPY, *(_TORCH if torch else ()), *preload]
    top = {name.partition(".")[0] for name in names}
    absent = {name for name in top if importlib.util.find_spec(name) is None}
    if absent - {"torchvision"}:
        raise IsolationError(f"not installed for {sys.executable}: {', '.join(sorted(absent))}")
    imports = tuple(name for name in names if name not in absent)
    return Kind((*imports, *_OWN), tuple(sorted(set(hidden))), device.startswith("cuda"))


def needs(wanted: Kind, *, namespaces: bool) -> Needs:
    """Return the paths that children of a kind need, as they are named on this machine."""
    folders = tuple(_library_folders(wanted.imports))
    cuda_only = ("/sys",) if wanted.cuda else mounts.MACHINE_FACTS
    binds = (*_SYSTEM, *_standard_library(), *folders, *cuda_only)
    devices = tuple(mounts.PLAIN_DEVICES)
    if wanted.cuda:
        devices += tuple(path for pattern in _CUDA_DEVICES for path in sorted(glob.glob(pattern)))  # noqa: PTH207 - absolute
    hidden = tuple(_hidden(wanted.hidden_packages, [os.path.realpath(path) for path in binds]))
    # Where the root holds only what is readable, one rule says so; a fresh /proc holds more.
    whole = namespaces and not wanted.cuda
    readable = [("/", "read")] if whole else _grants(binds, frozenset(hidden))
    rules = [*readable, *((path, _right(path)) for path in devices), *(_CUDA_RULES if wanted.cuda else ())]
    return Needs(folders, binds, devices, hidden, tuple(rules))


def _right(device: str) -> str:
    """Return what may be done with a device: a map of a writable /dev/zero is memory that no limit counts."""
    return "read" if device in ("/dev/zero", "/dev/urandom") else "device"


def environment(*, cuda: bool) -> dict[str, str]:
    """Return all of a zygote's environment: what could change a number is fixed, nothing else is passed on."""
    passed = {name: os.environ[name] for name in _PASSED_ON if cuda and name in os.environ}
    return numerics.environment() | passed


def _library_folders(names: Iterable[str]) -> Iterator[str]:
    """Yield the folders that hold these modules, in the order of our own sys.path."""
    found: set[str] = set()
    for name in {name.partition(".")[0] for name in names} - set(_OWN):
        spec = importlib.util.find_spec(name)
        places = spec and (spec.submodule_search_locations or [spec.origin or ""])
        found.update(os.path.dirname(place) for place in places or ())  # noqa: PTH120 - as sys.path spells it
    yield from (path for path in sys.path if path in found)
    yield from sorted(found - set(sys.path) - {""})


def _standard_library() -> Iterator[str]:
    yield os.path.dirname(os.path.dirname(os.__file__))  # noqa: PTH120 - <base>/lib, with the shared libraries
    yield from (path for path in sys.path if path.endswith("lib-dynload"))


def _hidden(packages: Sequence[str], roots: Sequence[str]) -> Iterator[str]:
    """Yield what holds a hidden package in any folder that Python installs packages into."""
    yield str(_GRADER)
    for root in roots:
        folders = [root] if root.endswith("-packages") else glob.glob(f"{root}/python3*/*-packages")  # noqa: PTH207 - a path, not below one
        for folder in folders:
            for entry in os.scandir(folder):
                if entry.name.partition(".")[0] in packages:
                    yield entry.path


def _grants(paths: Iterable[str], hidden: frozenset[str]) -> Iterator[tuple[str, str]]:
    """Yield rules for all below the paths but the hidden things; names in a split folder can be listed."""
    for path in dict.fromkeys(os.path.realpath(path) for path in paths):
        if path in hidden:
            continue
        if not any(thing.startswith(f"{path}/") for thing in hidden):
            yield path, "read"
            continue
        yield path, "list"
        # A link is skipped: what it leads to has a rule of its own or is not meant to be reached through it.
        yield from _grants([entry.path for entry in os.scandir(path) if not entry.is_symlink()], hidden)
