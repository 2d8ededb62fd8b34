"""Answers that are wrong for any problem are caught by sound checks, and lax checks are told so."""

import warnings
from textwrap import indent

import pytest
from hypothesis import given
from making import bench, files, values

from grader import examples, generic
from grader.isolation.inside import wire
from grader.problem import load

HEAD = "import numpy as np\nfrom grader import *\nfrom hypothesis import strategies as st\n"


def problem(checks, reference, probes="", visible=None):
    """Return a problem whose hidden checks and reference are given; its visible check never says no."""
    quiet = "@check(free={'f': 'the hidden checks are meant'})\ndef quiet(student):\n    '''P.'''\n"
    return load(
        files(visible=HEAD + (visible or quiet), hidden=HEAD + checks, reference=reference + REGION, probes=probes)
    )


REGION = "\n\ndef unused():\n    # BEGIN SOLUTION\n    pass\n    # END SOLUTION\n"


def survey(read):
    stored = {check.name: examples.draw(check, 0) for check in read.checks}
    with warnings.catch_warnings(action="error"):
        return generic.survey(read, bench(read), stored)


def a_hidden(body, arguments="", given="", options=""):
    mark = f"given={given}, examples=3, {options}" if given else options
    head = f"\n@check({mark})\ndef holds(student, reference{arguments}):\n    '''P.'''\n"
    return head + indent(body, "    ") + "\n"


def complaints(body, reference, arguments=", x", given="{'x': normal((3, 2))}", options=""):
    return survey(problem(a_hidden(body, arguments, given, options), reference)).complaints


DOUBLE = "def f(x):\n    return 2 * x\n"
GRAM = "def f(x):\n    return x.T @ x\n"


def named(found, name):
    return [complaint for complaint in found if f"answered with {name} " in complaint]


class TestWrongAnswers:
    def test_a_sound_check_lets_none_through(self):
        found = survey(problem(a_hidden("close(student.f(x), reference.f(x))", ", x", "{'x': normal((3, 2))}"), DOUBLE))
        assert found.complaints == []
        assert found.tried > 15

    def test_a_check_of_the_shape_alone_lets_all_numbers_through(self):
        found = complaints("equal(student.f(x).shape, (3, 2))", DOUBLE)
        for name in (
            "zeros",
            "ones",
            "NaN",
            "its mean",
            "its second half zeroed",
            "an argument of equal shape",
            "float16",
        ):
            (complaint,) = named(found, name)
            assert complaint.startswith("(e) f answered with")

    @pytest.mark.parametrize(
        ("body", "names"),
        [
            (
                "close(student.f(x).sum(), reference.f(x).sum())",
                ["its mean", "itself reversed along axis 0", "itself rolled along axis 1"],
            ),
            ("close(student.f(x)[:1], reference.f(x)[:1])", ["its second half zeroed"]),
            ("close(student.f(x)[:, 0], reference.f(x)[:, 0])", []),
        ],
    )
    def test_a_check_that_looks_away_is_told_from_what(self, body, names):
        found = complaints(body, DOUBLE)
        assert all(named(found, name) for name in names)
        assert not named(found, "zeros")

    def test_an_answer_that_is_the_right_one_after_all_is_no_complaint(self):
        assert complaints("close(student.f(x), reference.f(x))", GRAM) == []
        assert complaints("close(student.f(x)[0, 0] * np.ones((2, 2)), reference.f(x)[0, 0] * np.ones((2, 2)))", GRAM)

    def test_it_is_enough_that_one_check_catches_it(self):
        lax = a_hidden("equal(student.f(x).shape, (3, 2))", ", x", "{'x': normal((3, 2))}")
        sound = lax.replace("holds", "agrees").replace(
            "equal(student.f(x).shape, (3, 2))", "close(student.f(x), 2 * x)"
        )
        assert survey(problem(lax + sound, DOUBLE)).complaints == []

    def test_a_function_with_many_right_answers_is_exempt_where_the_check_says_so(self):
        body, options = "equal(student.f(x).shape, (3, 2))", "free={'f': 'any numbers will do'}"
        assert not [c for c in complaints(body, DOUBLE, options=options) if c.startswith("(e)")]
        assert [c for c in complaints(body, DOUBLE, options="free={'g': 'not this one'}") if c.startswith("(e)")]

    def test_counts_are_off_by_one_in_both_directions(self):
        near = "if abs(student.f(5) - 5) > 1:\n    raise Failure('far')"
        found = complaints(near, "def f(n):\n    return n\n", "", "")
        assert named(found, "one more")
        assert named(found, "one less")

    def test_arrays_of_counts_too(self):
        reference = "import numpy as np\ndef f(n):\n    return np.zeros(n, np.uint8)\n"
        assert named(complaints("equal(student.f(3).shape, (3,))", reference, "", ""), "one less")

    @pytest.mark.parametrize("value", ["bool(n)", "np.arange(n) > 0", "[True, False]", "(True, {'a': False})"])
    def test_truths_are_flipped(self, value):
        reference = f"import numpy as np\ndef f(n):\n    return {value}\n"
        found = complaints("student.f(3)", reference, "", "")
        assert named(found, "True") or named(found, "False")
        assert complaints("equal(student.f(3), reference.f(3))", reference, "", "") == []

    @pytest.mark.parametrize(
        "value",
        [
            "{'a': x, 'b': 2 * x}",
            "[x, x.tolist()]",
            "(1, x)",
            "x.tolist()",
            "float(x.sum())",
            "x[:, 0]",
            "x + 1j",
            "x.astype(np.float32)",
        ],
    )
    def test_results_of_any_make_are_altered_and_caught(self, value):
        reference = f"import numpy as np\ndef f(x):\n    return {value}\n"
        assert named(complaints("student.f(x)", reference), "zeros")
        assert complaints("close(student.f(x), reference.f(x))", reference) == []

    def test_arrays_in_a_list_stay_arrays(self):
        found = complaints("equal(student.f(x)[0].shape, (3, 2))", "def f(x):\n    return [x, x]\n")
        assert named(found, "zeros")

    @pytest.mark.parametrize(
        "value",
        ["10**30", "Fraction(1, 3)", "''", "None", "[]", "{}", "np.zeros((0, 3))", "float('nan')", "np.zeros(3)"],
    )
    def test_results_that_are_hard_to_alter_are_survived(self, value):
        reference = f"import numpy as np\nfrom fractions import Fraction\ndef f():\n    return {value}\n"
        survey(problem(a_hidden("student.f()"), reference))

    def test_methods_are_functions_too_and_objects_stay(self):
        reference = "class Net:\n    def go(self, x):\n        return 2 * x\n"
        found = complaints("student.Net().go(x)", reference)
        assert named(found, "zeros") == [
            "(e) Net.go answered with zeros passes every check, though it is not the right result"
        ]
        assert complaints("close(student.Net().go(x), 2 * x)", reference) == []


class TestUnusableAnswers:
    def test_a_check_that_does_not_look_is_told(self):
        found = complaints("student.f(x)", DOUBLE)
        for name in (*generic.UNUSABLE, "the wrong length"):
            (complaint,) = [c for c in named(found, name) if c.startswith("(f)")]
            assert "passes every check that calls it" in complaint

    def test_free_functions_must_be_usable_all_the_same(self):
        found = complaints("student.f(x)", DOUBLE, options="free={'f': 'any numbers will do'}")
        assert {c[:3] for c in found} == {"(f)"}

    @pytest.mark.parametrize("value", ["None", "'text'", "[]", "{}"])
    def test_what_is_the_right_answer_is_not_unusable(self, value):
        reference = f"def f():\n    return {value}\n"
        assert complaints("equal(student.f(), reference.f())", reference, "", "") == []

    def test_a_check_that_breaks_is_told(self):
        found = complaints("student.f(x)\n1 / 0", DOUBLE)
        assert any(c.startswith("(f)") and "BROKEN" in c and "ZeroDivisionError" in c for c in found)
        assert any(c.startswith("(e)") and "BROKEN" in c for c in found)


class TestProbes:
    NET = "class Net:\n    pass\n"

    def told(self, probe):
        read = problem(a_hidden("student.probe.p(student.Net())"), self.NET, probes=probe)
        return [c for c in (*survey(read).complaints, *generic.judging_probes(read)) if c.startswith("(g)")]

    @pytest.mark.parametrize("value", ["1.5", "[1, 2]", "{'shape': (1, 2)}", "'relu'"])
    def test_a_probe_may_measure(self, value):
        assert self.told(f"def p(net):\n    return {value}\n") == []

    @pytest.mark.parametrize("value", ["True", "[1, False]", "{'ok': True}", "np.array([True])"])
    def test_a_probe_may_not_return_a_judgement(self, value):
        (complaint,) = self.told(f"import numpy as np\ndef p(net):\n    return {value}\n")
        assert "probe.p returns a bool" in complaint

    @pytest.mark.parametrize(
        "line",
        [
            "assert net", "raise ValueError", "import grader", "from grader import close", "import reference.tiny",
            "import numpy as np; np.allclose(1, 1)", "from math import isclose; isclose(1, 1)",
            "import numpy as np; np.testing.assert_allclose(1, 1)",
        ],
    )  # fmt: skip
    def test_a_probe_may_not_judge(self, line):
        probe = f"def p(net):\n    if net is None:\n        {line}\n    return 1\n"
        assert any("probes.py, line 3" in complaint for complaint in self.told(probe))

    def test_where_there_are_no_probes_there_is_nothing_to_say(self):
        assert generic.judging_probes(problem(a_hidden("student.f(1)"), DOUBLE)) == []


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", generic.WRONG)
@given(values)
def test_any_result_can_be_altered_into_one_that_can_be_sent_and_is_not_changed_itself(name, value):
    value = wire.decode(wire.encode(value))
    before = wire.encode(value)
    changed = generic.WRONG[name](value, (value, 1.0, "text"))
    assert wire.encode(value) == before
    if changed is not generic._SAME:
        wire.encode(changed)
