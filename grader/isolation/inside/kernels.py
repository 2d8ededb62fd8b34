"""Which kernels the libraries of this process compute with: they choose by the processor, and last digits follow."""

from __future__ import annotations

import ctypes
import importlib
import sys

import numpy as np

# How a build of OpenBLAS may have renamed its functions.
_CORE_NAMES = [f"{before}openblas_get_corename{after}" for before in ("scipy_", "") for after in ("64_", "")]


def used() -> dict[str, str]:
    """Return what each library has chosen; torch's choice only if it is loaded, BLAS's only if it can be asked."""
    config = np.show_config(mode="dicts")
    found = config["SIMD Extensions"]
    chosen = {"numpy": " ".join([*found["baseline"], *found["found"]]), "blas": _blas()}
    torch = sys.modules.get("torch")
    if torch is not None:
        chosen["torch"] = torch.backends.cpu.get_cpu_capability().lower()
    return {name: choice for name, choice in chosen.items() if choice}


def _blas() -> str:
    """Ask the library that numpy is linked with, by way of the module that is."""
    for name in ("numpy._core._multiarray_umath", "numpy.core._multiarray_umath"):
        try:
            library = ctypes.CDLL(importlib.import_module(name).__file__)
        except (ImportError, OSError):
            continue
        for function in _CORE_NAMES:
            ask = getattr(library, function, None)
            if ask is not None:
                ask.restype = ctypes.c_char_p
                return str(ask().decode("ascii", "replace"))
    return ""
