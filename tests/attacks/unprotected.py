"""What courses do without isolation, for controls, in processes forked from one that holds the libraries.

``plain`` imports the submission and calls its function; ``naive`` is a grader in one process that holds the expected
values and compares as OPTION says; ``own`` runs ``control(place)`` of a builder.
"""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import pickle
import struct
import sys
import traceback
from pathlib import Path
from types import SimpleNamespace

import numpy as np

GUARD_BYTES = 6 * 2**30
ARRAYS = (np.array([0.5, -1.25, 3.0]), np.array([2.0, 7.5, -4.0, 1.0]))
NUMBERS = (7, 12)


def wanted(x):
    return x * (x + 1) // 2 if isinstance(x, int) else 3 * x - 1


def given(attack: str):
    """Return the arguments of an attack's problem."""
    text = Path(attack).read_text(encoding="utf-8", errors="replace")
    if "\n# PROBLEM: integers" in text:
        return NUMBERS
    if "\n# PROBLEM: tensors" in text:
        import torch

        return tuple(torch.from_numpy(x.copy()) for x in ARRAYS)
    return tuple(x.copy() for x in ARRAYS)


def asserted(compare):
    """Make a comparison that raises into one that answers."""

    def agreed(got, want):
        try:
            compare(got, want)
        except AssertionError:
            return False
        return True

    return agreed


def by_torch(name):
    """Compare as torch does; numbers are looked up when they are used, as a test file would."""

    def agreed(got, want):
        import torch

        want = torch.as_tensor(want)
        if name == "allclose":
            return torch.allclose(got, want)
        return asserted(by_name(torch.testing, "assert_close"))(got, want)

    return agreed


def by_name(module, name):
    """Compare by a function that is looked up when it is used, as a test file would."""

    def agreed(got, want):
        return getattr(module, name)(got, want)

    return agreed


COMPARISONS = {
    "allclose": by_name(np, "allclose"),
    "array_equal": by_name(np, "array_equal"),
    "eq": lambda got, want: bool(np.all(got == want)),
    "plain_eq": lambda got, want: bool(got == want),
    "assert_allclose": asserted(by_name(np.testing, "assert_allclose")),
    "assert_equal": asserted(by_name(np.testing, "assert_array_equal")),
    "torch.allclose": by_torch("allclose"),
    "torch.assert_close": by_torch("assert_close"),
}


def plain(_option, attack, place):
    """Import and call; print what came back."""
    sys.path.insert(0, str(place))
    import target

    for x in given(attack):
        function = target.Target(3.0).act if hasattr(target, "Target") else target.target
        print(ascii(function(x)))


def naive(option, attack, place):
    """Grade in one process that holds a secret and the hidden checks: execute, call, compare, print a mark."""
    passed = os.environ.pop("PASSED")
    secret = os.environ.pop("MEMORY_CANARY")
    sys.path.insert(0, str(place))
    if option in CHILDREN:
        print(passed if CHILDREN[option](attack) else "not passed")
        return
    import lore

    held = open(lore.HIDDEN, encoding="utf-8")  # noqa: SIM115, PTH123 - as a test runner holds its tests
    inputs = given(attack)
    expected = [wanted(x) for x in inputs]
    Path("results.json").write_text(json.dumps({"score": 0}), encoding="utf-8")
    namespace: dict = {"__name__": "target"}
    marks = []
    with showing(attack):
        exec(compile((place / "target.py").read_text(encoding="utf-8"), "target.py", "exec"), namespace)
        marks = [graded(option, namespace["target"], x, want) for x, want in zip(inputs, expected, strict=True)]
    if option == "file":
        marks = [json.loads(Path("results.json").read_text(encoding="utf-8"))["score"] > 0]
    print(passed if marks and all(marks) else "not passed", file=sys.__stdout__)
    sys.__stdout__.flush()
    del secret, held
    if option == "exit":
        os._exit(0 if marks and all(marks) else 1)


def graded(option, function, x, want):
    """Compare one answer as the option says."""
    if option in ("file", "shown", "diff"):
        print(f"input {x} got {function(x)} wanted {want}")
        return False
    if option == "exit":
        return COMPARISONS["allclose"](function(x), want)
    if option == "pickle":  # the answer crosses a pipe as a pickle, and the grader loads it
        return COMPARISONS["allclose"](pickle.loads(pickle.dumps(function(x))), want)
    return COMPARISONS[option](function(x), want)


@contextlib.contextmanager
def showing(_attack):
    """Show a student the traceback of a failure, as graders do."""
    try:
        yield
    except Exception:  # noqa: BLE001 - whatever a submission raises
        traceback.print_exc(file=sys.stdout)


def child(option, attack):
    """Fork a child that imports the submission and answers on a pipe; return both ends of what joins us."""
    (take_request, requests), (replies, reply), (output, printed) = os.pipe(), os.pipe(), os.pipe()
    if os.fork():
        for descriptor in (take_request, reply, printed):
            os.close(descriptor)
        return requests, replies, output
    for descriptor in (requests, replies, output):
        os.close(descriptor)
    if option == "stdout":
        os.dup2(printed, 1)
    import target

    values = [target.target(x) for x in given(attack)]
    passed = all(map(COMPARISONS["allclose"], values, map(wanted, given(attack))))
    text = json.dumps({"passed": passed}).encode() + b"\n"
    os.write(reply, struct.pack("<Q", len(text)) + text if option == "length" else text)
    if option == "stdout":
        print(json.dumps({"passed": passed}))
    sys.stdout.flush()
    os._exit(0)


def first_line(descriptor):
    """Read to the end of a line, however long it takes."""
    line = b""
    while not line.endswith(b"\n") and (data := os.read(descriptor, 1)):
        line += data
    return line


def by_verdict(attack):
    """Believe the first line that a child writes on its channel."""
    return json.loads(first_line(child("verdict", attack)[1])).get("passed", False)


def by_stdout(attack):
    """Believe the first line of a child's output that looks like a verdict."""
    _, _, output = child("stdout", attack)
    while line := first_line(output):
        with contextlib.suppress(ValueError, AttributeError):
            return json.loads(line).get("passed", False)
    return False


def by_length(attack):
    """Make room for as many bytes as a child announces."""
    _, replies, _ = child("length", attack)
    room = bytearray(b"x") * struct.unpack("<Q", os.read(replies, 8))[0]
    return json.loads(os.read(replies, len(room))).get("passed", False)


def by_pipeline(attack):
    """Send all inputs ahead of the first answer."""
    requests, replies, _ = child("ahead", attack)
    os.write(requests, "\n".join(map(ascii, given(attack))).encode())
    return json.loads(first_line(replies)).get("passed", False)


def by_pickle(attack):
    """Load what a child sends as a pickle, as process pools do."""
    _, replies, _ = child("verdict", attack)
    return pickle.loads(os.read(replies, 65536)) is True


CHILDREN = {
    "unpickle": by_pickle,
    "verdict": by_verdict,
    "stdout": by_stdout,
    "length": by_length,
    "ahead": by_pipeline,
}


def own(_option, attack, place):
    """Run the control that a builder brings; it prints what worked."""
    spec = importlib.util.spec_from_file_location("attack", attack)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    if module.control(SimpleNamespace(place=place, scratch=Path.cwd())):
        print(os.environ["PASSED"])


def main(how, option, attack, place):
    """Run an attack in this process, which can do whatever its user can."""
    with contextlib.suppress(ImportError):
        import resource

        hard = resource.getrlimit(resource.RLIMIT_AS)[1]
        resource.setrlimit(resource.RLIMIT_AS, (GUARD_BYTES if hard < 0 else min(hard, GUARD_BYTES), hard))
        resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    {"plain": plain, "naive": naive, "own": own}[how](option, attack, Path(place))


def serve(answers):
    """Fork a child for each line of JSON, and tell its process id and then how it ended; return in the children.

    The libraries are imported once and never used here, so that a control costs no start of Python.
    """
    for line in sys.stdin:
        request = json.loads(line)
        pid = os.fork()
        if pid == 0:
            become(request)
            return request["command"]
        os.write(answers, f"{pid}\n".encode())
        os.write(answers, f"{os.waitpid(pid, 0)[1]}\n".encode())
    os._exit(0)


def become(request):
    """Be a process as one that was started by itself: a session, streams, a folder and an environment of its own."""
    os.setsid()
    nothing = os.open(os.devnull, os.O_RDONLY)
    printed = os.open(request["output"], os.O_WRONLY | os.O_APPEND)
    for descriptor, place in ((nothing, 0), (printed, 1), (printed, 2)):
        os.dup2(descriptor, place)
    os.closerange(3, 2**31 - 1)
    os.chdir(request["folder"])
    os.environ.update(request["environment"])
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115 - a stream of the whole process
    for name, number in (("stdout", 1), ("stderr", 2)):
        stream = open(number, "w", encoding="utf-8", errors="backslashreplace", closefd=False)  # noqa: SIM115 - as above
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)


if __name__ == "__main__":
    if "torch" in sys.argv:
        import torch  # noqa: F401 - imported once for all
    main(*serve(os.dup(1)))
