"""What a check asks on its examples, found out once: a child can then be given a whole check in one exchange.

Most checks ask the same whatever they are answered. Such a check is run once with the reference in the student's
place, and its calls are kept as a *script*; a student's child performs the script, and the check itself is run on
the answers afterwards, in our process. Nothing else changes: the check judges, and where it asks anything but what
the script says (a question that depends on an answer), that example is asked again, call by call.

Which questions depend on answers is found by experiment: a second run is given answers that differ in their last
digits, and only checks that ask the same in both runs have a script.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from grader import examples
from grader.isolation import packing
from grader.isolation.inside import wire
from grader.isolation.inside.wire import Handle
from grader.isolation.worker import Line, handles, seed_of
from grader.patience import impatient
from grader.student import Call, Log, Object, Proxy, has_handle, mapped

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from grader.examples import Example, Stored
    from grader.isolation.worker import Performance
    from grader.problem import Check
    from grader.student import Answers, Target

    Given = tuple[tuple[Any, ...], dict[str, Any]]

SHAKE = 1 + 2.0**-40  # far below what any check can tell, far above rounding
SHARED = (bool, int, float, complex, str, Fraction, type(None))


class Diverged(BaseException):
    """A check asks something else than its script says; no check may catch it, so it is no Exception."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One call of a script: as it was sent, and with the arguments as the check gave them."""

    call: Call
    given: Given
    refused: bool  # the reference raises here, so an answer may


@dataclass(frozen=True, slots=True)
class Scene:
    """One example of a check: what it asks the student, and what the reference answers in it."""

    example: Example
    asked: tuple[Asked, ...]
    told: tuple[Asked, ...]  # by the reference; none where it makes objects

    def arguments(self) -> Example:
        """Return the example's arguments, with containers of their own."""
        return dict(mapped(self.example, lambda leaf: leaf))


@dataclass(frozen=True, slots=True)
class Script:
    """A check's scenes, and what is asked in them, packed for a child."""

    scenes: tuple[Scene, ...]
    lines: tuple[Line, ...]
    packed: bytes


class Recorder(Proxy):
    """A proxy that puts what it is asked into a list, and how; every public name is a function's."""

    def __init__(self, answers: Answers, asked: list[Asked], *, dtype: str, takes_tensors: Mapping[str, bool]) -> None:
        super().__init__(answers, Log(), dtype=dtype, takes_tensors=takes_tensors)
        self._asked = asked

    def _call(self, target: Target, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        call = self._question(target, args, kwargs)
        call = replace(call, known=call.question)
        given, place = mapped((args, kwargs), _frozen), len(self._asked)
        self._asked.append(Asked(call, given, refused=True))
        value = self._answers.call(call.target, call.args, call.kwargs, tensors=call.tensors)
        self._asked[place] = Asked(call.answered(value), given, refused=False)
        return self._wrapped(value)


class Shaken:
    """Answers as somebody else does, but for the last digits of every number that has some."""

    def __init__(self, answers: Answers) -> None:
        self._answers = answers

    def call(self, target: Target, args: tuple[Any, ...], kwargs: dict[str, Any], *, tensors: bool) -> Any:
        """Answer one call."""
        return mapped(self._answers.call(target, args, kwargs, tensors=tensors), _shaken)

    def forget(self) -> None:
        """An example has ended."""
        self._answers.forget()


class Prompter(Proxy):
    """A proxy that answers from a script.

    Args:
        asked: the questions and, in their calls, the answers; a call with a fault raises it.
        log: keeps the calls.
    """

    def __init__(self, asked: Sequence[Asked], log: Log) -> None:
        self._asked = iter(asked)
        self._log = log
        self._strayed = False

    def _call(self, target: Target, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        asked = next(self._asked, None)
        if asked is None or not _asks(asked, target, args, kwargs):
            self._strayed = True
            raise Diverged
        self._log.add(asked.call)
        if asked.call.fault is not None:
            raise asked.call.fault.with_traceback(None)
        return self._wrapped(asked.call.value) if asked.call.objects else asked.call.value


def strayed(prompter: Prompter) -> bool:
    """Whether a prompter was asked something else, even if the check has swallowed that."""
    return prompter._strayed  # noqa: SLF001 - one unit


class Teller(Proxy):
    """The reference's proxy: what it told when the script was made, and anything else by asking it."""

    def __init__(self, told: Sequence[Asked], answers: Answers, **conditions: Any) -> None:
        super().__init__(answers, Log(), **conditions)
        self._told = iter(told)

    def _call(self, target: Target, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        told = next(self._told, None)
        if told is not None and not told.refused and _asks(told, target, args, kwargs):
            return told.call.value
        return super()._call(target, args, kwargs)


def write(
    check: Check,
    stored: Stored,
    student: Answers,
    reference: Answers,
    *,
    dtype: str,
    takes_tensors: Mapping[str, bool],
    seed: int,
    patience: float | None = None,
) -> Script | None:
    """Return the script of a check; None if what it asks depends on answers.

    Args:
        check: the check.
        stored: its examples.
        student: who answers in a student's place: as the reference does, and numbers objects by itself.
        reference: who answers as the reference.
        dtype: what float arguments are rounded to.
        takes_tensors: which functions get torch tensors.
        seed: of the children that will perform it.
        patience: seconds that one example may take here; a check that takes longer has no script.
    """
    record = functools.partial(_recorded, check, dtype=dtype, takes_tensors=takes_tensors, patience=patience)
    scenes: list[Scene] = []
    for one in stored:
        scene = record(examples.decode(one), student, reference)
        again = record(examples.decode(one), Shaken(student), reference)
        if scene is None or again is None or not _alike(scene.asked, again.asked):
            return None
        scenes.append(scene)
    asked = [one for scene in scenes for one in scene.asked]
    lines = tuple(
        Line(one.call.target, len(one.call.args), tuple(one.call.kwargs), place, refused=one.refused)
        for place, scene in enumerate(scenes)
        for one in scene.asked
    )
    longest = max(len(scene.asked) for scene in scenes)
    columns = {
        "scenes": [len(scene.asked) for scene in scenes],
        "seeds": [seed_of(seed, number + 1) for number in range(longest)],
        "targets": [one.call.target for one in asked],
        # Each call has arrays of its own, whatever it does to them.
        "args": [mapped(one.call.args, _copied) for one in asked],
        "kwargs": {row: mapped(one.call.kwargs, _copied) for row, one in enumerate(asked) if one.call.kwargs},
        "tensors": [one.call.tensors for one in asked],
        "objects": [has_handle((one.call.args, one.call.kwargs)) for one in asked],
        "refused": [one.refused for one in asked],
    }
    try:
        wire.encode(columns)  # what cannot be sent call by call is not sent at once either
    except wire.WireError:
        return None
    return Script(tuple(scenes), lines, packing.pack(columns))


@functools.lru_cache(maxsize=16)
def request(scripts: tuple[bytes, ...]) -> bytes:
    """Return the request that has packed scripts performed, as a frame for any nonce; every student gets the same.

    Raises:
        WireError: together they are too large.
    """
    parts = [np.frombuffer(packed, np.uint8) for packed in scripts]
    return wire.encode({"op": "perform", "scripts": parts}, leaves=wire.ROOM_LEAVES, size=wire.ROOM_SIZE)


def answered(script: Script, performance: Performance) -> list[list[Asked]]:
    """Return the scenes' questions with a child's answers in them; the last scene may end early."""
    scenes: list[list[Asked]] = [[] for _ in script.scenes]
    own: dict[int, Handle] = {}  # the student's objects of the scene
    place = -1
    questions = (asked for scene in script.scenes for asked in scene.asked)
    for number, (line, asked, value) in enumerate(zip(script.lines, questions, performance.values, strict=False)):
        if line.scene != place:
            place = line.scene
            own.clear()
        call = asked.call.with_objects(own) if own else asked.call
        if number in performance.faults:
            call = call.failed(performance.faults[number])
        else:
            call = call.answered(value)
            if call.objects:
                own.update((handle.id, handle) for handle in handles(value))
        scenes[place].append(Asked(call, asked.given, asked.refused))
    return scenes


def _recorded(
    check: Check,
    example: Example,
    student: Answers,
    reference: Answers,
    *,
    dtype: str,
    takes_tensors: Mapping[str, bool],
    patience: float | None,
) -> Scene | None:
    """Run a check with somebody trusted in the student's place; None if it does not pass."""
    asked: list[Asked] = []
    told: list[Asked] = []
    kept = mapped(example, lambda leaf: leaf)
    recorder = functools.partial(Recorder, dtype=dtype, takes_tensors=takes_tensors)
    passes = _passes(check, example, recorder(student, asked), recorder(reference, told), patience)
    student.forget()
    reference.forget()
    if not passes:
        return None
    objects = any(one.call.objects for one in told)
    return Scene(kept, tuple(asked), () if objects else tuple(told))


def questions(
    check: Check,
    example: Example,
    reference: Answers,
    *,
    dtype: str,
    takes_tensors: Mapping[str, bool],
    patience: float | None,
) -> frozenset[bytes]:
    """Return what a check asks of the reference on an example, in the student's place, refused or not."""
    asked: list[Asked] = []
    recorder = functools.partial(Recorder, reference, dtype=dtype, takes_tensors=takes_tensors)
    _passes(check, example, recorder(asked), recorder([]), patience)
    reference.forget()
    return frozenset(one.call.known for one in asked)


def _passes(check: Check, example: Example, student: Recorder, reference: Recorder, patience: float | None) -> bool:
    arguments = {**example, "student": student} | ({"reference": reference} if "reference" in check.parameters else {})
    try:
        with impatient(patience):
            check.function(**arguments)
    except Exception:  # noqa: BLE001 - whoever judges with it will say what is wrong
        return False
    return True


def _alike(one: Sequence[Asked], other: Sequence[Asked]) -> bool:
    pairs = zip(one, other, strict=False)
    return len(one) == len(other) and all(
        _asks(a, b.call.target, *b.given) and a.refused == b.refused for a, b in pairs
    )


def _asks(asked: Asked, target: Target, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    call = asked.call
    if isinstance(target[0], Handle) and isinstance(call.target[0], Handle):
        alike = target[0].id == call.target[0].id and target[1:] == call.target[1:]
    else:
        alike = target == call.target
    return alike and same(asked.given[0], args) and same(asked.given[1], kwargs)


def same(one: Any, other: Any) -> bool:
    """Whether two arguments are the same to the last bit; False where that cannot be told.

    >>> same([0.0, np.ones(2)], [0.0, np.ones(2)]), same(0.0, -0.0), same(1, 1.0), same(math.nan, math.nan)
    (True, False, False, True)
    """
    kind = type(one)
    if kind is not type(other):
        return False
    if kind is float:
        if one == other:
            return one != 0.0 or math.copysign(1.0, one) == math.copysign(1.0, other)
        return bool(one != one and other != other)  # noqa: PLR0124 - NaN alone is unequal to itself
    if kind is np.ndarray:
        return one is other or (
            one.dtype == other.dtype and one.shape == other.shape and one.tobytes() == other.tobytes()
        )
    if kind is list or kind is tuple:
        return len(one) == len(other) and all(map(same, one, other))
    if kind is dict:
        return list(one) == list(other) and all(map(same, one.values(), other.values()))
    if kind is Object:
        return bool(one._handle.id == other._handle.id)  # noqa: SLF001 - one unit
    if isinstance(one, np.generic):
        return bool(one.dtype == other.dtype and one.tobytes() == other.tobytes())
    return bool(repr(one) == repr(other)) if kind is complex else kind in SHARED and bool(one == other)


def _frozen(leaf: Any) -> Any:
    """Return a leaf that no check can change afterwards."""
    return leaf.copy() if isinstance(leaf, np.ndarray) and leaf.flags.writeable else leaf


def _copied(leaf: Any) -> Any:
    return leaf.copy() if isinstance(leaf, np.ndarray) else leaf


def _shaken(leaf: Any) -> Any:
    """Change the last digits of what has any: a whole number may be held against one exactly."""
    if isinstance(leaf, (float, complex)):
        return leaf if leaf == np.rint(leaf) else leaf * SHAKE
    if isinstance(leaf, np.ndarray) and leaf.dtype.kind in "fc":
        return np.where(leaf == np.rint(leaf), leaf, leaf * SHAKE).astype(leaf.dtype)
    return leaf
