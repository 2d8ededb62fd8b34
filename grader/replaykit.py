"""What every replay script begins with; the text of this module is copied into it, so it needs numpy alone."""

import contextlib
import importlib.util
import sys
import types
from pathlib import Path
from typing import Any

import numpy as np

EPS = 2.0**-23  # of float32, the accuracy that `close` asks for by default


class Kept:
    """Stands for an object that stayed with the student's code."""

    def __init__(self, kind: str) -> None:
        self.kind = kind

    def __repr__(self) -> str:
        return f"<an object of type {self.kind}>"


class Ended:
    """Stands for a call that ended otherwise than by returning."""

    def __init__(self, why: str) -> None:
        self.why = why

    def __repr__(self) -> str:
        return f"<{self.why}>"


def from_file(path: str, name: str) -> types.ModuleType:
    """Import a student's file, with the modules that lie beside it."""
    sys.path.insert(0, str(Path(path).parent))
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def from_cells(cells: list[str], name: str, beside: dict[str, str]) -> types.ModuleType:
    """Run texts one after another in one module; a notebook's cell that fails does not stop the rest."""
    for helper, text in beside.items():
        sys.modules[helper] = _run(types.ModuleType(helper), text)
    module = sys.modules[name] = types.ModuleType(name)
    for cell in cells:
        lines = [line for line in cell.split("\n") if not line.lstrip().startswith(("%", "!", "?"))]
        with contextlib.suppress(Exception) if len(cells) > 1 else contextlib.nullcontext():
            _run(module, "\n".join(lines))
    return module


def _run(module: types.ModuleType, text: str) -> types.ModuleType:
    exec(compile(text, module.__name__, "exec"), module.__dict__)  # noqa: S102 - what a replay is for
    return module


def call(function: Any, *args: Any, tensors: bool = False, **kwargs: Any) -> Any:
    """Call the student's function; what it raises stands for its answer."""
    try:
        named = {name: given(value, tensors=tensors) for name, value in kwargs.items()}
        return function(*(given(value, tensors=tensors) for value in args), **named)
    except Exception as error:  # noqa: BLE001 - shown in place of an answer
        return Ended(f"{type(error).__name__}: {error}")


def given(value: Any, *, tensors: bool) -> Any:
    """Return an argument as the student's function gets it: a copy, as a torch tensor if the function takes those."""
    if isinstance(value, (list, tuple)):
        return type(value)(given(item, tensors=tensors) for item in value)
    if isinstance(value, dict):
        return {key: given(item, tensors=tensors) for key, item in value.items()}
    if not isinstance(value, np.ndarray):
        return value
    if tensors:
        import torch

        return torch.from_numpy(value.copy())
    return value.copy()


def plain(value: Any) -> Any:
    """Return an answer as plain values."""
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return value.detach().cpu().numpy() if hasattr(value, "detach") else value


def show(what: str, got: Any, *, recorded: Any, wanted: Any) -> None:
    """Print one call: its answer now, the answer in the run, what was wanted, and how far off it is."""
    print(f"{what}\n  got now:  {got!r}\n  recorded: {recorded!r}\n  wanted:   {wanted!r}")  # noqa: T201 - a script
    for line in differences(plain(got), wanted):
        print(f"  {line}")  # noqa: T201 - a script


def differences(got: Any, wanted: Any, path: str = "") -> list[str]:
    """Return, for each array or number, the largest |got - wanted| and what `close` allows there by default."""
    if isinstance(wanted, dict) and isinstance(got, dict):
        return [line for key in wanted for line in differences(got.get(key), wanted[key], f"{path}[{key!r}]")]
    ragged = isinstance(wanted, (list, tuple)) and any(
        isinstance(item, (list, tuple, dict, np.ndarray)) for item in wanted
    )
    if ragged and isinstance(got, (list, tuple)) and len(got) == len(wanted):
        pairs = enumerate(zip(got, wanted, strict=True))
        return [line for place, (one, other) in pairs for line in differences(one, other, f"{path}[{place}]")]
    try:
        return [f"difference{path}: {_difference(_numbers(got), _numbers(wanted))}"]
    except (TypeError, ValueError):
        return [f"difference{path}: no numbers to compare"]


def _numbers(value: Any) -> Any:
    array = np.asarray(value)
    if array.dtype.kind == "O":  # fractions, and integers beyond 64 bits
        array = array.astype(np.float64)
    if array.dtype.kind not in "biufc":
        raise TypeError(array.dtype)
    return array.astype(np.complex128 if array.dtype.kind == "c" else np.float64)


def _difference(got: Any, wanted: Any) -> str:
    if got.shape != wanted.shape and not (got.size == wanted.size == 1):
        return f"shape {got.shape}, wanted {wanted.shape}"
    if not wanted.size:
        return "both are empty"
    off = np.abs(got.reshape(wanted.shape) - wanted)
    off = np.where(np.isnan(off), np.inf, off)
    finite = np.abs(wanted[np.isfinite(wanted)])
    allowed = 16 * EPS * (np.abs(wanted) + finite.max(initial=0.0))
    worst = np.unravel_index(int(np.argmax(off - allowed)), off.shape)
    place = f" at {[int(index) for index in worst]}" if off.ndim else ""
    return f"{off[worst]:.6g}{place}, allowed by default {allowed[worst]:.2g}"
