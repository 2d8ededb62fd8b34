"""How a student's call can end, in sentences.

A summary may be shown for a hidden check, so no word of it comes from the child: labels are the author's, files
and lines are checked against what was handed in, an exception is named only if it is one that everybody has.
What the child says goes into the text and the traceback.
"""

from __future__ import annotations

import builtins
import signal
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from grader.errors import StudentFault
from grader.isolation.inside.values import REASONS
from grader.isolation.inside.wire import WireError
from grader.verdict import Status

if TYPE_CHECKING:
    from collections.abc import Mapping

    from grader.isolation.profile import Exit, Source

T = TypeVar("T")

_COMMON = frozenset(
    {name for name, kind in vars(builtins).items() if isinstance(kind, type) and issubclass(kind, BaseException)}
    | {"LinAlgError", "OutOfMemoryError"}
)
_OFFLINE = frozenset({"URLError", "HTTPError", "gaierror", "herror", "ConnectionError"})
_ANYTHING = frozenset({"Exception", "BaseException"})
_TEXT_CHARACTERS = 2000
_LINE_CHARACTERS = 200
_CLASSES = 20
_FRAMES = 64

_SIGNALS = {
    "SIGABRT": "the program aborted",
    "SIGBUS": "bus error",
    "SIGFPE": "arithmetic error",
    "SIGILL": "illegal instruction",
    "SIGKILL": "killed",
    "SIGSEGV": "segmentation fault",
    "SIGSYS": "a system call that is not allowed",
    "SIGTERM": "terminated",
}
_WINDOWS_FAULTS = {0xC0000005: "SIGSEGV", 0xC00000FD: "SIGSEGV"}  # access violation, stack overflow


@dataclass(frozen=True, slots=True)
class Subject:
    """What the child was asked for."""

    label: str  # "`f`", or "importing xor.py"
    file: str  # where the student wrote it
    importing: bool = False
    arguments: str = ""  # "2 arguments"

    @property
    def meanwhile(self) -> str:
        """The words for when it happened."""
        return f"while {self.file} was being imported" if self.importing else f"while {self.label} was running"


@dataclass(frozen=True, slots=True)
class Report:
    """What a child says about how a call ended; nothing in it is to be believed."""

    kind: str
    classes: tuple[str, ...]
    text: str
    frames: tuple[tuple[str, int, str, str], ...]
    memory: bool
    name: str
    reason: str

    @staticmethod
    def read(said: Any) -> Report:
        """Return a report with every field of its type and of bounded length.

        Raises:
            WireError: it is not a report.
        """
        try:
            frames = [
                (_exact(str, file), _exact(int, line), clean(name, _LINE_CHARACTERS), clean(text, _LINE_CHARACTERS))
                for file, line, name, text in said["frames"][:_FRAMES]
            ]
            return Report(
                kind=_exact(str, said["kind"]),
                classes=tuple(clean(name, _LINE_CHARACTERS) for name in said["mro"][:_CLASSES]),
                text=clean(said["text"], _TEXT_CHARACTERS),
                frames=tuple(frames),
                memory=said["memory"] is True,
                name=_exact(str, said["name"]),
                reason=_exact(str, said["reason"]),
            )
        except (AttributeError, LookupError, TypeError, ValueError) as error:
            raise WireError("a reply has not the form of one") from error


def known_files(source: Source) -> dict[str, int]:
    """Return the number of lines of each of the student's files, by the name that tracebacks show."""
    lines = {f"{name.replace('.', '/')}.py": _lines(text) for name, text in source.helpers}
    for file, text in main_files(source):
        lines[file] = _lines(text)
    return lines


def main_files(source: Source) -> list[tuple[str, str]]:
    """Return the answer's own files or cells: the name that tracebacks show, and the text."""
    if not source.main.notebook:
        return [(source.main.name, text) for text in source.main.cells]
    return [(f"{source.main.name}, cell {i}", text) for i, text in enumerate(source.main.cells, 1)]


def reported(report: Report, subject: Subject, files: Mapping[str, int], hidden: tuple[str, ...]) -> StudentFault:
    """Return the fault that a report describes.

    Args:
        report: what the child said.
        subject: what it was asked for.
        files: the student's files, and how many lines each has.
        hidden: packages that cannot be imported in the child.

    Raises:
        WireError: the report is of no kind that there is.
    """
    status, summary = _judged(report, subject, _place(report, files), hidden)
    return StudentFault(
        status,
        summary,
        exception=report.classes,
        text=report.text,
        traceback=_traceback(report, files),
        frames=tuple(frame for frame in report.frames if frame[0] in files),
    )


def _judged(report: Report, subject: Subject, place: str, hidden: tuple[str, ...]) -> tuple[Status, str]:
    label, at = subject.label, f" at {place}" if place else ""
    match report.kind:
        case "exception":
            return _raised(report, subject, place, hidden)
        case "exit":
            return Status.CRASHED, f"{label} called exit(){at}; a return is wanted"
        case "missing":
            return Status.NOT_ATTEMPTED, f"{label} is missing from {subject.file}"
        case "uncallable":
            return Status.CRASHED, f"{label} is not a function, so it cannot be called"
        case "signature":
            return Status.CRASHED, (
                f"{label} does not take the {subject.arguments} that it is called with (TypeError); "
                "is its first line as it was handed out?"
            )
        case "untransportable":
            return Status.UNUSABLE, f"{label} returned {REASONS.get(report.reason, 'a value that cannot be taken')}"
    raise WireError("a reply is of no kind that there is")


def _raised(report: Report, subject: Subject, place: str, hidden: tuple[str, ...]) -> tuple[Status, str]:
    label, at = subject.label, f" at {place}" if place else ""
    if report.memory:
        return Status.OUT_OF_MEMORY, f"{label} ran out of memory{at}; {_SMALLER}"
    if "NotImplementedError" in report.classes and subject.importing:
        return Status.NOT_ATTEMPTED, f"{label} reached what is not written yet{at} (NotImplementedError)"
    if "NotImplementedError" in report.classes:
        return Status.NOT_ATTEMPTED, f"{label} is not written yet (NotImplementedError{at})"
    if report.name in hidden:
        return Status.CRASHED, f"{label} asks for {report.name}{at}, and this problem is solved without it"
    if subject.importing and "SyntaxError" in report.classes:
        return Status.CRASHED, f"{place or subject.file} is not valid Python ({_kind(report.classes)})"
    if _OFFLINE.intersection(report.classes):
        return Status.CRASHED, f"{label} asked for the network{at}, and there is none here"
    return Status.CRASHED, f"{label} raised {_kind(report.classes)}{at}"


_SMALLER = "does something grow with every step, or is an array larger than it need be?"


def used_too_much_cpu(subject: Subject, seconds: float, *, alone: bool) -> StudentFault:
    """Return the fault of CPU time used up, by this call alone or together with those before it."""
    limit = f"more than {seconds:g} s of CPU time"
    if subject.importing or alone:
        summary = f"{subject.label} used {limit}; is there a loop that does not end?"
    else:
        summary = f"the calls of this check together used {limit}, the last of them {subject.label}; is one too slow?"
    return StudentFault(Status.TIMED_OUT, summary)


def did_not_answer(subject: Subject, seconds: float, *, idle: bool) -> StudentFault:
    """Return the fault of wall time used up; ``idle`` if hardly any of it was CPU time."""
    why = "it slept or waited for something (a lock, or input?)" if idle else "is there a loop that does not end?"
    summary = f"{subject.label} did not finish within {seconds:g} s; {why}"
    return StudentFault(Status.TIMED_OUT, summary)


def took_too_much_memory(subject: Subject, mebibytes: int) -> StudentFault:
    """Return the fault of memory used up."""
    return StudentFault(Status.OUT_OF_MEMORY, f"{subject.label} used more than {mebibytes} MiB of memory; {_SMALLER}")


def printed_too_much(subject: Subject, size: int) -> StudentFault:
    """Return the fault of an output that is too long."""
    return StudentFault(
        Status.TOO_MUCH_OUTPUT,
        f"{subject.label} printed more than {size // 2**20} MiB; is there a print in a loop?",
    )


def broke_protocol(subject: Subject, why: str) -> StudentFault:
    """Return the fault of a reply that is none."""
    return StudentFault(
        Status.UNUSABLE,
        f"the answer of {subject.label} could not be read: something else wrote to the grader's channel",
        text=why,
    )


def ended(subject: Subject, how: Exit) -> StudentFault:
    """Return the fault of a process that ended before it answered."""
    name = _WINDOWS_FAULTS.get(how.code or 0, "") if how.signal is None else _signal_name(how.signal)
    manner = f"was ended by {name}" if name else f"exited with code {how.code}"
    if name in _SIGNALS:
        manner += f" ({_SIGNALS[name]})"
    return StudentFault(Status.CRASHED, f"the process {manner} {subject.meanwhile}")


def clean(text: str, limit: int) -> str:
    """Return text that is safe to print: bounded, with what cannot be seen written as an escape."""
    _exact(str, text)
    shown = text if len(text) <= limit else text[:limit] + "..."
    if shown.isprintable():
        return shown
    return "".join(c if c.isprintable() or c in "\n\t" else c.encode("unicode_escape").decode("ascii") for c in shown)


def _exact(kind: type[T], value: Any) -> T:
    if type(value) is not kind:
        raise TypeError(f"{kind.__name__} is wanted")
    return value


def _kind(classes: tuple[str, ...]) -> str:
    common = next((name for name in classes if name in _COMMON), "Exception")
    if classes and classes[0] == common:
        return common
    return "an exception of its own" if common in _ANYTHING else f"an exception of its own, a kind of {common}"


def _place(report: Report, files: Mapping[str, int]) -> str:
    for file, line, _, _ in reversed(report.frames):
        if 1 <= line <= files.get(file, 0):
            return f"{file.replace(', cell', ' cell')}:{line}"
    return ""


def _traceback(report: Report, files: Mapping[str, int]) -> str:
    if not report.classes:
        return ""
    lines = []
    for file, line, name, text in report.frames:
        if file in files:
            lines.append(f'  File "{file}", line {line}' + (f", in {name}" if name else ""))
            lines.append(f"    {text}")
    return "\n".join([*lines, f"{report.classes[0]}: {report.text}" if report.text else report.classes[0]])


def _lines(text: str) -> int:
    return text.count("\n") + 1


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
