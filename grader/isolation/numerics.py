"""What fixes the numbers of a child: its environment, and the kernels that its libraries then compute with.

Two processes with this environment, on one machine and with the same libraries, compute the same bits, locked down
or not. The reference answers in the grader's own process, whose environment is whoever started it: tolerances, not
this module, make up for the last digits between the two.
"""

from __future__ import annotations

import os
import platform
from pathlib import Path
from typing import TYPE_CHECKING, Final

from grader.errors import IsolationError

if TYPE_CHECKING:
    from collections.abc import Mapping

_FIXED: Final = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "NUMEXPR_NUM_THREADS": "1",
    "VECLIB_MAXIMUM_THREADS": "1",
    "PYTHONHASHSEED": "0",
    "LANG": "C.UTF-8",
    "TZ": "UTC",
    "CUBLAS_WORKSPACE_CONFIG": ":4096:8",
    "MPLBACKEND": "Agg",
    # Without it a product's last digits depend on where in memory its factors happen to lie.
    "MKL_CBWR": "AUTO",
}
# Who grades on machines of several kinds sets these alike on all of them; each is passed on to children.
CHOICES: Final = (
    "ATEN_CPU_CAPABILITY",
    "MKL_CBWR",
    "MKL_ENABLE_INSTRUCTIONS",
    "NPY_DISABLE_CPU_FEATURES",
    "ONEDNN_MAX_CPU_ISA",
    "OPENBLAS_CORETYPE",
)


def environment() -> dict[str, str]:
    """Return all variables of a child that can change a number.

    Libraries are told one thread; where a problem wants more, torch is given them inside.
    """
    chosen = {name: os.environ[name] for name in CHOICES if os.environ.get(name)}
    capability = _torch_capability()
    pinned = {"ATEN_CPU_CAPABILITY": capability} if capability else {}
    return _FIXED | pinned | chosen


def kernels() -> dict[str, str]:
    """Return which kernels children compute with here, by library; every zygote is held to it by `check`.

    It belongs to what a stored verdict holds for. numpy is imported; torch is not, since its choice is pinned.
    """
    from grader.isolation.inside import kernels as inside

    fixed = environment()
    told = {name: fixed[name] for name in CHOICES if name in fixed}
    used = {name: choice for name, choice in inside.used().items() if name != "torch"}
    pinned = {"torch": told["ATEN_CPU_CAPABILITY"]} if "ATEN_CPU_CAPABILITY" in told else {}
    return told | used | pinned


def check(used: Mapping[str, str]) -> None:
    """Compare what a child's libraries have chosen with what was pinned.

    Raises:
        IsolationError: a library has chosen differently; the numbers would be those of another machine.
    """
    wanted = kernels()
    for name, choice in used.items():
        if choice != wanted.get(name, choice):
            raise IsolationError(
                f"{name} computes with the kernels {choice!r} in a child, and {wanted[name]!r} was expected; "
                f"see whether {', '.join(CHOICES)} are set to what this processor has, or unset them"
            )


def _torch_capability() -> str:
    """Return torch's own choice of kernels, so that a hidden /proc/cpuinfo cannot change it; "" if unknown."""
    if platform.machine() != "x86_64":
        return ""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return ""
    flags = next((set(line.split()) for line in lines if line.startswith("flags")), set())
    if {"avx512vl", "avx512bw", "avx512dq", "fma"} <= flags:
        return "avx512"
    return "avx2" if {"avx2", "fma"} <= flags else "default"
