"""Whatever a function returned, as a plain value that `wire` can carry.

Types are matched exactly and contents are read with the base class's own methods, so what an object says about
itself does not count: only its numbers do. Student and reference answers go through the same function and look
alike afterwards. torch and sympy are looked up among the loaded modules and never imported.
"""

from __future__ import annotations

import dataclasses
import decimal
import functools
import math
import sys
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING or __package__:
    from .nodes import DIGITS, LEAVES, SIZE, are_short, collide
else:  # in the child, where this folder is no package
    from nodes import DIGITS, LEAVES, SIZE, are_short, collide

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from types import ModuleType

REASONS: Final = {
    "abstract": "a tensor that has a shape but no values",
    "cyclic": "a container that contains itself or is nested very deeply",
    "decimal": "a Decimal; a float or a Fraction is wanted",
    "digits": f"an int of more than {DIGITS} digits",
    "dtype": "an array whose entries are not plain numbers (rows of unequal length make such an array)",
    "key": "a dict with a key that is not text, a number or a tuple of these",
    "large": f"more than can be taken ({LEAVES} parts, {SIZE // 2**20} MiB)",
    "lazy": "something that makes its values only when asked, like a generator; a list or an array is wanted",
    "narrow": "numbers narrower than float32",
    "nested": "a nested tensor; a list of tensors is wanted",
    "subclass": "an array or tensor of a special class; a plain numpy.ndarray or torch.Tensor is wanted",
    "symbolic": "a symbolic expression that is not a number",
    "wide": "numbers wider than float64",
}

_AT_ONCE: Final = frozenset({type(None), bool, float, complex})
_FLAT: Final = _AT_ONCE | {int}
_NUMBERS: Final = frozenset(np.dtype(code).num for code in "?bBhHiIlLqQefdFD")  # C's types, two of a size among them
_DEPTH = 90  # what wraps a value on the wire needs a few levels itself
_INT_BOUND: Final[int] = 10**DIGITS
_KEY_CHARACTERS = 40
_TENSOR_TYPES = frozenset(
    {"bool", "float16", "float32", "float64", "complex64", "complex128"}
    | {sign + "int" + width for sign in ("", "u") for width in ("8", "16", "32", "64")}
)
_NARROW_TYPES = ("bfloat16", "complex32", "float4", "float8")
_LAZY_MODULES = frozenset({"builtins", "itertools", "_asyncio", "concurrent.futures._base"})


class Untransportable(Exception):  # noqa: N818 - an answer of this kind, not an error of ours
    """A value that cannot be taken.

    Args:
        kind: why, a key of `REASONS`.
        detail: which type or dtype it is.
    """

    def __init__(self, kind: str, detail: str = "") -> None:
        super().__init__(kind, detail)
        self.kind = kind
        self.detail = detail
        self.path = ""  # where in the value, as it would be indexed

    def __str__(self) -> str:
        where = f"at {self.path}: " if self.path else ""
        detail = f" ({self.detail})" if self.detail else ""
        return f"{where}{REASONS[self.kind]}{detail}"


def export(value: Any, keep: Callable[[Any], Any], *, leaves: int = LEAVES, size: int = SIZE) -> Any:
    """Return a plain value: None, bool, int, float, complex, str, Fraction, list, tuple, dict, read-only array.

    Args:
        value: anything.
        keep: called with each object that is none of these; what it returns stands in the object's place.
        leaves: how many parts the value may have.
        size: how many bytes its text and arrays may take.

    Raises:
        Untransportable: the value, or a part of it, cannot be taken.
    """
    if type(value) in _AT_ONCE:
        return value
    return _Exporter(keep, leaves, size).node(value)


class _Exporter:
    def __init__(self, keep: Callable[[Any], Any], leaves: int, size: int) -> None:
        self._keep = keep
        self._leaves = leaves
        self._room = size
        self._open: set[int] = set()  # ids of the containers we are inside of

    def node(self, value: Any) -> Any:
        self._leaves -= 1
        if self._leaves < 0:
            raise Untransportable("large")
        kind = type(value)
        exact = _EXACT.get(kind)
        return self._by_class(kind, value) if exact is None else exact(self, value)

    def same(self, value: Any) -> Any:
        return value

    def integer(self, value: int) -> int:
        if not -_INT_BOUND < value < _INT_BOUND:
            raise Untransportable("digits")
        return value

    def text(self, value: str) -> str:
        self._take(len(value))
        return value

    def fraction(self, value: Fraction) -> Fraction:
        return Fraction(self.integer(value.numerator), self.integer(value.denominator))

    def decimal(self, _value: decimal.Decimal) -> Any:
        raise Untransportable("decimal")

    def array(self, value: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        dtype = value.dtype
        _check_dtype(dtype)
        self._take(value.nbytes)
        plain = value.copy() if dtype.isnative else value.astype(dtype.newbyteorder("="), order="C")
        plain.setflags(write=False)
        return plain

    def listed(self, value: Any) -> Any:
        return self._parts(value, [*list.__iter__(value)])

    def tupled(self, value: Any) -> Any:
        return tuple(self._parts(value, [*tuple.__iter__(value)]))

    def _parts(self, value: Any, parts: list[Any]) -> list[Any]:
        if self._all_numbers(parts):
            self._leaves -= len(parts)
            return parts
        with _Inside(self._open, value):
            return [self._part(part, f"[{i}]") for i, part in enumerate(parts)]

    def _all_numbers(self, parts: list[Any]) -> bool:
        """Whether these are numbers that can be taken without a look at each; what cannot, is told one by one."""
        kinds = set(map(type, parts))
        if not kinds <= _FLAT or len(parts) > self._leaves or len(self._open) >= _DEPTH:
            return False
        return int not in kinds or are_short([part for part in parts if type(part) is int])

    def mapped(self, value: Any) -> Any:
        with _Inside(self._open, value):
            return self._mapping((self._key(key), part) for key, part in dict.items(value))

    def fields(self, value: Any, names: Iterable[str]) -> Any:
        with _Inside(self._open, value):
            return self._mapping((name, getattr(value, name)) for name in names)

    def _mapping(self, items: Iterator[tuple[Any, Any]]) -> Any:
        plain: dict[Any, Any] = {}
        for key, part in items:
            if key in plain:
                raise Untransportable("key", "the same key twice")
            plain[key] = self._part(part, f"[{repr(key)[:_KEY_CHARACTERS]}]")
        if collide(plain):
            raise Untransportable("key", "keys chosen to collide")
        return plain

    def _key(self, key: Any) -> Any:
        if type(key) is str:
            return self.node(key)
        if type(key) is tuple:
            return tuple(map(self._key, key))
        if isinstance(key, (str, bool, int, float, np.number, np.bool_)) or key is None:
            plain = self.node(key)
            if plain is None or type(plain) in {str, bool, int, float}:
                return plain
        raise Untransportable("key", type(key).__name__)

    def _part(self, value: Any, step: str) -> Any:
        try:
            return self.node(value)
        except Untransportable as error:
            error.path = step + error.path
            raise

    def _take(self, size: int) -> None:
        self._room -= size
        if self._room < 0:
            raise Untransportable("large")

    def _by_class(self, kind: type, value: Any) -> Any:
        if issubclass(kind, np.ndarray):
            raise Untransportable("subclass", kind.__name__)
        if issubclass(kind, np.generic) and not issubclass(kind, str):
            return self._scalar(value)
        torch = sys.modules.get("torch")
        if torch is not None and issubclass(kind, torch.Tensor):
            return self.array(self._dense(kind, value, torch))
        if torch is not None and issubclass(kind, torch.nn.Module):
            return self._keep(value)
        sympy = sys.modules.get("sympy")
        if sympy is not None and issubclass(kind, (sympy.Basic, sympy.MatrixBase)):
            return self.node(_symbolic(value, sympy))
        return self._by_base(kind, value)

    def _by_base(self, kind: type, value: Any) -> Any:
        if dataclasses.is_dataclass(kind):
            return self.fields(value, [field.name for field in dataclasses.fields(kind)])
        if issubclass(kind, tuple) and hasattr(kind, "_fields"):
            return self.fields(value, kind._fields)
        for base, read in _BASES.items():
            if issubclass(kind, base):
                return _EXACT[base](self, read(value))
        if kind.__module__ in _LAZY_MODULES and (hasattr(kind, "__next__") or hasattr(kind, "__await__")):
            raise Untransportable("lazy", kind.__name__)
        return self._keep(value)

    def _scalar(self, value: np.generic) -> Any:
        _check_dtype(value.dtype)
        if value.dtype == np.float16:
            return self.array(np.array(value))  # its narrowness stays visible
        return np.generic.item(value)

    def _dense(self, kind: type, value: Any, torch: ModuleType) -> np.ndarray[Any, Any]:
        if kind not in {torch.Tensor, torch.nn.Parameter} or _is_wrapped(value, torch):
            raise Untransportable("subclass", kind.__name__)
        if value.is_meta:
            raise Untransportable("abstract")
        if value.is_nested:
            raise Untransportable("nested")
        if value.is_cuda:
            torch.cuda.synchronize(value.device)
        plain = value.detach().dequantize() if value.is_quantized else value
        _check_tensor_type(plain.dtype)
        if math.prod(plain.shape) * plain.itemsize > self._room:
            raise Untransportable("large")
        if plain.layout is not torch.strided:
            plain = plain.detach().to_dense()
        array: np.ndarray[Any, Any] = plain.numpy(force=True)  # without its history, on the CPU, conjugates made
        return array


class _Inside:
    """Marks a container as entered; refuses one that is entered already."""

    def __init__(self, entered: set[int], value: Any) -> None:
        self._entered = entered
        self._id = id(value)

    def __enter__(self) -> None:
        if self._id in self._entered or len(self._entered) >= _DEPTH:
            raise Untransportable("cyclic")
        self._entered.add(self._id)

    def __exit__(self, *_exception: object) -> None:
        self._entered.discard(self._id)


_EXACT: Final[dict[type, Callable[[_Exporter, Any], Any]]] = {
    type(None): _Exporter.same,
    bool: _Exporter.same,
    float: _Exporter.same,
    complex: _Exporter.same,
    int: _Exporter.integer,
    str: _Exporter.text,
    Fraction: _Exporter.fraction,
    decimal.Decimal: _Exporter.decimal,
    np.ndarray: _Exporter.array,
    list: _Exporter.listed,
    tuple: _Exporter.tupled,
    dict: _Exporter.mapped,
}

# How a subclass's value is read: by the base class's own method, whatever the subclass overrides.
_BASES: Final[dict[type, Callable[[Any], Any]]] = {
    int: int.__int__,
    float: float.__float__,
    complex: complex.__pos__,
    str: str.__str__,
    Fraction: lambda value: Fraction(Fraction.numerator.fget(value), Fraction.denominator.fget(value)),  # type: ignore[attr-defined]
    decimal.Decimal: lambda value: value,
    list: lambda value: value,
    tuple: lambda value: value,
    dict: lambda value: value,
}


def _check_dtype(dtype: np.dtype[Any]) -> None:
    if dtype.num in _NUMBERS:
        return
    wide = dtype.kind in "fc" and dtype.itemsize > np.dtype(np.float64).itemsize
    raise Untransportable("wide" if wide else "dtype", f"dtype {dtype!s:.{_KEY_CHARACTERS}}")


@functools.cache
def _check_tensor_type(dtype: Any) -> None:
    name = str(dtype).removeprefix("torch.")
    if name not in _TENSOR_TYPES:
        raise Untransportable("narrow" if name.startswith(_NARROW_TYPES) else "dtype", f"dtype {name}")


def _is_wrapped(value: Any, torch: ModuleType) -> bool:
    functorch = getattr(torch._C, "_functorch", None)  # noqa: SLF001 - torch has no public question for this
    return functorch is not None and functorch.is_functorch_wrapped_tensor(value)


def _symbolic(value: Any, sympy: ModuleType) -> Any:
    if isinstance(value, sympy.MatrixBase):
        return value.tolist()
    if value is sympy.true or value is sympy.false:
        return bool(value)
    if not getattr(value, "is_number", False) or value is sympy.zoo:
        raise Untransportable("symbolic", type(value).__name__)
    if value.is_Rational:
        return int(value.p) if value.is_Integer else Fraction(int(value.p), int(value.q))
    try:
        return float(value) if value.is_extended_real is not False else complex(value)
    except (ArithmeticError, TypeError) as error:
        raise Untransportable("symbolic", type(value).__name__) from error
