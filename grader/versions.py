"""What is installed here that can change a number: a run and a proof each hold for one such environment."""

from __future__ import annotations

import platform
from importlib import metadata

from grader import __version__
from grader.isolation import numerics


def versions() -> dict[str, str]:
    """Return the versions that can change a number, and the system's for whoever reads a report."""
    found = {"python": platform.python_version(), "platform": platform.platform(), "tensor-grader": __version__}
    for name in ("numpy", "torch", "hypothesis"):
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            found[name] = "absent"
    found["kernels"] = ", ".join(f"{name} {kind}" for name, kind in sorted(numerics.kernels().items()))
    return found


def environment() -> dict[str, str]:
    """Return what can change a number, and nothing else: a new kernel of the system is no new environment."""
    return {name: version for name, version in versions().items() if name != "platform"}
