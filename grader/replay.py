"""Writes a replay script: a check's failing calls again, with inputs, the recorded answer and the wanted value.

The script is for an instructor at a desk. It needs numpy alone (torch where the problem does), not the grader, and
it runs the student's file in its own process, which it says in its first lines.
"""

from __future__ import annotations

import base64
import inspect
import zlib
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from grader import compare, diagnose, replaykit
from grader.errors import UsageError
from grader.isolation.inside.wire import Handle
from grader.outcome import arguments, spelled

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from grader.student import Answers, Call
    from grader.submission import Answer
    from grader.verdict import CheckResult

WRITTEN_OUT = 512  # entries of an array that are written as numbers; larger ones are packed
HEADER = """\
# For instructors: this file holds hidden inputs and wanted values. Do not hand it out.
# It runs the student's code in its own process, without isolation: read that code before you run this.
"""


@dataclass(frozen=True, slots=True)
class Replayed:
    """One check's failing example: its calls in order, and the reference's answers to them."""

    check: str
    promise: str
    status: str
    said: str  # what the check said, for the instructor
    example: Mapping[str, Any]
    calls: Sequence[Call]
    wanted: Sequence[Any]

    @staticmethod
    def of(
        check: CheckResult, said: str, example: Mapping[str, Any], calls: Sequence[Call], reference: Answers
    ) -> Replayed:
        """Return a check's failing example with the reference's answers to its calls."""
        wanted = diagnose.replay(calls, reference)
        return Replayed(check.name, check.promise, check.status.value, said, example, calls, wanted)

    @property
    def telling(self) -> tuple[int, ...]:
        """The places of the calls that differ from the reference; of all, where each is right by itself."""
        every = range(len(self.calls))
        return tuple(place for place in every if self._differs(place)) or tuple(every)

    def _differs(self, place: int) -> bool:
        call, wanted = self.calls[place], self.wanted[place]
        return call.fault is not None or wanted is diagnose.MISSING or not compare.agree(call.value, wanted)


@dataclass(frozen=True, slots=True)
class Origin:
    """Where the student's code comes from: a file on this machine, or texts where it was packed."""

    slug: str
    answer: Answer
    path: Path | None
    probes: str
    dtype: str


def script(student: str, origin: Origin, checks: Sequence[Replayed]) -> str:
    """Return the text of the script."""
    tensors = any(call.tensors for check in checks for call in check.calls)
    parts = [
        HEADER + f"# {_comment(f'{student}, {origin.slug}')}",
        _kit(),
        "from base64 import b64decode\nfrom fractions import Fraction\nfrom zlib import decompress",
        "inf, nan = float('inf'), float('nan')",
        *([f"import torch\n\ntorch.set_default_dtype(torch.{origin.dtype})"] if tensors else []),
        _loading(origin),
    ]
    parts += ["\n".join(_replay(check)) for check in checks]
    return "\n\n".join(parts) + "\n"


def write(path: Path, text: str) -> None:
    """Write a script.

    Raises:
        UsageError: the file exists already, or cannot be written.
    """
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError as error:
        raise UsageError(f"{path} exists already; name another file for the replay") from error
    except OSError as error:
        raise UsageError(f"{path} cannot be written ({error.strerror}); name another file for the replay") from error


def literal(value: Any) -> str:
    """Return Python text that gives exactly this value; arrays keep their dtype and shape.

    >>> literal({"x": [0.1, Fraction(1, 3)], "n": np.float64("inf")})
    "{'x': [0.1, Fraction(1, 3)], 'n': inf}"
    >>> literal(np.array([[1, 2]], dtype=np.int32))
    "np.array([[1, 2]], dtype='int32')"
    """
    if isinstance(value, np.ndarray):
        return _array(value)
    if isinstance(value, np.generic):
        return literal(value.item())
    if isinstance(value, Handle):
        return f"Kept({value.kind!a})"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{literal(key)}: {literal(item)}' for key, item in value.items())}}}"
    if isinstance(value, (list, tuple)):
        return _sequence(value)
    return _scalar(value)


def _scalar(value: Any) -> str:
    if isinstance(value, Fraction):
        return f"Fraction({_scalar(value.numerator)}, {_scalar(value.denominator)})"
    if isinstance(value, complex):
        return f"complex({value.real!r}, {value.imag!r})"
    return ascii(value)


def _sequence(value: Sequence[Any]) -> str:
    inside = ", ".join(map(literal, value))
    if isinstance(value, list):
        return f"[{inside}]"
    return f"({inside},)" if len(value) == 1 else f"({inside})"


def _array(value: np.ndarray[Any, Any]) -> str:
    dtype = value.dtype.newbyteorder("=")
    if value.size <= WRITTEN_OUT and value.size and dtype.itemsize <= np.dtype(np.complex128).itemsize:
        return f"np.array({literal(value.tolist())}, dtype={dtype.name!r})"
    packed = base64.b64encode(zlib.compress(value.astype(dtype).tobytes())).decode()
    return f"np.frombuffer(decompress(b64decode({packed!r})), dtype={dtype.name!r}).reshape({value.shape})"


def _kit() -> str:
    text = inspect.getsource(replaykit)
    return text[text.index("import contextlib") :].rstrip()


def _loading(origin: Origin) -> str:
    if origin.path is not None:
        lines = [f"student = from_file({str(origin.path)!a}, {origin.slug!r})"]
    else:
        cells, beside = literal(list(origin.answer.main.cells)), literal(dict(origin.answer.helpers))
        lines = [f"student = from_cells({cells}, {origin.slug!r}, {beside})"]
    if origin.probes:
        lines.append(f"probes = from_cells([{origin.probes!a}], 'probes', {{}})")
    return "\n".join(lines)


def _replay(check: Replayed) -> Iterator[str]:
    """Yield the lines of one check: every call is made, since later ones may need what earlier ones returned."""
    yield f"# {_comment(f'check {check.check}: {check.promise}')}"
    yield from (f"# {_comment(line)}" for line in (f"{check.status}. {check.said}").splitlines())
    if check.example:
        yield f"# {_comment(f'with {arguments(check.example)}')}"
    made: dict[int, str] = {}
    for place, call in enumerate(check.calls):
        name = f"got_{place + 1}"
        yield f"{name} = {_spelled(call, made)}"
        made.update(_handles(call.value, name))
        if place in check.telling:
            title = ascii(f"{check.check}, call {place + 1}: {spelled(call)}")
            yield f"show({title}, {name}, recorded={_recorded(call)}, wanted={_wanted(check.wanted[place])})"


def _spelled(call: Call, made: Mapping[int, str]) -> str:
    words = [_argument(value, made) for value in call.args]
    words += [f"{name}={_argument(value, made)}" for name, value in call.kwargs.items()]
    words += ["tensors=True"] if call.tensors else []
    return f"call({', '.join([_function(call, made), *words])})"


def _function(call: Call, made: Mapping[int, str]) -> str:
    head, *rest = call.target
    if isinstance(head, Handle):
        owner = made.get(head.id, "None")
        return f"{owner}.{rest[0]}" if rest and rest[0] else owner
    return f"probes.{rest[0]}" if head == "probe" else f"student.{head}"


def _argument(value: Any, made: Mapping[int, str]) -> str:
    if isinstance(value, Handle):
        return made.get(value.id, "None")
    if isinstance(value, list) and any(isinstance(item, Handle) for item in value):
        return f"[{', '.join(_argument(item, made) for item in value)}]"
    return literal(value)


def _handles(value: Any, path: str) -> dict[int, str]:
    """Return where in an answer each object lies that a later call may need."""
    if isinstance(value, Handle):
        return {value.id: path}
    if isinstance(value, dict):
        pairs = [(f"{path}[{literal(key)}]", item) for key, item in value.items()]
    elif isinstance(value, (list, tuple)):
        pairs = [(f"{path}[{place}]", item) for place, item in enumerate(value)]
    else:
        return {}
    return {id_: where for there, item in pairs for id_, where in _handles(item, there).items()}


def _recorded(call: Call) -> str:
    if call.fault is None:
        return literal(call.value)
    return f"Ended({f'{call.fault.status.value}: {call.fault.summary}'!a})"


def _wanted(value: Any) -> str:
    return "Ended('the reference does not answer this call')" if value is diagnose.MISSING else literal(value)


def _comment(text: str) -> str:
    """Return a text as one line of a comment."""
    return ascii(" ".join(text.split()))[1:-1]
