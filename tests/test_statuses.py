"""Every status of the design's table, reached by a real submission, on a visible and on a hidden check."""

from __future__ import annotations

import io
import zipfile
from textwrap import dedent

import pytest
from courses import put

from grader import course as courses
from grader import isolation
from grader import submission as submissions
from grader.judge import RunSettings, judge, settled
from grader.problem import load
from grader.verdict import Status

VISIBLE = '''
    import numpy as np
    from grader import check, close, settings

    limits = settings(seconds=1, import_seconds=2, problem_seconds=20, memory_mib=200, by_hand=True)

    @check(points=1)
    def squares_three_numbers(student):
        """The squares of 1, 2 and 3 are 1, 4 and 9."""
        close(student.square(np.array([1.0, 2.0, 3.0])), np.array([1.0, 4.0, 9.0]))
'''
HIDDEN = '''
    from grader import check, close, normal

    @check(points=2, given={"x": normal((4,), 3.0).filter(lambda x: (abs(x) > 0.1).all())}, examples=3)
    def squares_any_numbers(student, reference, x):
        """Any array is squared."""
        close(student.square(x), reference.square(x))
'''
REFERENCE = '''
    import numpy as np

    def square(x: np.ndarray) -> np.ndarray:
        """Return the square of every entry."""
        # BEGIN SOLUTION
        return x * x
        # END SOLUTION
'''

ENDINGS = {
    "right": ("def square(x):\n    return x * x", Status.PASSED),
    "stub": ("def square(x):\n    raise NotImplementedError", Status.NOT_ATTEMPTED),
    "missing function": ("def cube(x):\n    return x", Status.NOT_ATTEMPTED),
    "wrong value": ("def square(x):\n    return 2 * x", Status.FAILED),
    "wrong shape": ("def square(x):\n    return (x * x)[:, None]", Status.FAILED),
    "NaN": ("def square(x):\n    return x * float('nan')", Status.FAILED),
    "exception": ("def square(x):\n    return 1 / 0", Status.CRASHED),
    "syntax error": ("def square(x:\n    return x", Status.CRASHED),
    "import error": ("import nowhere_to_be_found\ndef square(x):\n    return x * x", Status.CRASHED),
    "wrong signature": ("def square(x, y):\n    return x * x", Status.CRASHED),
    "sys.exit": ("import sys\ndef square(x):\n    sys.exit(0)", Status.CRASHED),
    "os._exit": ("import os\ndef square(x):\n    os._exit(0)", Status.CRASHED),
    "segmentation fault": ("import ctypes\ndef square(x):\n    ctypes.string_at(0)", Status.CRASHED),
    "endless loop": ("def square(x):\n    while True:\n        pass", Status.TIMED_OUT),
    "endless sleep": ("import time\ndef square(x):\n    time.sleep(1000)", Status.TIMED_OUT),
    "endless import": ("while True:\n    pass", Status.TIMED_OUT),
    "memory bomb": (
        "import numpy as np\nkept = []\ndef square(x):\n    while True:\n        kept.append(np.ones(2**21))",
        Status.OUT_OF_MEMORY,
    ),
    "output flood": ("def square(x):\n    while True:\n        print('y' * 1000)", Status.TOO_MUCH_OUTPUT),
    "object array": (
        "import numpy as np\ndef square(x):\n    return np.array([object()] * 3, dtype=object)",
        Status.UNUSABLE,
    ),
    "a million leaves": ("def square(x):\n    return [0.0] * 10**6", Status.UNUSABLE),
}
CANARY = "c4n4ry-7fd1"


@pytest.fixture(scope="module")
def launcher():
    survey = isolation.survey()
    started = isolation.launcher(survey.layers)
    yield started
    started.close()


def course_of(folder, *, visible=VISIBLE, hidden=HIDDEN, reference=REFERENCE):
    put(folder / "problems" / "square" / "statement.md", "# Squares\n")
    put(folder / "problems" / "square" / "visible.py", visible)
    put(folder / "problems" / "square" / "hidden.py", hidden)
    put(folder / "reference" / "square.py", reference)
    return courses.find(folder)


def verdict_of(folder, text, launcher, **course):
    files = course_of(folder / "course", **course).problem("square")
    put(folder / "ada" / "square.py", text)
    return judged(files, folder / "ada", launcher)


def judged(files, path, launcher):
    run = RunSettings(seed=5, examples=settled(load(files), 5), layers=launcher.layers)
    return judge(files, submissions.load(path, slugs=("square",)), run, launcher)


@pytest.mark.parametrize("ending", ENDINGS)
def test_each_ending_has_its_status(ending, tmp_path, launcher):
    """The visible and the hidden check both get the status, and points only for a pass."""
    text, status = ENDINGS[ending]
    verdict = verdict_of(tmp_path, text, launcher)
    assert [check.status for check in verdict.checks] == [status, status], [c.detail for c in verdict.checks]
    assert verdict.status is status
    assert verdict.score == (3 if status is Status.PASSED else 0)


@pytest.mark.parametrize("ending", [e for e, (_, status) in ENDINGS.items() if status is not Status.PASSED])
def test_every_ending_is_told(ending, tmp_path, launcher):
    """Each check says its promise and then what happened, the hidden one too."""
    verdict = verdict_of(tmp_path, ENDINGS[ending][0], launcher)
    for check in verdict.checks:
        assert check.message.startswith(check.promise)
        assert len(check.finding) > 10


def test_missing_file_is_not_attempted(tmp_path, launcher):
    """A student who hands in nothing for a problem has not attempted it."""
    files = course_of(tmp_path / "course").problem("square")
    put(tmp_path / "ada" / "other.py", "x = 1\n")
    verdict = judged(files, tmp_path / "ada", launcher)
    assert verdict.status is Status.NOT_ATTEMPTED
    assert "square.py" in verdict.checks[0].message


def test_refused_archive_is_unusable(tmp_path, launcher):
    """An archive that climbs out of its folder is refused, and every check says so."""
    files = course_of(tmp_path / "course").problem("square")
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        archive.writestr("../square.py", "def square(x):\n    return x * x\n")
    (tmp_path / "ada.zip").write_bytes(held.getvalue())
    verdict = judged(files, tmp_path / "ada.zip", launcher)
    assert [check.status for check in verdict.checks] == [Status.UNUSABLE] * 2
    assert "ada.zip" in verdict.checks[0].finding


def test_exception_names_the_students_own_line_only(tmp_path, launcher):
    """The student sees own file and line; no frame of ours; a hidden check keeps the exception's text to itself."""
    text = f"def square(x):\n    return helper(x)\n\ndef helper(x):\n    raise ValueError('{CANARY}')\n"
    visible, hidden = verdict_of(tmp_path, text, launcher).checks
    assert "square.py:5" in visible.message
    assert CANARY in visible.message
    assert "ValueError" in hidden.message
    assert "square.py:5" in hidden.message
    assert CANARY not in hidden.message
    assert CANARY in hidden.detail
    for check in (visible, hidden):
        for ours in ("serve.py", "worker.py", "grader/", "site-packages"):
            assert ours not in check.message + check.detail


def test_failed_import_lists_every_check_with_its_reason(tmp_path, launcher):
    """A file that does not import fails every check, each with the line."""
    verdict = verdict_of(tmp_path, "x = 1\ny = undefined_name\n", launcher)
    assert [check.status for check in verdict.checks] == [Status.CRASHED] * 2
    assert all("square.py:2" in check.message for check in verdict.checks)


def test_broken_reference_is_ours(tmp_path, launcher):
    """A reference that raises breaks the hidden check: no score, and the visible check still counts."""
    broken = REFERENCE.replace("return x * x", "return x @ 'text'")
    verdict = verdict_of(tmp_path, ENDINGS["right"][0], launcher, reference=broken)
    assert [check.status for check in verdict.checks] == [Status.PASSED, Status.BROKEN]
    assert verdict.status is Status.BROKEN
    assert verdict.score is None
    assert "not yours" in verdict.checks[1].message


def test_broken_check_is_ours(tmp_path, launcher):
    """A check that raises whoever answers is BROKEN for a wrong answer and for a right one."""
    broken = HIDDEN.replace("close(student.square(x), reference.square(x))", "student.square(x).no_such_method()")
    for name in ("right", "wrong value"):
        verdict = verdict_of(tmp_path, ENDINGS[name][0], launcher, hidden=broken)
        assert verdict.checks[1].status is Status.BROKEN
        assert verdict.checks[1].score is None


def test_value_that_a_check_cannot_use_is_unusable(tmp_path, launcher):
    """A check that trips over a student's value, and not over the reference's, blames the value."""
    using = HIDDEN.replace(
        "close(student.square(x), reference.square(x))", "close(student.square(x).sum(), (x * x).sum())"
    )
    verdict = verdict_of(tmp_path, "def square(x):\n    return 'text'\n", launcher, hidden=using)
    assert verdict.checks[1].status is Status.UNUSABLE
    assert "`square` returned text" in verdict.checks[1].message


def test_value_that_would_keep_the_grader_busy_is_unusable(tmp_path, launcher, monkeypatch):
    """A check that hands a student's number on to the reference cannot be made to run for ever."""
    monkeypatch.setattr("grader.sitting.PATIENCE_AT_LEAST", 0)
    busy = REFERENCE + "\n    def slowly(n: int) -> int:\n        while n > 0:\n            n -= 1\n        return 0\n"
    handing_on = HIDDEN.replace(
        "close(student.square(x), reference.square(x))", "assert reference.slowly(float(student.square(x).max())) == 0"
    )
    text = "def square(x):\n    return 0 * x + 1e15\n"
    verdict = verdict_of(tmp_path, text, launcher, hidden=handing_on, reference=busy)
    assert verdict.checks[1].status is Status.UNUSABLE


def test_swallowed_fault_still_counts(tmp_path, launcher):
    """A check that catches everything cannot turn a student's crash into a pass."""
    swallowing = dedent(HIDDEN).replace(
        "    close(student.square(x), reference.square(x))",
        "    try:\n        close(student.square(x), reference.square(x))\n    except Exception:\n        pass",
    )
    verdict = verdict_of(tmp_path, ENDINGS["exception"][0], launcher, hidden=swallowing)
    assert verdict.checks[1].status is Status.CRASHED


def test_time_of_the_problem_runs_out(tmp_path, launcher):
    """Checks after the problem's time are skipped, say so, and give nothing."""
    short = VISIBLE.replace("problem_seconds=20", "problem_seconds=0.5")
    visible, hidden = verdict_of(tmp_path, ENDINGS["endless sleep"][0], launcher, visible=short).checks
    assert visible.status is Status.TIMED_OUT
    assert hidden.status is Status.SKIPPED
    assert hidden.score == 0
    assert "Skipped" in hidden.message


def test_next_check_gets_a_fresh_child(tmp_path, launcher):
    """A crash in one check costs the next one nothing."""
    text = """
        import os
        def square(x):
            if len(x) == 3:
                os._exit(3)
            return x * x
    """
    visible, hidden = verdict_of(tmp_path, text, launcher).checks
    assert (visible.status, hidden.status) == (Status.CRASHED, Status.PASSED)
