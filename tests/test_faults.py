"""What the sentences about a call promise: safe to show for a hidden check, whatever the child says."""

from __future__ import annotations

import pytest
from children import notebook, source
from hypothesis import given
from hypothesis import strategies as st

from grader.isolation import faults
from grader.isolation.faults import Report, Subject
from grader.isolation.inside.wire import WireError
from grader.verdict import Status

F = Subject(label="`f`", file="xor.py", arguments="2 arguments")
IMPORT = Subject(label="importing xor.py", file="xor.py", importing=True)
FILES = {"xor.py": 10, "utils.py": 3}


def said(**facts):
    empty = {"kind": "exception", "mro": ["ValueError"], "text": "", "frames": []}
    return {**empty, "memory": False, "name": "", "reason": "", **facts}


def told(subject=F, **facts):
    return faults.reported(Report.read(said(**facts)), subject, FILES, ("grader", "torch"))


@pytest.mark.parametrize(
    ("mro", "words"),
    [
        (["ValueError", "Exception"], "raised ValueError"),
        (["LinAlgError", "ValueError"], "raised LinAlgError"),
        (["Mine", "KeyError", "LookupError"], "raised an exception of its own, a kind of KeyError"),
        (["Mine", "Exception"], "raised an exception of its own"),
        (["Mine"], "raised an exception of its own"),
        ([], "raised an exception of its own"),
        (["BaseException"], "raised BaseException"),
        (["URLError", "OSError", "Exception"], "asked for the network, and there is none here"),
        (["ConnectionRefusedError", "ConnectionError", "OSError"], "asked for the network, and there is none here"),
    ],
)
def test_exceptions_are_named_if_everybody_has_them(mro, words):
    assert told(mro=mro).summary == f"`f` {words}"


@pytest.mark.parametrize(
    ("frames", "place"),
    [
        ([("xor.py", 3, "f", "x"), ("utils.py", 2, "g", "y")], " at utils.py:2"),
        ([("xor.py", 3, "f", "x"), ("torch.py", 2, "g", "y")], " at xor.py:3"),
        ([("xor.py", 11, "f", "x")], ""),
        ([("xor.py", 0, "f", "x")], ""),
        ([("xor.py", -3, "f", "x")], ""),
        ([], ""),
    ],
)
def test_a_place_is_told_if_it_can_be_true(frames, place):
    assert told(frames=frames).summary == f"`f` raised ValueError{place}"


def test_tracebacks_hold_the_students_files_alone():
    frames = [("xor.py", 3, "f", "g(x)"), ("/etc/passwd", 1, "h", "root"), ("utils.py", 2, "", "")]
    assert told(frames=frames, text="bad").traceback == (
        '  File "xor.py", line 3, in f\n    g(x)\n  File "utils.py", line 2\n    \nValueError: bad'
    )


@pytest.mark.parametrize(
    ("subject", "facts", "status", "summary"),
    [
        (F, {"kind": "missing"}, Status.NOT_ATTEMPTED, "`f` is missing from xor.py"),
        (F, {"kind": "exit"}, Status.CRASHED, "`f` called exit(); a return is wanted"),
        (
            F,
            {"kind": "signature"},
            Status.CRASHED,
            (
                "`f` does not take the 2 arguments that it is called with (TypeError); "
                "is its first line as it was handed out?"
            ),
        ),
        (
            F,
            {"kind": "untransportable", "reason": "narrow"},
            Status.UNUSABLE,
            "`f` returned numbers narrower than float32",
        ),
        (
            F,
            {"kind": "untransportable", "reason": "??"},
            Status.UNUSABLE,
            "`f` returned a value that cannot be taken",
        ),
        (F, {"mro": ["SyntaxError"]}, Status.CRASHED, "`f` raised SyntaxError"),
        (IMPORT, {"mro": ["SyntaxError"]}, Status.CRASHED, "xor.py is not valid Python (SyntaxError)"),
        (
            IMPORT,
            {"mro": ["ModuleNotFoundError"], "name": "torch"},
            Status.CRASHED,
            "importing xor.py asks for torch, and this problem is solved without it",
        ),
    ],
)
def test_each_kind_has_its_status_and_sentence(subject, facts, status, summary):
    found = told(subject, **facts)
    assert (found.status, found.summary) == (status, summary)


def test_a_subclass_of_not_implemented_is_not_attempted():
    assert told(mro=["Later", "NotImplementedError", "RuntimeError"]).status is Status.NOT_ATTEMPTED


json_like = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(), st.just("canary")),
    lambda parts: st.lists(parts, max_size=4) | st.tuples(parts, parts) | st.dictionaries(st.text(), parts, max_size=3),
    max_leaves=10,
)


@given(
    st.fixed_dictionaries({}, optional=dict.fromkeys(said(), json_like))
    | st.fixed_dictionaries(
        {
            "kind": st.sampled_from(["exception", "exit", "missing", "signature", "untransportable", "uncallable"]),
            "mro": st.lists(st.text() | st.just("canary"), max_size=3),
            "text": st.text(),
            "frames": st.lists(
                st.tuples(st.sampled_from(["canary", "xor.py"]), st.integers(), st.text(), st.text()), max_size=3
            ),
            "memory": st.booleans(),
            "name": st.sampled_from(["", "canary"]),
            "reason": st.sampled_from(["", "canary"]),
        }
    )
)
def test_whatever_a_child_says_is_a_fault_without_its_words_or_a_wire_error(claim):
    try:
        found = faults.reported(Report.read(claim), F, FILES, ("grader",))
    except WireError:
        return
    assert "canary" not in found.summary
    assert all(part.isprintable() for part in found.text.split("\n"))


def test_long_claims_are_cut():
    report = Report.read(said(mro=["x" * 10**5] * 1000, text="y" * 10**6, frames=[("a", 1, "b" * 10**4, "c")] * 10**4))
    assert (len(report.classes), len(report.frames)) == (20, 64)
    assert max(len(report.text), len(report.classes[0]), len(report.frames[0][2])) < 2100


def test_files_are_known_by_the_names_that_tracebacks_show():
    files = faults.known_files(source("a\nb", helpers=[("utils", "c"), ("parts.inner", "d\ne\nf")]))
    assert files == {"xor.py": 2, "utils.py": 1, "parts/inner.py": 3}
    assert faults.known_files(notebook("a", "b\nc")) == {"xor.ipynb, cell 1": 1, "xor.ipynb, cell 2": 2}


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("a\n\tb", "a\n\tb"),
        ("\x1b[31m", "\\x1b[31m"),
        ("\u202eevil\u200b", "\\u202eevil\\u200b"),
        ("\ud800", "\\ud800"),
        ("\r", "\\r"),
        ("x" * 50, "x" * 40 + "..."),
    ],
)
def test_text_is_made_safe_to_print(text, shown):
    assert faults.clean(text, 40) == shown
