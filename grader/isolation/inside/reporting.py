"""An exception as plain data: type names, text, and the student's frames alone."""

from __future__ import annotations

import inspect
import linecache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import types
    from collections.abc import Callable, Collection, Iterator

TEXT_CHARACTERS = 2000
_LINE_CHARACTERS = 200
_NAME_CHARACTERS = 200
_CLASSES = 20
_FIRST_FRAMES = 10
_LAST_FRAMES = 30


def fault(kind: str, **facts: Any) -> dict[str, Any]:
    """Return a reply that says how a call ended; what is not given is empty."""
    empty = {"mro": [], "text": "", "frames": [], "memory": False, "name": "", "reason": ""}
    return {"fault": {"kind": kind, **empty, **facts}}


def report(error: BaseException, files: Collection[str]) -> dict[str, Any]:
    """Return a reply that describes an exception.

    Args:
        error: what was raised.
        files: the names of the student's files; other frames are left out.
    """
    mro = [cls.__name__[:_NAME_CHARACTERS] for cls in type(error).__mro__[:_CLASSES]]
    text = _text(error)
    return fault(
        "exit" if isinstance(error, SystemExit) else "exception",
        mro=mro,
        text=text,
        frames=frames(error, files),
        memory=isinstance(error, MemoryError)
        or "OutOfMemoryError" in mro
        or "DefaultCPUAllocator" in text,  # torch says so in the text alone
        name=_missing(error),
    )


def frames(error: BaseException, files: Collection[str]) -> list[tuple[str, int, str, str]]:
    """Return the student's frames, outermost first: file, line, function, source line."""
    found = list(_walk(error.__traceback__, files))
    if isinstance(error, SyntaxError) and error.filename in files:
        found.append((error.filename or "", error.lineno or 1, ""))
    if len(found) > _FIRST_FRAMES + _LAST_FRAMES:
        found = found[:_FIRST_FRAMES] + found[-_LAST_FRAMES:]
    return [(file, line, name, linecache.getline(file, line).strip()[:_LINE_CHARACTERS]) for file, line, name in found]


def accepts(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Return whether a signature takes these arguments; True if it cannot be told."""
    try:
        inspect.signature(function).bind(*args, **kwargs)
    except TypeError:
        return False
    except Exception:  # noqa: BLE001 - a signature may be anything that the student's code says
        return True
    return True


def _walk(traceback: types.TracebackType | None, files: Collection[str]) -> Iterator[tuple[str, int, str]]:
    while traceback is not None:
        code = traceback.tb_frame.f_code
        if code.co_filename in files:
            yield code.co_filename, traceback.tb_lineno, code.co_name[:_NAME_CHARACTERS]
        traceback = traceback.tb_next


def _text(error: BaseException) -> str:
    try:
        return str.__str__(str(error))[:TEXT_CHARACTERS]
    except BaseException:  # noqa: BLE001 - an exception's own __str__ may raise whatever it likes
        return "(its text cannot be shown)"


def _missing(error: BaseException) -> str:
    name = error.name if isinstance(error, ImportError) else None
    return name[:_NAME_CHARACTERS] if isinstance(name, str) else ""
