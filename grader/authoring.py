"""The author's words: decorators that only mark a function. They run nothing and register nothing.

A check, and the mark that it leaves:

>>> @check(points=2)
... def adds_up(student):
...     '''Two and three make five.'''
>>> adds_up.__grader__.points
2
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from grader.errors import AuthoringError, Failure, GraderError, StudentFault
from grader.verdict import Status

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from hypothesis.strategies import SearchStrategy

    Given = Mapping[str, SearchStrategy[Any]] | SearchStrategy[dict[str, Any]]

F = TypeVar("F", bound="Callable[..., Any]")
Dimension = "int | SearchStrategy[int]"


@dataclass(frozen=True, slots=True)
class CheckMark:
    """What ``@check`` leaves on a function."""

    points: float
    given: Given | None
    examples: int
    free: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class VariantMark:
    """What ``@right`` and ``@wrong`` leave on a function or class."""

    right: bool
    replaces: str
    caught_by: str = ""
    hint: str = ""
    alike: str = ""


@dataclass(frozen=True, slots=True)
class Settings:
    """The conditions that a problem is judged under; students run under them too.

    ``seconds`` is CPU time of one check over all its examples, measured from outside the child;
    ``import_seconds`` the same for importing the student's file, ``problem_seconds`` for all checks of the problem
    together; waiting counts a third. ``memory_mib`` is what the child may take beyond what it starts with. ``dtype``
    and ``devices`` pin what a run may otherwise choose. ``by_hand`` problems run where torch cannot be imported.
    """

    seconds: float = 2.0
    import_seconds: float = 10.0
    problem_seconds: float = 60.0
    memory_mib: int = 1024
    threads: int = 1
    dtype: str | None = None
    devices: tuple[str, ...] = ()
    autograd: bool = True
    by_hand: bool = False
    source: str = ""


def check(
    *,
    points: float = 1,
    given: Given | None = None,
    examples: int = 16,
    free: Mapping[str, str] | None = None,
) -> Callable[[F], F]:
    """Mark a function as a check; its docstring is the promise that a student reads.

    The function's arguments are filled by name: ``student``, ``reference`` (hidden checks only) and the names
    of ``given``.

    Args:
        points: what the check is worth.
        given: a dict of Hypothesis strategies by argument, or one strategy that yields such a dict.
        examples: how many sets of arguments are drawn; a check without ``given`` has one.
        free: functions with many right answers, and why; ``grade verify`` makes no generic wrong answers of
            them in this check.

    >>> @check(points=3)
    ... def doubles(student):
    ...     '''Doubling two gives four.'''
    >>> doubles.__grader__.examples
    16
    """
    if not (isinstance(points, (int, float)) and math.isfinite(points) and points >= 0):
        raise AuthoringError(f"check(points=...) must be a number from 0 up; got {points!r}")
    if not (isinstance(examples, int) and examples >= 1):
        raise AuthoringError(f"check(examples=...) must be a whole number from 1 up; got {examples!r}")
    mark = CheckMark(points=points, given=given, examples=examples, free=dict(free or {}))
    return _marking(mark)


def right(*, replaces: str) -> Callable[[F], F]:
    """Mark a function, class or method as a right answer of another make.

    Args:
        replaces: ``"f"``, ``"Class"`` or ``"Class.method"`` of the reference.

    >>> @right(replaces="double")
    ... def by_adding(x):
    ...     return x + x
    >>> by_adding.__grader__.replaces
    'double'
    """
    _demand_text(replaces=replaces)
    return _marking(VariantMark(right=True, replaces=replaces))


def wrong(*, replaces: str, caught_by: str, hint: str = "", alike: str = "") -> Callable[[F], F]:
    """Mark a function, class or method as a known mistake.

    Args:
        replaces: ``"f"``, ``"Class"`` or ``"Class.method"`` of the reference.
        caught_by: the name of the check that must fail.
        hint: what to tell a student whose numbers are these.
        alike: another wrong variant that gives the same numbers, whose hint this one shares; in place of
            ``hint``.

    >>> @wrong(replaces="double", caught_by="doubles", hint="Is the factor two or the power two?")
    ... def squares(x):
    ...     return x * x
    >>> squares.__grader__.caught_by
    'doubles'
    """
    _demand_text(replaces=replaces, caught_by=caught_by, hint=hint, alike=alike)
    if bool(hint) == bool(alike):
        raise AuthoringError("wrong(...) takes a hint, or alike=... to share another's; exactly one of them")
    return _marking(VariantMark(right=False, replaces=replaces, caught_by=caught_by, hint=hint, alike=alike))


def settings(
    *,
    seconds: float = 2.0,
    import_seconds: float = 10.0,
    problem_seconds: float = 60.0,
    memory_mib: int = 1024,
    threads: int = 1,
    dtype: str | None = None,
    devices: Sequence[str] = (),
    autograd: bool = True,
    by_hand: bool = False,
    source: str = "",
) -> Settings:
    """Return the conditions of a problem; ``visible.py`` keeps them under a name of its own.

    Written as ``limits = settings(seconds=1)``.

    Raises:
        AuthoringError: a value is out of range.

    >>> settings(seconds=1).import_seconds
    10.0
    """
    for name, value in (
        ("seconds", seconds),
        ("import_seconds", import_seconds),
        ("problem_seconds", problem_seconds),
    ):
        if not (isinstance(value, (int, float)) and 0 < value < math.inf):
            raise AuthoringError(f"settings({name}=...) must be a finite number greater than 0; got {value!r}")
    for name, value in (("memory_mib", memory_mib), ("threads", threads)):
        if not (isinstance(value, int) and value > 0):
            raise AuthoringError(f"settings({name}=...) must be a whole number greater than 0; got {value!r}")
    if dtype not in {None, "float32", "float64"}:
        raise AuthoringError(f"settings(dtype=...) must be 'float32' or 'float64'; got {dtype!r}")
    if not set(devices) <= {"cpu", "cuda"}:
        raise AuthoringError(f"settings(devices=...) may hold 'cpu' and 'cuda'; got {devices!r}")
    return Settings(
        seconds=float(seconds),
        import_seconds=float(import_seconds),
        problem_seconds=float(problem_seconds),
        memory_mib=memory_mib,
        threads=threads,
        dtype=dtype,
        devices=tuple(devices),
        autograd=autograd,
        by_hand=by_hand,
        source=source,
    )


def refuses(error: type[BaseException], function: Callable[..., Any], *args: Any, **kwargs: Any) -> None:
    """Demand that a call raises ``error`` or a subclass of it.

    ``NotImplementedError`` never satisfies it: an answer that is not there yet refuses nothing. Neither does a
    missing function, a limit that was passed, or a fault of our own.

    Raises:
        Failure: the call returned.
        StudentFault: the student's call ended otherwise: another exception, a limit, no answer.

    >>> refuses(ValueError, int, "x")
    >>> refuses(ValueError, int, "7")
    Traceback (most recent call last):
        ...
    grader.errors.Failure: int accepted arguments that it must refuse with ValueError
    """
    name = getattr(function, "__name__", repr(function))
    try:
        function(*args, **kwargs)
    except StudentFault as fault:
        if fault.status is not Status.CRASHED or error.__name__ not in fault.exception:
            raise
        if "NotImplementedError" in fault.exception:
            raise
        fault.excused = True
        return
    except error as caught:
        if isinstance(caught, (NotImplementedError, GraderError)):
            raise
        return
    raise Failure(f"{name} accepted arguments that it must refuse with {error.__name__}", kind="refusal")


def normal(shape: Any, scale: float = 1.0) -> SearchStrategy[Any]:
    """Return a Hypothesis strategy of arrays with independent normal entries.

    A shape and a seed are drawn and the array is filled from them: a strategy that draws every entry draws
    mostly repeated values.

    Args:
        shape: an int, or a tuple of ints and of strategies of ints.
        scale: standard deviation.

    >>> from hypothesis import find, settings as hypothesis_settings
    >>> find(normal((2, 3)), lambda array: True, settings=hypothesis_settings(database=None)).shape
    (2, 3)
    """
    return _filled(shape, lambda generator, size: generator.normal(0.0, scale, size))


def uniform(shape: Any, low: float = 0.0, high: float = 1.0) -> SearchStrategy[Any]:
    """Return a Hypothesis strategy of arrays with independent entries, uniform in [low, high).

    Args:
        shape: an int, or a tuple of ints and of strategies of ints.
        low: lower end.
        high: upper end.

    >>> from hypothesis import find, settings as hypothesis_settings
    >>> drawn = find(uniform(3, 1, 2), lambda array: True, settings=hypothesis_settings(database=None))
    >>> drawn.shape, bool((drawn >= 1).all() and (drawn < 2).all())
    ((3,), True)
    """
    return _filled(shape, lambda generator, size: generator.uniform(low, high, size))


def _filled(shape: Any, fill: Callable[..., Any]) -> SearchStrategy[Any]:
    import numpy as np
    from hypothesis import strategies as st

    sizes = shape if isinstance(shape, tuple) else (shape,)
    drawn = st.tuples(*(st.just(size) if isinstance(size, int) else size for size in sizes))
    return st.builds(lambda size, seed: fill(np.random.default_rng(seed), size), drawn, st.integers(0, 2**32 - 1))


def _demand_text(**words: object) -> None:
    for name, value in words.items():
        if not isinstance(value, str):
            raise AuthoringError(f"{name}=... must be text; got {value!r}")


def _marking(mark: CheckMark | VariantMark) -> Callable[[F], F]:
    def decorate(function: F) -> F:
        function.__grader__ = mark  # type: ignore[attr-defined]
        return function

    return decorate
