"""What a machine has: processors, CUDA devices, packages. PyTorch is asked in a process of its own."""

from __future__ import annotations

import functools
import json
import os
import platform
import re
import subprocess
import sys
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grader import isolation, versions
from grader.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from grader.isolation import Survey

SECONDS = 120  # the first import of torch on a cold disk
CPU_BUILD = "https://pytorch.org/get-started/locally/"
_ASK = """
import json, torch
def told(n):
    one = torch.cuda.get_device_properties(n)
    memory = round(one.total_memory / 2**30, 1)
    uuid = f"GPU-{one.uuid}" if hasattr(one, "uuid") else ""
    capability = f"{one.major}.{one.minor}"
    return {"device": f"cuda:{n}", "name": one.name, "uuid": uuid, "memory_gib": memory, "capability": capability}
print(json.dumps([told(n) for n in range(torch.cuda.device_count())] if torch.cuda.is_available() else []))
"""
_OPTIONAL = {  # what it is for, the modules it needs, what to give to pip
    "problems in torch": (("torch", "torchvision"), "torch torchvision"),
    "notebooks of nbgrader": (("nbgrader",), "'nbgrader>=0.9,<0.10'"),
    "reports in HTML": (("jinja2",), "Jinja2"),
    "runs on a cluster": (("distributed",), "distributed"),
}


@dataclass(frozen=True, slots=True)
class Examination:
    """What a machine can do, and what is missing, a sentence each with the command that helps."""

    survey: Survey
    missing: tuple[str, ...]
    devices: tuple[Mapping[str, Any], ...]
    versions: Mapping[str, str]

    def document(self) -> dict[str, Any]:
        """Return it as JSON data."""
        return {
            "tier": self.survey.tier,
            "words": self.survey.words,
            "layers": asdict(self.survey.layers),
            "probes": dict(self.survey.probes),
            "missing": list(self.missing),
            "devices": list(self.devices),
            "versions": dict(self.versions),
        }


def examine() -> Examination:
    """Attack the machine's isolation, ask PyTorch for devices, and look for what is missing."""
    survey = isolation.survey()
    return Examination(survey, (*survey.missing, *lacking()), (processor(), *cuda()), versions.versions())


def cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def processor() -> dict[str, Any]:
    """Return the processor as JSON data."""
    return {"device": "cpu", "name": _cpu(), "cores": cores()}


@functools.cache
def cuda() -> tuple[dict[str, Any], ...]:
    """Return the CUDA devices that PyTorch finds; none where it is absent or does not answer."""
    if find_spec("torch") is None:
        return ()
    try:
        # -P: a torch.py that lies in the working folder is not what is asked
        command = [sys.executable, "-P", "-c", _ASK]
        asked = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=SECONDS, check=True
        )
        return tuple(json.loads(asked.stdout))
    except (subprocess.SubprocessError, OSError, ValueError):
        return ()


def settle_device(wanted: str) -> str:
    """Return the device that a run uses: ``cpu`` or ``cuda:N``; torch problems alone use the latter.

    Raises:
        UsageError: it is no device, or there is no such device here.
    """
    if wanted == "cpu":
        return "cpu"
    if not re.fullmatch(r"auto|cuda(:[0-9]{1,3})?", wanted):
        raise UsageError(f"--device {wanted!r} is no device; give cpu, cuda, cuda:N or auto")
    here = [one["device"] for one in cuda()]
    if wanted == "auto":
        return here[0] if here else "cpu"
    named = "cuda:0" if wanted == "cuda" else wanted
    if named not in here:
        found = f"PyTorch finds {', '.join(here)}" if here else "PyTorch finds no CUDA device here"
        raise UsageError(f"--device {wanted}: {found}; grade doctor says more, and --device cpu works everywhere")
    return named


def gpus(device: str) -> tuple[str, ...]:
    """Return which GPU a device of this machine is, by its name and its UUID; none where it is the processor."""
    return () if device == "cpu" else tuple(called(one) for one in cuda() if one["device"] == device)


def called(gpu: Mapping[str, Any]) -> str:
    """Return what a GPU is called, as a run records it."""
    return " ".join(filter(None, (gpu["name"], gpu.get("uuid", ""))))


def lacking() -> tuple[str, ...]:
    """Return the optional packages that are not here, with the command that installs each."""
    return tuple(
        f"{purpose} need {' and '.join(modules)}: {_install(packages)}"
        for purpose, (modules, packages) in _OPTIONAL.items()
        if any(find_spec(module) is None for module in modules)
    )


def _install(packages: str) -> str:
    command = f"{Path(sys.executable).name or 'python'} -m pip install {packages}"
    return f"{command} (for PyTorch's CPU build see {CPU_BUILD})" if packages.startswith("torch") else command


def _cpu() -> str:
    try:
        found = re.search(r"^model name\s*:\s*(.+)$", Path("/proc/cpuinfo").read_text(encoding="utf-8"), re.MULTILINE)
    except OSError:
        found = None
    return found[1].strip() if found else platform.processor() or platform.machine()
