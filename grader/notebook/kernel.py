"""Who answers a check's calls in a live notebook: the kernel's own functions, in their own process.

It is the student's machine and the student's process, and nothing secret is in it: visible checks alone are judged
here, and a graded run believes none of it. So there is no isolation, only good manners: the generators of random
numbers and torch's settings are given back as they were, arrays are copied, and what is printed is kept apart.

Values, faults and their words are those of the isolated child: the same modules make them.
"""

from __future__ import annotations

import contextlib
import inspect
import io
import linecache
import random
import signal
import sys
import threading
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from grader import problem as problems
from grader.errors import AuthoringError
from grader.isolation import faults, worker
from grader.isolation.faults import Report, Subject
from grader.isolation.inside import reporting, values
from grader.isolation.inside.wire import Handle
from grader.patience import AGAIN
from grader.student import mapped, target_name
from grader.trusted import reseed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from types import FrameType

    from grader.errors import StudentFault
    from grader.isolation.profile import Profile
    from grader.problem import Problem
    from grader.student import Target

PLACE = "this notebook"
_LIBRARIES = ("site-packages", "dist-packages")


class TooLong(BaseException):
    """A check's time is used up; no student's ``except Exception`` stops it.

    ``waited`` says that it was the clock's and not the processor's.
    """

    def __init__(self, *, waited: bool) -> None:
        super().__init__()
        self.waited = waited


@dataclass(frozen=True, slots=True)
class Cells:
    """What the kernel knows of its cells: the names in them, and how a cell's file is called, "" if it is none."""

    names: Mapping[str, Any]
    shown: Callable[[str], str] = lambda _file: ""
    folder: Path = Path()


class Kernel:
    """Answers calls with a notebook's own functions.

    ::

        with unchanged():
            kernel = Kernel(problem, cells, profile)
            kernel.begin(seconds=2)                       # a check starts
            kernel.call(("f",), (x,), {}, tensors=False)  # a plain value, or StudentFault
            kernel.forget()                               # an example ended
    """

    def __init__(self, problem: Problem, cells: Cells, profile: Profile) -> None:
        self._cells = cells
        self._profile = profile
        self._probes = problems.execute(problem.probes, "probes.py") if problem.probes else {}
        self._objects: dict[int, Any] = {}
        self._printed = io.StringIO()
        self._fault: StudentFault | None = None  # the check's time is used up
        self._calls = 0
        self._seconds = self._left = (0.0, 0.0)

    def begin(self, seconds: float) -> None:
        """Start a check, with CPU time for all its calls; waiting may take three times that and 1 s."""
        self._fault = None
        self._printed = io.StringIO()
        self._seconds = self._left = (seconds, 3 * seconds + 1)
        self.forget()

    def forget(self) -> None:
        """End an example: its objects are gone, and the next one's calls draw the same random numbers."""
        self._objects.clear()
        self._calls = 0

    def output(self) -> str:
        """Return what was printed since the check began."""
        return self._printed.getvalue()

    def call(self, target: Target, args: tuple[Any, ...], kwargs: dict[str, Any], *, tensors: bool) -> Any:
        """Answer one call with a plain value; objects come back as handles.

        Raises:
            StudentFault: it ended otherwise than by returning. Where the check's time is used up, each later call
                raises the same.
            AuthoringError: the check calls a probe that there is not.
        """
        if self._fault is not None:
            raise self._fault.with_traceback(None)
        called = target_name(target)
        subject = Subject(label=f"`{called}`", file=PLACE, arguments=worker.counted(len(args), tuple(kwargs)))
        function = self._found(target, subject)
        self._calls += 1
        try:
            with self._manners(tensors=tensors) as as_given:
                given = mapped((args, kwargs), as_given)
                return self._exported(function, self._called(function, *given))
        except TooLong as stop:
            self._fault = (
                faults.did_not_answer(subject, self._seconds[1], idle=True)
                if stop.waited
                else faults.used_too_much_cpu(subject, self._seconds[0], alone=self._calls == 1)
            )
            raise self._fault from None
        except values.Untransportable as error:
            reply = reporting.fault("untransportable", reason=error.kind, text=str(error))
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # noqa: BLE001 - whatever a student's code raises is an answer
            reply = self._reported(error, function, args, kwargs)
        raise self._faulty(reply, subject)

    def _called(self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        with self._limited():
            return function(*args, **kwargs)

    def _found(self, target: Target, subject: Subject) -> Callable[..., Any]:
        if target[0] == "probe":
            if target[1] not in self._probes:
                raise AuthoringError(f"probes.py has no function {target[1]!r}")
            found = self._probes[target[1]]
        elif isinstance(target[0], Handle):
            kept = self._objects[target[0].id]
            found = getattr(kept, target[1], None) if target[1] else kept
        else:
            found = self._cells.names.get(target[0])
        if callable(found):
            return found  # type: ignore[no-any-return]
        raise self._faulty(reporting.fault("missing" if found is None else "uncallable"), subject)

    # Arguments and results

    @contextlib.contextmanager
    def _manners(self, *, tensors: bool) -> Iterator[Callable[[Any], Any]]:
        """Give a call the conditions of a graded one; yield how a leaf of its arguments is given."""
        with contextlib.ExitStack() as stack:
            stack.enter_context(contextlib.redirect_stdout(self._printed))
            stack.enter_context(contextlib.redirect_stderr(self._printed))
            torch = import_module("torch") if tensors or self._profile.torch else sys.modules.get("torch")
            reseed(worker.seed_of(self._profile.seed, self._calls))
            if torch is not None:
                stack.callback(torch.set_default_dtype, torch.get_default_dtype())
                torch.set_default_dtype(getattr(torch, self._profile.dtype))
                if not self._profile.autograd:
                    stack.enter_context(torch.inference_mode())

            def given(leaf: Any) -> Any:
                if isinstance(leaf, Handle):
                    return self._objects[leaf.id]
                if not isinstance(leaf, np.ndarray):
                    return leaf
                return torch.from_numpy(leaf.copy()) if tensors and torch is not None else leaf.copy()

            yield given

    def _exported(self, function: Any, result: Any) -> Any:
        # What a class of the notebook makes is an object, even if it could be sent by value as a dataclass could.
        own = isinstance(function, type) and self._is_own(inspect.getmodule(function))
        return self._keep(result) if own else values.export(result, self._keep)

    def _keep(self, value: Any) -> Handle:
        handle = Handle(len(self._objects) + 1, type(value).__name__)
        self._objects[handle.id] = value
        return handle

    def _is_own(self, module: Any) -> bool:
        file = getattr(module, "__file__", None)
        return getattr(module, "__name__", "") == "__main__" or (isinstance(file, str) and self._is_file(file))

    # Faults

    def _faulty(self, reply: dict[str, Any], subject: Subject) -> StudentFault:
        told = reply["fault"]
        lines = {file: sys.maxsize for file, *_ in told["frames"]}
        return faults.reported(Report.read(told), subject, lines, ())

    def _reported(self, error: BaseException, function: Any, args: Any, kwargs: Any) -> dict[str, Any]:
        """Return the report of an exception, with cells called as Jupyter shows them."""
        files = {file for file in _files(error) if self._cells.shown(file) or self._is_file(file)}
        reply = reporting.report(error, files)
        told = reply["fault"]
        told["frames"] = [(self._shown(file), *rest) for file, *rest in told["frames"]]
        if isinstance(error, TypeError) and not told["frames"] and not reporting.accepts(function, args, kwargs):
            told["kind"] = "signature"
        return reply

    def _shown(self, file: str) -> str:
        return self._cells.shown(file) or Path(file).name

    def _is_file(self, file: str) -> bool:
        """Whether a file is one of the student's own: it lies where the notebook does."""
        path = Path(file)
        return (
            self._cells.folder.resolve() in path.resolve().parents
            and not any(part in _LIBRARIES for part in path.parts)
            and bool(linecache.getline(file, 1))
        )

    # Time

    @contextlib.contextmanager
    def _limited(self) -> Iterator[None]:
        """Stop a call when the check's time is used up, where the system can interrupt it."""
        if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "setitimer"):
            yield
            return
        over = False

        def stop(number: int, _frame: FrameType | None) -> None:
            if not over:
                raise TooLong(waited=number == signal.SIGALRM)

        timers = ((signal.ITIMER_PROF, signal.SIGPROF), (signal.ITIMER_REAL, signal.SIGALRM))
        before = [signal.signal(number, stop) for _, number in timers]
        try:
            try:
                for (timer, _), left in zip(timers, self._left, strict=True):
                    signal.setitimer(timer, max(left, AGAIN), AGAIN)  # again and again: one may be swallowed
                yield
            finally:
                over = True
        finally:  # a signal may have struck just above
            over = True
            spared = [signal.setitimer(timer, 0)[0] for timer, _ in timers]
            self._left = (spared[0], spared[1])
            for (_, number), handler in zip(timers, before, strict=True):
                signal.signal(number, handler)


@contextlib.contextmanager
def unchanged() -> Iterator[None]:
    """Give the generators of random numbers back as they were."""
    torch = sys.modules.get("torch")
    plain, numpy = random.getstate(), np.random.get_state()  # noqa: NPY002 - the legacy generator is the global one
    tensors = None if torch is None else torch.get_rng_state()
    try:
        yield
    finally:
        random.setstate(plain)
        np.random.set_state(numpy)  # noqa: NPY002 - as above
        if torch is not None:
            torch.set_rng_state(tensors)


def _files(error: BaseException) -> set[str]:
    found = set()
    trace = error.__traceback__
    while trace is not None:
        found.add(trace.tb_frame.f_code.co_filename)
        trace = trace.tb_next
    return found
