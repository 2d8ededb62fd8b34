"""``%grade`` in a live notebook: the visible checks on the kernel's own functions, in the words of ``grade check``."""

from __future__ import annotations

import importlib.util
import random
import re
import signal
import subprocess
import sys
import types
from textwrap import dedent
from types import SimpleNamespace

import numpy as np
import pytest
from commands import ROOT, grade, grade_json
from courses import put, tiny_course

from grader import course as courses
from grader import problem as problems
from grader.errors import UsageError
from grader.isolation.inside import loading
from grader.isolation.profile import Profile
from grader.notebook import checking, live
from grader.notebook.checking import Live
from grader.notebook.kernel import Cells, Kernel
from grader.verdict import Status

RIGHT = "def double(x):\n    return 2 * x\n"
SQUARES = "def double(x):\n    return x**2\n"
THREE = "doubles_three_numbers"


@pytest.fixture
def whole(tmp_path):
    """A course with all that an instructor has; a check's time is short."""
    root = tiny_course(tmp_path)
    visible = root / "problems" / "double" / "visible.py"
    visible.write_text(visible.read_text(encoding="utf-8").replace("seconds=2", "seconds=0.3"), encoding="utf-8")
    return root


@pytest.fixture
def bundle(whole, tmp_path):
    """What a student has of it."""
    grade("release", "-o", tmp_path / "bundle", course=whole)
    return tmp_path / "bundle"


def cell(text, folder=None):
    """Return a notebook of one cell that has run."""
    names = {"__name__": "__main__"}
    loading.remember(text, "<cell>", set())
    exec(compile(text, "<cell>", "exec"), names)
    shown = {"<cell>": "notebook, cell 1"}
    return Live(Cells(names, lambda file: shown.get(file, ""), folder or ROOT / "nowhere"), (text,))


def checked(root, text, name=""):
    return checking.checked(courses.find(root), "double", cell(text), name)


def statuses(found):
    return [check.status for check in found.verdict.checks]


def shell(namespace=None, texts=()):
    """Stand in for IPython's shell, as far as the magic knows it."""
    return SimpleNamespace(
        user_ns=namespace if namespace is not None else {},
        history_manager=SimpleNamespace(input_hist_raw=["", *texts]),
        compile=SimpleNamespace(format_code_name=lambda file: ("Cell", "In[1]") if file == "<cell>" else None),
    )


# What is judged


ANSWERS = {
    "right": RIGHT,
    "a known mistake": SQUARES,
    "another mistake": "def double(x):\n    return 2 * abs(x)\n",
    "the stub": "def double(x):\n    raise NotImplementedError\n",
    "an exception": "def double(x):\n    x = list(x)\n    return x[7]\n",
    "no function": "doubles = 3\n",
    "no function, by name": "double = 3\n",
    "another signature": "def double():\n    return 3\n",
    "another shape": "def double(x):\n    return 2 * x[:, None]\n",
    "a generator": "def double(x):\n    return (2 * a for a in x)\n",
    "an exit": "def double(x):\n    raise SystemExit\n",
    "nothing": "def double(x):\n    pass\n",
    "an own exception": "class Mine(KeyError):\n    pass\n\n\ndef double(x):\n    raise Mine('x')\n",
    "its input changed": "def double(x):\n    x *= 2\n    return x\n",
    "in its own random numbers": (
        "import numpy as np\nimport random\n\n\ndef double(x):\n    return 2 * x + np.random.rand() + random.random()\n"
    ),
}


@pytest.fixture(scope="module")
def by_the_command(tmp_path_factory):
    """What ``grade check`` says of these answers, from the same release."""
    folder = tmp_path_factory.mktemp("command")
    grade("release", "-o", folder / "bundle", course=tiny_course(folder))
    said = {}
    for name, text in ANSWERS.items():
        path = put(folder / name / "double.py", "")
        path.write_text(text, encoding="utf-8")
        code = 0 if name in {"right", "its input changed"} else 1
        said[name] = grade_json("check", path, course=folder / "bundle", code=code)[0]["checks"]
    return SimpleNamespace(said=said, bundle=folder / "bundle")


@pytest.mark.parametrize("name", ANSWERS)
def test_a_notebook_is_told_what_grade_check_says(by_the_command, name):
    def plain(message):
        return message.replace("double.py", "HERE").replace("notebook, cell 1", "HERE").replace(
            "notebook cell 1", "HERE"
        ).replace("this notebook", "HERE")  # fmt: skip

    found = checked(by_the_command.bundle, ANSWERS[name]).verdict.checks
    assert [(check.name, check.status.value, plain(check.message), check.hint) for check in found] == [
        (check["name"], check["status"], plain(check["message"]), check["hint"]) for check in by_the_command.said[name]
    ]


def test_only_visible_checks_are_judged_and_the_rest_is_announced(bundle):
    found = checked(bundle, RIGHT)
    assert statuses(found) == [Status.PASSED, Status.PASSED]
    assert (found.worth.visible, found.worth.after_hand_in, found.worth.by_hand) == (2, 2, 0)


def test_what_a_notebook_must_not_hold_is_not_even_read(whole):
    """Where an instructor's whole course is at hand, student code shares no process with what is hidden in it."""
    for path in ("problems/double/hidden.py", "problems/double/variants.py", "reference/double.py"):
        (whole / path).write_text("raise RuntimeError('read')\n", encoding="utf-8")
    assert statuses(checked(whole, RIGHT)) == [Status.PASSED, Status.PASSED]


def test_one_check_is_judged_by_its_name(bundle):
    assert [check.name for check in checked(bundle, RIGHT, THREE).verdict.checks] == [THREE]
    with pytest.raises(UsageError, match="did you mean doubles_three_numbers"):
        checked(bundle, RIGHT, "doubles_three_number")


def test_the_simplest_failing_input_is_looked_for(bundle):
    found = checked(bundle, "def double(x):\n    return 2 * x if len(x) == 3 else x\n", "adds_to_itself")
    closer = found.closer["adds_to_itself"]
    assert closer.simplest
    assert closer.drawn["x"].shape == (2,)


def test_the_lines_of_a_cell_are_shown(bundle):
    found = checked(bundle, "def double(x):\n    return helper(x)\n\n\ndef helper(x):\n    return x / 'two'\n")
    inner, outer = found.closer[THREE].spots
    assert (inner.file, inner.number, inner.function) == ("notebook, cell 1", 6, "helper")
    assert inner.lines[-1] == (6, "    return x / 'two'")
    assert outer.number == 2


def test_a_module_beside_the_notebook_is_the_students_own(bundle, tmp_path, monkeypatch):
    put(tmp_path / "beside" / "mine_alone.py", "def halve(x):\n    return x / 'two'\n")
    monkeypatch.syspath_prepend(tmp_path / "beside")
    here = cell("import mine_alone\n\n\ndef double(x):\n    return mine_alone.halve(x)\n", tmp_path / "beside")
    found = checking.checked(courses.find(bundle), "double", here)
    assert [spot.file for spot in found.closer[THREE].spots] == ["mine_alone.py", "notebook, cell 1"]
    del sys.modules["mine_alone"]


# Good manners


def test_what_is_printed_stands_under_its_check_alone(bundle, capsys):
    found = checked(bundle, "import sys\n\n\ndef double(x):\n    print('out')\n    print('err', file=sys.stderr)\n")
    assert capsys.readouterr() == ("", "")
    assert found.closer[THREE].output == "out\nerr\n"


def test_random_numbers_go_on_as_if_nothing_had_been(bundle):
    before = random.getstate(), np.random.get_state()[1].tolist()  # noqa: NPY002 - the global one is meant
    checked(bundle, ANSWERS["in its own random numbers"])
    assert (random.getstate(), np.random.get_state()[1].tolist()) == before  # noqa: NPY002 - as above


@pytest.mark.torch
def test_torch_is_given_back_as_it_was(bundle):
    import torch

    before = torch.get_rng_state().tolist()
    text = """
        import torch


        def double(x):
            assert torch.get_default_dtype() == torch.float64
            return 2 * x * torch.rand(len(x)).numpy() ** 0
        """
    assert statuses(checked(bundle, dedent(text))) == [Status.PASSED, Status.PASSED]
    assert torch.get_rng_state().tolist() == before
    assert torch.get_default_dtype() == torch.float32


def test_a_loop_without_end_is_ended(bundle):
    found = checked(
        bundle,
        "def double(x):\n    while True:\n        try:\n            x\n        except Exception:\n            x\n",
    )
    assert statuses(found) == [Status.TIMED_OUT, Status.TIMED_OUT]
    assert "used more than 0.3 s of CPU time; is there a loop that does not end?" in found.verdict.checks[0].message


def test_waiting_without_end_is_ended(bundle):
    found = checked(bundle, "import threading\n\n\ndef double(x):\n    threading.Event().wait()\n", THREE)
    assert statuses(found) == [Status.TIMED_OUT]
    assert "slept or waited for something" in found.verdict.checks[0].message


def test_no_timer_is_left_behind(bundle):
    before = [signal.getsignal(number) for number in (signal.SIGALRM, signal.SIGPROF)]
    checked(bundle, RIGHT)
    assert [signal.getsignal(number) for number in (signal.SIGALRM, signal.SIGPROF)] == before
    assert signal.getitimer(signal.ITIMER_REAL) == signal.getitimer(signal.ITIMER_PROF) == (0.0, 0.0)


def test_an_interruption_is_the_students(bundle):
    with pytest.raises(KeyboardInterrupt):
        checked(bundle, "def double(x):\n    raise KeyboardInterrupt\n")


def test_a_library_that_is_not_there_after_hand_in_is_noted(bundle):
    here = cell(RIGHT)
    here.cells.names["torch"] = types.ModuleType("torch")
    (note,) = checking.checked(courses.find(bundle), "double", here).verdict.notes
    assert note == "This problem is solved without torch; after hand-in it cannot be imported."


# Objects and probes


def test_objects_stay_and_are_called_where_they_are(bundle, tmp_path):
    put(tmp_path / "bundle" / "problems" / "double" / "probes.py", "def seen(counter):\n    return counter.seen\n")
    problem = problems.load(courses.find(bundle).problem("double"))
    text = """
        class Counter:
            def __init__(self, seen):
                self.seen = seen

            def add(self, x):
                self.seen = self.seen + x
                return self
        """
    mine = Kernel(problem, cell(dedent(text)).cells, Profile())
    mine.begin(1.0)
    counter = mine.call(("Counter",), (np.ones(2),), {}, tensors=False)
    assert counter.kind == "Counter"
    mine.call((counter, "add"), (np.ones(2),), {}, tensors=False)
    assert mine.call(("probe", "seen"), (counter,), {}, tensors=False).tolist() == [2, 2]
    mine.forget()
    with pytest.raises(KeyError):
        mine.call((counter, "add"), (1,), {}, tensors=False)


@pytest.mark.torch
@pytest.mark.parametrize("slug", ["vae_shapes", "gcn_gradient", "receptive_fields"])
def test_the_references_pass_in_a_notebook(slug):
    course = courses.find(ROOT)
    found = checking.checked(course, slug, cell(course.problem(slug).reference))
    assert set(statuses(found)) == {Status.PASSED}


def test_what_a_function_does_to_its_input_is_not_seen_outside(bundle):
    text = "def double(x):\n    x *= 2\n    return x\n"
    mine = Kernel(problems.load(courses.find(bundle).problem("double")), cell(text).cells, Profile())
    mine.begin(1.0)
    whole = np.array([1, 2])
    given = mine.call(("double",), (whole,), {}, tensors=False)
    assert (given.tolist(), whole.tolist()) == ([2, 4], [1, 2])


# The magic


@pytest.fixture
def at(bundle, monkeypatch):
    """Work in a release with a notebook in which a cell has run; return what ``%grade`` does there."""
    monkeypatch.chdir(bundle)
    monkeypatch.delenv("NBGRADER_EXECUTION", raising=False)

    def magic(text=RIGHT):
        here = cell(text)
        return live.Magic(shell(here.cells.names, here.texts), bundle)

    return magic


def test_the_magic_prints_what_grade_check_prints(at, bundle, capsys):
    at()("double")
    said = capsys.readouterr().out
    put(bundle / "double.py", RIGHT)
    assert said == grade("check", "double.py", course=bundle).out
    assert "2 of 2 visible points. 2 points more are checked after hand-in." in said


def test_a_whole_problem_that_is_not_passed_does_not_stop_a_notebook(at, capsys):
    at(SQUARES)("double")
    assert "0 of 2 visible points" in capsys.readouterr().out


def test_one_check_that_is_not_passed_stops_and_says_why(at, capsys):
    with pytest.raises(live.NotPassed, match="double::doubles_three_numbers is not passed") as caught:
        at(SQUARES)(f"double::{THREE}")
    shown = "\n".join(caught.value._render_traceback_())
    assert "wanted" in shown
    assert "Hint: Is two a factor here, or a power?" in shown
    assert capsys.readouterr().out == ""


def test_a_check_after_hand_in_asks_for_nothing(at, capsys):
    at("double = 3")("double --after-hand-in")
    assert capsys.readouterr().out == "double: this check is made after hand-in. Nothing is wanted here.\n"


def test_names_of_checks_and_calls_are_shown_on_wish(at, capsys):
    at(SQUARES)("-v double")
    said = capsys.readouterr().out
    assert f"[{THREE}]" in said
    assert "Called:" in said


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("", "write %grade and a problem's name"),
        ("# double", "write %grade and a problem's name"),
        ("double --loud", "%grade has no option --loud"),
        ("doubl", "did you mean double?"),
        ("double::nothing", "double has no visible check 'nothing'"),
    ],
)
def test_what_cannot_be_run_is_a_sentence(at, line, sentence):
    with pytest.raises(live.CannotCheck) as caught:
        at()(line)
    assert sentence in caught.value._render_traceback_()[0]


def test_a_notebook_that_was_torn_from_its_folder_says_what_is_missing(tmp_path, monkeypatch):
    alone = tmp_path / "alone"
    alone.mkdir()
    monkeypatch.chdir(alone)
    mine = live.Magic(shell(), alone)
    with pytest.raises(live.CannotCheck, match=r"there is no folder `problems` in .* fetch or download the whole"):
        mine("double")


def test_code_that_goes_elsewhere_takes_no_problem_along(at, tmp_path, monkeypatch, capsys):
    mine = at()
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    mine("double")
    assert "2 of 2 visible points" in capsys.readouterr().out


@pytest.mark.parametrize("line", [f"double::{THREE}", "double --after-hand-in"])
def test_where_nbgrader_itself_grades_no_check_passes(at, line, monkeypatch):
    mine = at()
    monkeypatch.setenv("NBGRADER_EXECUTION", "autograde")
    with pytest.raises(live.CannotCheck, match="no points are given here"):
        mine(line)


def test_where_nbgrader_itself_grades_nothing_is_read(at, monkeypatch, capsys):
    mine = at()
    monkeypatch.setenv("NBGRADER_EXECUTION", "autograde")
    monkeypatch.setattr(checking, "checked", None)
    mine("double")
    assert "Not run: this notebook is graded by `grade nbgrader`" in " ".join(capsys.readouterr().out.split())


def test_a_course_that_cannot_be_read_is_a_sentence(at, bundle):
    put(bundle / "problems" / "double" / "visible.py", "import nothing_that_there_is\n")
    with pytest.raises(live.CannotCheck, match=r"visible\.py, line 1: ModuleNotFoundError"):
        at()("double")


# IPython itself


SESSION = """
    import sys
    from IPython.core.interactiveshell import InteractiveShell

    shell = InteractiveShell()
    for text in sys.stdin.read().split("\\n====\\n"):
        shell.run_cell(text, store_history=True)
"""


@pytest.mark.skipif(importlib.util.find_spec("IPython") is None, reason="IPython is not installed")
def test_in_ipython_cells_are_numbered_as_they_ran_and_sentences_have_no_traceback(bundle, tmp_path):
    inputs = [
        "%load_ext grader",
        "def double(x):\n    return helper(x)",
        "def helper(x):\n    y = 2 * x\n    return y / 'two'",
        "%grade double",
        "%grade wrong",
        f"%grade double::{THREE}",
        "double = lambda x: 2 * x",
        f"%grade double::{THREE}  # again",
        "print('to the end')",
    ]
    done = subprocess.run(
        [sys.executable, "-c", dedent(SESSION)], input="\n====\n".join(inputs), cwd=bundle, capture_output=True,
        text=True, check=True, env={"PYTHONPATH": str(ROOT), "IPYTHONDIR": str(tmp_path / "ipython"), "PATH": ""},
    )  # fmt: skip
    said = " ".join(done.stdout.split())
    assert re.search(r"notebook, cell 3(:|, line )3, in helper", said)
    assert re.search(r"called at notebook, cell 2(:|, line )2, in double", said)
    assert "no problem 'wrong'" in said
    assert "Traceback" not in done.stdout + done.stderr
    assert "✓ The doubles of 1.5, -2 and 5 are 3, -4 and 10. 1/1" in said
    assert said.endswith("to the end")


def test_the_extension_costs_nothing_until_it_is_loaded():
    command = "import sys, grader; print(hasattr(grader, 'load_ipython_extension'), 'numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", command], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "False"]
