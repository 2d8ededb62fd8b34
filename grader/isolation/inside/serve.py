"""The loop that runs in a child: read one request, answer it, read the next.

A request is a dict with an ``op``::

    prepare   conditions, helpers and probes; the answer lists the probes' names
    run       one file, or one cell of a notebook
    call      one call of a function, a probe, or a method of an object kept here
    perform   scripts: calls in order, a scene after another, up to the first exception that is not asked for
    rest      nothing: is somebody there?

and a reply is ``{"value": ..., "warnings": [...]}``, with ``notes`` after a run,
or ``{"fault": {...}}``. Replies are only data: the grader decides what they mean and believes none of them.
"""

from __future__ import annotations

import builtins
import contextlib
import itertools
import os
import pickle
import sys
import types
import warnings
from typing import TYPE_CHECKING, Any, Self

import numpy as np

if TYPE_CHECKING or __package__:
    from . import cells, generators, loading, packed, reporting, values, wire
else:  # in the child, where this folder is no package
    import cells
    import generators
    import loading
    import packed
    import reporting
    import values
    import wire

if TYPE_CHECKING:
    import io
    from collections.abc import Callable

    Request = dict[str, Any]
    Reply = dict[str, Any]

_READ_BYTES = 2**18
_WARNINGS = 16
_WARM = 4  # times; Python specialises a function at its eighth call
_NAME_CHARACTERS = 80


def main(request_fd: int, reply_fd: int) -> None:
    """Answer requests until there are no more, then end the process; never returns."""
    loading.step_aside()
    _dress()
    server = Server()
    while True:
        nonce, request = _read(request_fd)
        reply = server.answer(request)
        _flush()
        _write(reply_fd, _packed(nonce, reply))


def warm_up() -> None:
    """Run this loop's own paths in a zygote: Python makes code faster once it has run, and a child then inherits it.

    Nothing is computed, and no state is left that a child's first request would not set.
    """
    given = [None, True, 2, 1.5, "text", [1.0, 2.0], (1, 2.0), {"a": 1.0}, np.ones(1), np.ones(3), np.ones((2, 2))]
    rows = len(given)
    script = {
        "scenes": [rows],
        "seeds": list(range(rows)),
        "targets": [("echo",)] * rows,
        "args": [(value,) for value in given],
        "kwargs": {0: {"by_name": 1.0}},
        "objects": [False] * rows,
        "refused": [False] * rows,
    }
    kinds: tuple[bool, ...] = (False,)
    if "torch" in sys.modules:
        kinds = (False, True)
        _set_numerics(sys.modules["torch"], "float64", 1)  # what most children will want
    scripts = [np.frombuffer(pickle.dumps({**script, "tensors": [tensors] * rows}), np.uint8) for tensors in kinds]
    frame = wire.encode({"op": "perform", "scripts": scripts * _WARM})
    server = Server.of_an_echo()
    for _ in range(_WARM):
        reader = wire.Reader(None)
        reader.feed(frame)
        reply = server.answer(reader.value(writable=True))
        if "fault" in reply:
            raise RuntimeError(f"a script of our own fails: {reply['fault']}")
        _packed(b"", reply)


class Lost(Exception):  # noqa: N818 - what happened, not whose error it is
    """A script names an object that this student's code has not made."""


class Server:
    """One student's code and the objects that it made."""

    def __init__(self) -> None:
        self._module = types.ModuleType("nothing")
        self._probes: dict[str, Any] = {}
        self._conditions: Request = {}
        self._files: set[str] = set()
        self._helpers: frozenset[str] = frozenset()
        self._objects: dict[int, Any] = {}
        self._made = 0
        self._warned: list[str] = []
        self._torch_ready = False
        self._generators = generators.Generators()

    @classmethod
    def of_an_echo(cls) -> Self:
        """Return a server whose one function gives back what it gets; it leaves torch as it is."""
        server = cls()
        server._conditions = {"autograd": True, "device": "cpu"}
        server._torch_ready = "torch" in sys.modules
        server._module.echo = lambda value, **_: value  # type: ignore[attr-defined]
        return server

    def answer(self, request: Request) -> Reply:
        """Return the reply to a request; whatever the student's code raises becomes one."""
        self._warned.clear()
        operations = {
            "prepare": self._prepare,
            "run": self._run,
            "call": self._call,
            "perform": self._perform,
            "rest": self._rest,
        }
        reply = self._reported(operations[request["op"]], request)
        reply["warnings"] = self._warned[:_WARNINGS]
        return reply

    def _reported(self, act: Callable[..., Reply], *args: Any) -> Reply:
        try:
            return act(*args)
        except Lost:
            raise
        except values.Untransportable as error:
            return reporting.fault("untransportable", reason=error.kind, text=str(error))
        except BaseException as error:  # noqa: BLE001 - SystemExit and KeyboardInterrupt are answers too
            return reporting.report(error, self._files)

    def _prepare(self, request: Request) -> Reply:
        self._conditions = request
        self._listen()
        self._set_torch()
        probes = types.ModuleType("probes")
        code = packed.code(request["compiled"]) if request["compiled"].size else None
        loading.execute(request["probes"], "<probes>", probes, set(), code)
        self._probes = {name: probe for name, probe in vars(probes).items() if callable(probe)}
        helpers = dict(request["helpers"])
        self._helpers = frozenset(helpers)
        sys.meta_path.insert(0, loading.Hidden(request["hidden"]))
        sys.meta_path.append(loading.Helpers(helpers, self._files))
        self._module = loading.student_module(request["slug"])
        return {"value": sorted(self._probes)}

    def _run(self, request: Request) -> Reply:
        self._seed(request["seed"])
        text, name = request["text"], request["name"]
        if not request["notebook"]:
            loading.execute(text, name, self._module, self._files)
            return {"value": None, "notes": []}
        cell = cells.prepare(text, name)
        loading.remember(cell.text, name, self._files)
        reply: Reply = {"value": None}
        try:
            if cell.error is not None:
                raise cell.error  # noqa: TRY301 - one path for what fails before it runs and while it runs
            if cell.code is not None:
                exec(cell.code, self._module.__dict__)  # noqa: S102 - what this process is for
        except BaseException as error:  # noqa: BLE001 - as in answer
            reply = reporting.report(error, self._files)
        reply["notes"] = list(cell.notes)
        return reply

    def _call(self, request: Request) -> Reply:
        if request["forget"]:
            self._objects.clear()
        given = (request["args"], request["kwargs"])
        try:
            return self._reported(self._answered, request["target"], given, request["tensors"], True, request["seed"])
        except Lost:  # the student's code has forged its handle
            return reporting.fault("exception", mro=["LookupError", "Exception"], text="there is no such object")

    def _perform(self, request: Request) -> Reply:
        """Perform each script; the answers to each are a frame of their own, so that they need not all be read."""
        parts = []
        for script in request["scripts"]:
            warned = len(self._warned)
            reply = self._performed(packed.unpack(script))
            reply["warnings"] = self._warned[warned:][:_WARNINGS]
            parts.append(np.frombuffer(wire.encode(reply, leaves=wire.ROOM_LEAVES, size=wire.ROOM_SIZE), np.uint8))
        self._warned.clear()
        return {"value": parts}

    def _performed(self, script: Request) -> Reply:
        """Answer calls in order, given in columns: a row is a call, and ``scenes`` says how many a scene has."""
        columns = (script[name] for name in ("targets", "args", "tensors", "objects", "refused"))
        rows = enumerate(zip(*columns, strict=True))
        answers: list[Any] = []
        faults: dict[int, Any] = {}
        for length in script["scenes"]:
            self._objects.clear()
            self._made = 0  # the objects of a scene are numbered as the script does it
            for seed, (row, (target, args, tensors, objects, refused)) in zip(
                script["seeds"], itertools.islice(rows, length), strict=False
            ):
                given = (args, script["kwargs"].get(row, {}))
                try:
                    reply = self._reported(self._answered, target, given, tensors, objects, seed)
                except Lost:  # it is for the grader to see what was made in its place
                    return {"value": answers, "faults": faults}
                answers.append(reply.get("value"))
                if "fault" in reply:
                    faults[row] = reply["fault"]
                    if not refused:
                        return {"value": answers, "faults": faults}
        return {"value": answers, "faults": faults}

    def _answered(self, target: Any, given: Any, tensors: bool, objects: bool, seed: int) -> Reply:
        self._set_torch()
        args, kwargs = self._received(given, tensors=tensors) if tensors or objects else given
        function, missing = self._find(target)
        if missing:
            return reporting.fault(missing)
        self._seed(seed)
        try:
            if self._conditions["autograd"] or not self._torch_ready:
                return {"value": self._exported(function, function(*args, **kwargs))}
            with sys.modules["torch"].inference_mode():
                return {"value": self._exported(function, function(*args, **kwargs))}
        except TypeError as error:
            if reporting.frames(error, self._files) or reporting.accepts(function, args, kwargs):
                raise
            reply = reporting.report(error, self._files)
            reply["fault"]["kind"] = "signature"
            return reply

    def _rest(self, _request: Request) -> Reply:
        self._objects.clear()
        return {"value": None}

    def _find(self, target: tuple[Any, ...]) -> tuple[Callable[..., Any], str]:
        """Return what a request calls, and "" or how it cannot be called."""
        if len(target) == 1:
            found = getattr(self._module, target[0], None)
        elif target[0] == "probe":
            found = self._probes.get(target[1])
        else:
            kept = self._object(target[0])
            found = getattr(kept, target[1], None) if target[1] else kept
        if callable(found):
            return found, ""
        return found, "missing" if found is None else "uncallable"  # type: ignore[return-value]

    def _exported(self, function: Any, result: Any) -> Any:
        # What a student's class makes is an object, even if it could be sent by value as a dataclass could.
        if isinstance(function, type) and function.__module__ in {self._module.__name__, *self._helpers}:
            return self._keep(result)
        return values.export(result, self._keep)

    def _keep(self, value: Any) -> wire.Handle:
        self._made += 1
        self._objects[self._made] = value
        return wire.Handle(self._made, type(value).__name__[:_NAME_CHARACTERS])

    def _object(self, handle: wire.Handle) -> Any:
        if handle.id not in self._objects:
            raise Lost
        return self._objects[handle.id]

    def _received(self, value: Any, *, tensors: bool) -> Any:
        """Return arguments as the student's code gets them: objects for handles, tensors where wanted."""
        kind = type(value)
        if kind is np.ndarray and tensors:
            tensor = sys.modules["torch"].from_numpy(value)
            return tensor if self._conditions["device"] == "cpu" else tensor.to(self._conditions["device"])
        if kind is list or kind is tuple:
            return kind([self._received(part, tensors=tensors) for part in value])
        if kind is dict:
            return {key: self._received(part, tensors=tensors) for key, part in value.items()}
        return self._object(value) if kind is wire.Handle else value

    def _seed(self, seed: int) -> None:
        torch = sys.modules.get("torch") if self._torch_ready else None
        self._generators.seed(seed, torch, self._conditions["device"])

    def _set_torch(self) -> None:
        """Set torch's conditions as soon as it is there; a student's file may be the first to import it."""
        torch = sys.modules.get("torch")
        if self._torch_ready or torch is None or not hasattr(torch, "default_generator"):
            return
        self._torch_ready = True
        if self._conditions["device"] != "cpu":
            torch.set_default_device(self._conditions["device"])
        _set_numerics(torch, self._conditions["dtype"], self._conditions["threads"])

    def _listen(self) -> None:
        """Record torch's warnings about operations that may give other numbers next time."""
        show = warnings.showwarning

        def record(message: Any, *args: Any, **kwargs: Any) -> None:
            text = str(message)
            if "does not have a deterministic implementation" in text:
                self._warned.append(text.split(maxsplit=1)[0][:_NAME_CHARACTERS])
            else:
                show(message, *args, **kwargs)

        warnings.showwarning = record


def _set_numerics(torch: Any, dtype: str, threads: int) -> None:
    """Set how torch computes. What is so already is left alone: in a fresh child each write costs a page of memory."""
    wanted = getattr(torch, dtype)
    if torch.get_default_dtype() is not wanted:
        torch.set_default_dtype(wanted)
    if torch.get_num_threads() != threads:
        torch.set_num_threads(threads)
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False
    if not (torch.are_deterministic_algorithms_enabled() and torch.is_deterministic_algorithms_warn_only_enabled()):
        torch.use_deterministic_algorithms(True, warn_only=True)


def _dress() -> None:
    """Make the interpreter look as one that runs a file, with nothing of ours to be seen."""
    sys.argv = [""]
    sys.stdout = sys.__stdout__ = _printing_to(1)  # type: ignore[misc,assignment]
    sys.stderr = sys.__stderr__ = _printing_to(2)  # type: ignore[misc,assignment]
    for name in ("exit", "quit"):  # made by site, which is not loaded here
        if not hasattr(builtins, name):
            setattr(builtins, name, sys.exit)


def _printing_to(descriptor: int) -> io.TextIOBase:
    """Return a stream that passes on each line at once, so that what was printed before a crash is seen."""
    return open(descriptor, "w", buffering=1, encoding="utf-8", errors="backslashreplace", closefd=False)


def _read(request_fd: int) -> tuple[bytes, Request]:
    reader = wire.Reader(None, leaves=wire.ROOM_LEAVES, size=wire.ROOM_SIZE)
    while not reader.complete:
        data = os.read(request_fd, _READ_BYTES)
        if not data:
            os._exit(0)
        reader.feed(data)
    return reader.nonce or b"", reader.value(writable=True)


def _packed(nonce: bytes, reply: Reply) -> bytes:
    try:
        return wire.pack(nonce, reply, leaves=wire.ROOM_LEAVES, size=wire.ROOM_SIZE)
    except wire.WireError as error:
        reply = reporting.fault("untransportable", reason="large", text=str(error))
    except MemoryError:
        reply = reporting.fault("exception", mro=["MemoryError"], memory=True)
    return wire.pack(nonce, {**reply, "warnings": [], "notes": []})


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__):
        with contextlib.suppress(BaseException):  # the student may have put anything there
            stream.flush()  # type: ignore[union-attr]


def _write(reply_fd: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(reply_fd, view) :]
