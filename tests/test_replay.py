"""A replay script calls the student's file again, by itself, with exactly the run's inputs."""

from __future__ import annotations

import contextlib
import io
import math
import subprocess
import sys
from fractions import Fraction
from textwrap import dedent

import numpy as np
import pytest

from grader import replay, replaykit
from grader.errors import StudentFault, UsageError
from grader.isolation.inside.wire import Handle
from grader.isolation.profile import SourceFile
from grader.replay import Origin, Replayed
from grader.student import Call, Log, Proxy
from grader.submission import Answer
from grader.trusted import Trusted
from grader.verdict import CheckResult, Status

RIGHT = dedent(
    """
    import numpy as np

    def double(x):
        return 2 * x

    class Scaler:
        def __init__(self, factor):
            self.factor = factor

        def forward(self, x):
            return self.factor * x

        __call__ = forward
    """
)
WRONG = RIGHT.replace("2 * x", "x ** 2").replace("self.factor * x", "self.factor + x")
PROBES = "def factor_of(scaler):\n    return scaler.factor\n"


def logged(text, calls, *, probes="", takes_tensors=None):
    """Return the calls that a check makes of a candidate, as a log of it."""
    log = Log()
    log.begin()
    with contextlib.suppress(StudentFault):
        calls(Proxy(Trusted(text, "student.py", probes), log, dtype="float64", takes_tensors=takes_tensors or {}))
    return log.examples[-1]


def replayed(text, calls, example=None, *, probes=""):
    result = CheckResult("a_check", False, "Twice is twice.", Status.FAILED, 0.0, 1.0, "Twice is twice.\nNo.")
    reference = Trusted(RIGHT, "reference.py", probes)
    return Replayed.of(result, "got 1, want 2", example or {}, logged(text, calls, probes=probes), reference)


def written(tmp_path, text, calls, example=None, *, on_disk=True, probes="", **changes):
    path = tmp_path / "hand in" / "double.py"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    answer = Answer(SourceFile("double.py", (text,)))
    origin = Origin("double", changes.pop("answer", answer), path if on_disk else None, probes, "float64")
    return replay.script("ada", origin, (replayed(text, calls, example, probes=probes),))


def ran(tmp_path, script):
    path = tmp_path / "replay.py"
    path.write_text(script, encoding="utf-8")
    done = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def doubles(student):
    student.double(np.array([1.0, 3.0, -0.0]))


@pytest.mark.parametrize("on_disk", [True, False])
def test_a_script_prints_got_recorded_wanted_and_difference(tmp_path, on_disk):
    said = ran(tmp_path, written(tmp_path, WRONG, doubles, on_disk=on_disk))
    assert "a_check, call 1: double(" in said
    assert "got now:  array([1., 9., 0.])" in said
    assert "recorded: array([1., 9., 0.])" in said
    assert "wanted:   array([ 2.,  6., -0.])" in said
    assert "difference: 3 at [1], allowed by default 2.3e-05" in said


def test_a_script_needs_nothing_of_the_grader(tmp_path):
    assert "grader" not in written(tmp_path, WRONG, doubles).replace("grader's", "")


def test_its_first_lines_say_who_may_read_it_and_what_it_runs(tmp_path):
    first, second = written(tmp_path, WRONG, doubles).splitlines()[:2]
    assert first == "# For instructors: this file holds hidden inputs and wanted values. Do not hand it out."
    assert "runs the student's code in its own process, without isolation" in second


def test_only_calls_that_went_wrong_are_shown(tmp_path):
    def calls(student):
        student.double(2.0)  # two squared is right by chance
        student.double(3.0)

    said = ran(tmp_path, written(tmp_path, WRONG, calls))
    assert "call 1" not in said
    assert "call 2: double(3.0)" in said


def test_all_calls_are_shown_where_each_is_right_by_itself(tmp_path):
    assert "call 1: double(2.0)" in ran(tmp_path, written(tmp_path, RIGHT, lambda student: student.double(2.0)))


def test_objects_are_made_again_and_called(tmp_path):
    def calls(student):
        scaler = student.Scaler(4.0)
        scaler(np.array([1.0, 2.0]))
        scaler.forward(3.0)
        student.probe.factor_of(scaler)

    said = ran(tmp_path, written(tmp_path, WRONG, calls, probes=PROBES))
    assert "recorded: array([5., 6.])" in said
    assert "wanted:   array([4., 8.])" in said
    assert "recorded: 7.0\n  wanted:   12.0" in said


def test_a_call_that_crashes_is_shown_with_what_it_raises(tmp_path):
    class Crashing:
        def call(self, *_args, **_kwargs):
            raise StudentFault(Status.CRASHED, "`double` raised ZeroDivisionError")

        def forget(self):
            pass

    log = Log()
    log.begin()
    with contextlib.suppress(StudentFault):
        Proxy(Crashing(), log, dtype="float64", takes_tensors={}).double(1.0)
    result = CheckResult("a_check", False, "p", Status.CRASHED, 0.0, 1.0, "p")
    found = Replayed.of(result, "It raised.", {}, log.examples[-1], Trusted(RIGHT, "reference.py"))
    text = "def double(x):\n    return x / 0\n"
    script = replay.script(
        "ada", Origin("double", Answer(SourceFile("double.py", (text,))), None, "", "float64"), (found,)
    )
    said = ran(tmp_path, script)
    assert "got now:  <ZeroDivisionError: float division by zero>" in said
    assert "recorded: <CRASHED: `double` raised ZeroDivisionError>" in said
    assert "wanted:   2.0" in said


def test_a_notebooks_cells_run_without_its_magics(tmp_path):
    cells = ("%matplotlib inline\nimport numpy as np", "1 / 0", "def double(x):\n    return np.square(x)")
    answer = Answer(SourceFile("double.ipynb", cells, notebook=True))
    assert "got now:  np.float64(9.0)" in ran(
        tmp_path, written(tmp_path, WRONG, lambda student: student.double(3.0), on_disk=False, answer=answer)
    )


def test_hostile_names_and_values_stay_in_their_comments_and_literals(tmp_path):
    hostile = "'''\nimport os; os._exit(9)\n\"\"\" \u2028 \x1b[31m"
    text = f"def double(x):\n    return {hostile!r}\n"
    found = replayed(text, lambda student: student.double(1.0), {"name": hostile})
    origin = Origin("double", Answer(SourceFile("double.py", (text,))), None, "", "float64")
    script = replay.script(hostile, origin, (found,))
    assert script.isascii()
    assert "\x1b" not in script
    assert "difference: no numbers to compare" in ran(tmp_path, script)


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        3,
        10**300,
        0.1,
        -0.0,
        math.inf,
        1e-320,
        complex(0.1, -0.0),
        complex(math.nan, math.inf),
        "text with 'quotes' and \u202e",
        Fraction(1, 3),
        [],
        (1,),
        (),
        {"a": [1, {"b": (2.5, None)}], 3: "c"},
        np.array([0.1, math.nan, -math.inf, -0.0]),
        np.array([[0.1, 0.2]], dtype=np.float32),
        np.array(5, dtype=np.int8),
        np.array([2**63 - 1, -(2**63)]),
        np.array([[True, False]]),
        np.array([1 + 2j, complex(math.nan, 0)]),
        np.zeros((0, 3)),
        np.arange(5000.0).reshape(50, 100) / 3,
        [np.array([1.0]), "x"],
    ],
    ids=lambda value: repr(value)[:30],
)
def test_a_literal_gives_exactly_the_value_back(value):
    names = {"np": np, "Fraction": Fraction, "inf": math.inf, "nan": math.nan}
    exec("from base64 import b64decode\nfrom zlib import decompress", names)
    assert_identical(eval(replay.literal(value), names), value)


def assert_identical(got, want):
    assert type(got) is type(want)
    if isinstance(want, np.ndarray):
        assert (got.dtype, got.shape, got.tobytes()) == (want.dtype, want.shape, want.tobytes())
    elif isinstance(want, (list, tuple)):
        assert len(got) == len(want)
        for one, other in zip(got, want, strict=True):
            assert_identical(one, other)
    elif isinstance(want, dict):
        assert list(got) == list(want)
        assert_identical(list(got.values()), list(want.values()))
    else:
        assert repr(got) == repr(want)


def test_an_object_in_an_answer_is_named():
    assert replay.literal([Handle(1, "ConvVAE"), 2]) == "[Kept('ConvVAE'), 2]"


def test_tensors_are_given_as_tensors(tmp_path):
    pytest.importorskip("torch")
    call = Call(("double",), (np.array([1.0]),), {}, tensors=True, value=np.array([1.0]))
    found = Replayed("a_check", "p", "FAILED", "no", {}, [call], [np.array([2.0])])
    text = "import torch\ndef double(x):\n    assert isinstance(x, torch.Tensor)\n    return x.square()\n"
    origin = Origin("double", Answer(SourceFile("double.py", (text,))), None, "", "float64")
    said = ran(tmp_path, replay.script("ada", origin, (found,)))
    assert "got now:  tensor([1.])" in said
    assert "difference: 1 at [0], allowed by default 7.6e-06" in said


def test_a_file_that_is_there_is_not_written_over(tmp_path):
    path = tmp_path / "replay.py"
    replay.write(path, "one\n")
    with pytest.raises(UsageError, match=r"replay\.py exists already; name another file"):
        replay.write(path, "two\n")
    assert path.read_text(encoding="utf-8") == "one\n"
    with pytest.raises(UsageError, match=r"no such folder.*cannot be written \(No such file or directory\)"):
        replay.write(tmp_path / "no such folder" / "replay.py", "")


@pytest.mark.parametrize(
    ("got", "wanted", "said"),
    [
        ([1.0, 2.0], [1.0, 2.5], "difference: 0.5 at [1], allowed by default 9.5e-06"),
        ({"a": 1.0}, {"a": 3}, "difference['a']: 2, allowed by default 1.1e-05"),
        (np.ones((2, 1)), np.ones(2), "difference: shape (2, 1), wanted (2,)"),
        (math.nan, 1.0, "difference: inf, allowed by default 3.8e-06"),
        ("text", 1.0, "difference: no numbers to compare"),
        (Fraction(1, 2), Fraction(1, 4), "difference: 0.25, allowed by default 9.5e-07"),
        (([1.0], 2.0), ([1.0], 4.0), "difference[1]: 2, allowed by default 1.5e-05"),
        (np.zeros((0, 2)), np.zeros((0, 2)), "difference: both are empty"),
    ],
)
def test_differences_are_measured_against_what_close_allows_by_default(got, wanted, said):
    assert replaykit.differences(got, wanted)[-1] == said


def test_shown_calls_read_line_by_line():
    stream = io.StringIO()
    with contextlib.redirect_stdout(stream):
        replaykit.show("double(1)", 1.0, recorded=1.0, wanted=2.0)
    assert stream.getvalue().splitlines() == [
        "double(1)",
        "  got now:  1.0",
        "  recorded: 1.0",
        "  wanted:   2.0",
        "  difference: 1, allowed by default 7.6e-06",
    ]
