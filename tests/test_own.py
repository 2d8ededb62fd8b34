"""What a student reads of a check that does not pass: the promise, got, wanted, where, how far, the input, the line."""

from __future__ import annotations

import json

import pytest
from commands import grade
from courses import put, student_course

from grader.closer import parameters

VISIBLE = '''\
    import numpy as np
    from hypothesis import strategies as st

    from grader import Failure, check, close, equal, settings

    limits = settings(seconds=2, by_hand=True, source="a test")
    X = np.array([[1.0, 2.0], [3.0, 4.0]])


    @check(points=1)
    def doubles_a_matrix(student):
        """A matrix is doubled."""
        close(student.double(X), 2 * X)
    '''
SAME = "def double(x):\n    return 2 * x\n"


@pytest.fixture
def check(tmp_path, monkeypatch):
    """Check an answer to a problem with these visible checks; return what is printed."""
    course = student_course(tmp_path, "double")
    monkeypatch.chdir(put(tmp_path / "work" / "double.py", SAME).parent)

    def checked(answer, *options, visible=VISIBLE, code=1, **beside):
        put(course / "problems" / "double" / "visible.py", visible)
        put(tmp_path / "work" / "double.py", answer)
        for name, text in beside.items():
            put(tmp_path / "work" / f"{name}.py", text)
        return grade("check", *options, course=course, code=code)

    return checked


def among_visible(body, **more):
    """The visible checks with another body in the check."""
    text = VISIBLE.replace("close(student.double(X), 2 * X)", body)
    for old, new in more.values():
        text = text.replace(old, new)
    return text


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ("return x + 1", (
            "double(x) at [1, 1]: got 5 wanted 8 off by 3, where 3.1e-05 is allowed",
            "wrong 3 of 4 numbers, marked *; the first is at [0, 1] array shape (2, 2), float64",
            "[0] 2 3* [0] 2 4 [1] 4* 5* [1] 6 8 called with x = [[1, 2], [3, 4]], shape (2, 2), float64",
        )),
        ("return 2 * x.ravel()", (
            "double(x): got shape (4,) wanted shape (2, 2) dtype float64 the numbers are right, the shape is not",
        )),
        ("return (2 * x).astype('float16')", ("double(x): got float16 wanted float32 or wider",)),
        ("return x / 0", ("double(x) at [0, 0]: got inf wanted 2 wrong 4 of 4 numbers",)),
        ("2 * x", ("double(x): got None (is a return missing?) wanted numbers of shape (2, 2)",)),
        ("return 'two'", ("double(x): got the text 'two' wanted numbers of shape (2, 2)",)),
        ("return x.oops", (
            "double.py:2, in double 1 | def double(x): > 2 | return x.oops AttributeError: 'numpy.ndarray' object has",
        )),
        ("import os; os._exit(3)", ("The process exited with code 3 while `double` was running called with x =",)),
        ("return iter(x)", ("unusable: A matrix is doubled. 0/1 `double` returned",)),
        ("print('seen', x.shape)\n    return x", ("Your code printed: | seen (2, 2)",)),
    ],
    ids=["value", "shape", "dtype", "infinity", "none", "text", "exception", "exit", "unusable", "print"],
)  # fmt: skip
def test_what_is_wrong_is_told_with_where_how_far_and_the_input(check, answer, told):
    words = check(f"def double(x):\n    {answer}\n").words
    assert [text for text in told if text not in words] == []


def test_nothing_that_an_answer_says_steers_the_terminal(check):
    answer = "def double(x):\n    evil = chr(27) + '[2J' + chr(0x202e)\n    print(evil)\n    raise ValueError(evil)\n"
    told = check(answer).words  # every line is printable, or `grade` says so
    assert "ValueError: \\x1b[2J\\u202e" in told
    assert "Your code printed: | \\x1b[2J\\u202e" in told


def test_a_loop_that_does_not_end_is_told_with_its_input(check):
    visible = VISIBLE.replace("seconds=2", "seconds=0.2")
    told = check("def double(x):\n    while True: pass\n", visible=visible).words
    assert "timed out: A matrix is doubled. 0/1 `double` " in told
    assert "is there a loop that does not end? called with x = [[1, 2], [3, 4]]" in told


def test_what_is_not_written_yet_takes_a_line_beside_what_is(check):
    visible = VISIBLE + '\n    @check(points=1)\n    def halves(student):\n        """Two is halved."""\n'
    visible += "        equal(student.half(2), 1)\n"
    lines = check(SAME + "\n\ndef half(x):\n    return helper(x)\n\n\ndef helper(x):\n    raise NotImplementedError\n",
                  visible=visible).out.splitlines()  # fmt: skip
    assert lines[2].split() == ["-", "not", "attempted:", "`half`", "needs", "`helper`,", "not", "written", "yet",
                                "(double.py:10)", "0/1"]  # fmt: skip
    assert lines[3].startswith("1 of 2 visible points.")
    lines = check(SAME, visible=visible).out.splitlines()
    assert " ".join(lines[2].split()) == "- not attempted: `half` is missing from double.py 0/1"


def test_a_file_that_cannot_be_imported_is_told_of_once(check):
    visible = VISIBLE + '\n    @check(points=1)\n    def again(student):\n        """And again."""\n'
    visible += "        equal(student.double(1), 2)\n"
    told = check("def double(x:\n    return 2\n", visible=visible).words
    assert "! crashed: none of the 2 checks could be made double.py:1 > 1 | def double(x:" in told
    assert told.count("SyntaxError") == 1


def test_an_exception_is_shown_at_the_innermost_line_of_the_students_own_files(check):
    answer = "import numpy as np\nfrom helper import inner\n\n\ndef double(x):\n    y = x + 1\n    return inner(y)\n"
    told = check(answer, helper="import numpy as np\n\n\ndef inner(y):\n    return np.linalg.inv(y[0])\n").words
    assert "helper.py:5, in inner 4 | def inner(y): > 5 | return np.linalg.inv(y[0]) LinAlgError: 1-dim" in told
    assert "called at double.py:7, in double: return inner(y)" in told


def test_an_exception_that_came_before_is_named_and_not_shown_again(check):
    visible = VISIBLE + '\n    @check(points=1)\n    def again(student):\n        """And again."""\n'
    visible += "        equal(student.double(1), 2)\n"
    told = check("def double(x):\n    return 1 / 0\n", visible=visible).words
    assert told.count("> 2 | return 1 / 0") == 1
    assert "ZeroDivisionError at double.py:2, as above." in told


def test_a_cell_of_a_notebook_is_named_with_its_line(check, tmp_path):
    cells = ["x = 1", "def double(x):\n    return x.oops"]
    notebook = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [
        {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None, "id": f"c{n}", "source": text}
        for n, text in enumerate(cells)
    ]}  # fmt: skip
    put(tmp_path / "work" / "mine" / "double.ipynb", json.dumps(notebook))
    assert "mine/double.ipynb, cell 2, line 2, in double" in check(SAME, "mine").words


def test_the_call_that_gave_a_wrong_number_of_several_is_told(check):
    visible = among_visible("equal([student.double(n) for n in (1, 2, 3)], [2, 4, 6])")
    told = check("def double(n):\n    return 2 * n if n < 3 else 9\n", visible=visible).words
    assert "double(x): got 9 wanted 6 wrong 1 of 3 numbers" in told
    assert "called with x = 3" in told


def test_what_was_worked_out_from_an_answer_is_told_with_the_answer(check):
    visible = among_visible("close(student.double(2.0) + 1, 5.0)")
    told = check("def double(x):\n    return x\n", visible=visible).words
    assert "after double(x): got 3 wanted 5 off by 2, where 1.9e-05 is allowed returned 2.0" in told


def test_an_authors_own_sentence_is_told_with_the_call(check):
    visible = among_visible('student.double(2.0)\n        raise Failure("no weights separate them")')
    told = check(SAME, visible=visible).words
    assert "after double(x): No weights separate them called with x = 2.0" in told


def test_drawn_arguments_are_told(check):
    visible = among_visible(
        "close(student.double(n), 2.0 * n)",
        head=("@check(points=1)", '@check(points=1, given={"n": st.integers(1, 99)})'),
        name=("(student)", "(student, n)"),
    )
    told = check("def double(n):\n    return 0 * n\n", visible=visible).words
    assert "double(x): got 0 wanted " in told
    assert "smallest failing input that was found: n = " in told


def test_what_was_printed_is_cut_to_the_first_and_last_lines_and_long_lines_to_their_beginnings(check):
    answer = "def double(x):\n    print('a' * 50_000)\n    for n in range(500):\n        print(n)\n    return x\n"
    lines = check(answer).out.splitlines()
    assert len(lines) < 60
    assert any("... 481 lines left out ..." in line for line in lines)


def test_names_of_checks_and_calls_are_told_if_asked_for(check):
    told = check("def double(x):\n    return x\n", "-v").words
    assert "[doubles_a_matrix]" in told
    assert "Called: | double([[1, 2], [3, 4]], shape (2, 2), float64) -> [[1, 2], [3, 4]], shape (2, 2)" in told


def test_the_arguments_of_a_probe_have_their_names_too(check, tmp_path):
    put(
        tmp_path / "course" / "problems" / "double" / "probes.py",
        "def shape(doubled):\n    return list(doubled.shape)\n",
    )
    visible = among_visible("equal(student.probe.shape(student.double(X)), [4])")
    told = check(SAME, visible=visible).words
    assert "probe.shape(doubled): got shape (2,) wanted shape (1,)" in told
    assert "called with doubled = [[2, 4], [6, 8]]" in told


def test_arguments_are_called_what_the_stub_calls_them():
    assert parameters("class V:\n    def __init__(self, k): ...\n    def forward(self, x): ...") == {
        "V": ("k",), "V.__init__": ("k",), "V.forward": ("x",)
    }  # fmt: skip
    assert parameters("def f(:") == {}
