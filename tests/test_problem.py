"""A problem's files become checks, settings, variants and a stub, or one sentence that names the file and the fault."""

import sys

import pytest
from courses import student_course, tiny_course
from making import REFERENCE, VISIBLE, files, load

from grader import course, problem
from grader.authoring import Settings
from grader.errors import AuthoringError

HEAD = "from grader import check, close, right, settings, wrong\nfrom hypothesis import strategies as st\n"


def refusal(**texts):
    with pytest.raises(AuthoringError) as caught:
        load(**texts)
    return str(caught.value)


def visible(text):
    return HEAD + text


class TestTheTinyCourse:
    def test_a_whole_problem_is_read(self, tmp_path):
        read = problem.load(course.find(tiny_course(tmp_path)).problem("double"))
        assert (read.slug, read.title, read.points, read.manual_points) == ("double", "Twice as much", 4, 0)
        assert [(check.name, check.visible, check.points) for check in read.checks] == [
            ("doubles_three_numbers", True, 1),
            ("adds_to_itself", True, 1),
            ("doubles_any_array", False, 2),
        ]
        assert [variant.name for variant in read.right] == ["by_adding"]
        assert [variant.name for variant in read.wrong] == ["squares", "forgets_signs", "skips_the_first"]
        assert read.settings == Settings(seconds=2.0, by_hand=True, source="a test")
        assert read.takes_tensors == {"double": False}

    def test_a_student_reads_the_same_visible_checks_and_the_same_stub(self, tmp_path):
        own = problem.load(course.find(student_course(tmp_path / "a")).problem("double"))
        whole = problem.load(course.find(tiny_course(tmp_path / "b")).problem("double"))
        visible = [check for check in whole.checks if check.visible]
        assert [(check.name, check.promise) for check in own.checks] == [(c.name, c.promise) for c in visible]
        assert (own.stub, own.takes_tensors, own.variants) == (whole.stub, whole.takes_tensors, ())

    def test_marks_by_hand_are_read_from_the_mark_scheme(self, tmp_path):
        assert problem.load(course.find(tiny_course(tmp_path, "triple")).problem("triple")).manual_points == 2

    def test_the_same_bytes_are_read_once(self):
        assert problem.load(files()) is problem.load(files())


class TestChecks:
    def test_a_promise_is_the_first_paragraph_on_one_line(self):
        text = '@check()\ndef c(student):\n    """One promise\n    on two lines.\n\n    Not this."""\n'
        assert load(visible=visible(text)).check("c").promise == "One promise on two lines."

    def test_checks_stay_in_the_order_of_the_file(self):
        text = "".join(f'@check()\ndef {name}(student):\n    """P."""\n' for name in "zab")
        assert [check.name for check in load(visible=visible(text)).checks] == ["z", "a", "b"]

    def test_a_check_that_draws_nothing_has_one_example(self):
        assert load().check("doubles_two").examples == 1

    def test_given_may_be_one_strategy(self):
        text = "@check(given=st.just({'n': 1}), examples=5)\ndef c(student, n):\n    '''P.'''\n"
        assert load(visible=visible(text)).check("c").examples == 5

    def test_a_hidden_check_may_ask_for_the_reference(self):
        text = visible("@check()\ndef h(student, reference):\n    '''P.'''\n")
        check = load(hidden=text).check("h")
        assert (check.visible, check.parameters) == (False, ("student", "reference"))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("@check()\ndef c(student): pass", ["visible.py, c", "docstring"]),
        ("@check()\ndef c(student):\n    '''  '''", ["visible.py, c", "docstring"]),
        ("@check()\ndef c():\n    '''P.'''", ["visible.py, c", "student"]),
        ("@check()\ndef c(student, reference):\n    '''P.'''", ["visible.py, c", "reference"]),
        ("@check()\ndef c(student, x, y):\n    '''P.'''", ["visible.py, c", "['x', 'y']", "given="]),
        ("@check(given={'x': st.just(1)})\ndef c(student, y):\n    '''P.'''", ["['y']", "['x']"]),
        ("@check(given={'x': st.just(1)})\ndef c(student):\n    '''P.'''", ["[]", "['x']"]),
        ("@check(points=-1)\ndef c(student):\n    '''P.'''", ["visible.py", "points"]),
        ("x = 1", ["visible.py", "no check"]),
    ],
)
def test_a_visible_file_that_breaks_a_rule_is_told_which(text, words):
    sentence = refusal(visible=visible(text))
    assert all(word in sentence for word in ("problems/tiny/", *words))


def test_a_problem_with_hidden_checks_alone_shows_students_nothing_and_is_refused():
    hidden = visible("@check()\ndef h(student):\n    '''P.'''\n")
    assert "visible.py: there is no check" in refusal(visible="x = 1\n", hidden=hidden)


@pytest.mark.parametrize("where", ["visible", "hidden"])
def test_a_second_check_of_the_same_name_in_one_file_is_refused_not_lost(where):
    twice = visible("@check()\ndef c(student):\n    '''P.'''\n\n@check()\ndef c(student):\n    '''Q.'''\n")
    sentence = refusal(**{where: twice})
    assert "named c" in sentence


def test_a_hidden_check_with_the_name_of_a_visible_one_is_refused():
    hidden = visible("@check()\ndef doubles_two(student):\n    '''P.'''\n")
    assert "named doubles_two" in refusal(hidden=hidden)


@pytest.mark.parametrize(
    ("name", "path"),
    [("visible", "problems/tiny/visible.py"), ("hidden", "problems/tiny/hidden.py")],
)
class TestFilesThatDoNotRun:
    def test_a_syntax_error_is_told_with_file_and_line(self, name, path):
        sentence = refusal(**{name: "x = 1\ndef f(:\n"})
        assert path in sentence
        assert "line 2" in sentence

    def test_an_exception_is_told_with_file_line_and_reason(self, name, path):
        sentence = refusal(**{name: "x = 1\n\ndef f():\n    return 1 / 0\n\nf()\n"})
        assert path in sentence
        assert "line 4" in sentence
        assert "ZeroDivisionError" in sentence


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("reference", "reference/tiny.py"),
        ("probes", "problems/tiny/probes.py"),
        ("variants", "problems/tiny/variants.py"),
    ],
)
@pytest.mark.parametrize("with_variants", [False, True])
def test_a_syntax_error_in_what_is_not_run_yet_is_told_with_file_and_line(name, path, with_variants):
    variants = "from grader import right\n@right(replaces='double')\ndef v(x):\n    return x + x\n"
    texts = {"variants": variants} if with_variants else {}
    sentence = refusal(**{**texts, name: "x = 1\ndef f(:\n"})
    assert path in sentence
    assert "line 2" in sentence


class TestSettings:
    def test_a_problem_without_settings_has_the_defaults(self):
        assert load().settings == Settings()

    def test_any_name_keeps_them_and_so_do_two(self):
        text = visible("conditions = settings(seconds=7)\nsame = conditions\n") + load_visible()
        assert load(visible=text).settings.seconds == 7

    def test_settings_that_are_not_kept_are_told(self):
        assert "limits = settings(...)" in refusal(visible=visible("settings(seconds=7)\n") + load_visible())

    def test_two_settings_are_refused(self):
        text = visible("a = settings(seconds=7)\nb = settings(seconds=7)\n") + load_visible()
        assert "more than once" in refusal(visible=text)

    def test_settings_where_students_do_not_have_them_are_refused(self):
        text = visible("limits = settings(seconds=7)\n@check()\ndef h(student):\n    '''P.'''\n")
        assert "hidden.py" in refusal(hidden=text)
        assert "visible.py" in refusal(hidden=text)

    def test_a_value_out_of_range_is_told_with_the_file(self):
        sentence = refusal(visible=visible("limits = settings(seconds=0)\n") + load_visible())
        assert "visible.py" in sentence
        assert "seconds" in sentence


def load_visible():
    return files().visible


class TestStatementAndMarking:
    @pytest.mark.parametrize(
        ("statement", "title"),
        [
            ("# XOR\n\ntext", "XOR"),
            ("Before.\n\n# A *title* #\n", "A *title*"),
            ("#\tTabbed  \n", "Tabbed"),
            ("# Written in C#\n", "Written in C#"),
            ("## A part\n\n# The title\n", "The title"),
        ],
    )
    def test_the_first_heading_is_the_title(self, statement, title):
        assert load(statement=statement).title == title

    @pytest.mark.parametrize("statement", ["", "No heading.\n", "#hashtag\n", "## Only a part\n", "#\n\nA text.\n"])
    def test_a_statement_without_one_is_refused(self, statement):
        assert "statement.md" in refusal(statement=statement)

    @pytest.mark.parametrize(("line", "points"), [("points: 3", 3.0), ("points:2.5 ", 2.5)])
    def test_points_for_what_a_person_reads(self, line, points):
        assert load(marking=f"# Scheme\n{line}\n\nMore.\n").manual_points == points

    @pytest.mark.parametrize("marking", ["Read it.\n", "points: many\n", "points: -1\n"])
    def test_a_mark_scheme_without_points_is_refused(self, marking):
        assert "'points: N'" in refusal(marking=marking)


class TestVariants:
    def test_a_variant_that_no_check_catches_is_refused(self):
        text = HEAD + "@wrong(replaces='double', caught_by='halves', hint='h')\ndef w(x):\n    return x\n"
        assert all(word in refusal(variants=text) for word in ("variants.py, w", "'halves'"))

    def test_without_a_reference_there_are_none(self):
        text = HEAD + "@wrong(replaces='double', caught_by='doubles_two', hint='h')\ndef w(x):\n    return x\n"
        assert load(variants=text, reference="", stub="def double(x): ...\n").variants == ()


def test_a_stub_that_a_student_broke_is_still_a_problem_to_judge():
    assert load(reference="", stub="def double(x:\n").takes_tensors == {}


class TestExecute:
    def test_an_authors_file_stays_out_of_the_loaded_modules(self):
        before = set(sys.modules)
        problem.execute("x = 1\n", "problems/tiny/visible.py")
        assert set(sys.modules) == before

    def test_each_run_has_a_namespace_of_its_own(self):
        one, other = (problem.execute("x = []\n", "problems/tiny/visible.py") for _ in range(2))
        assert one["x"] is not other["x"]

    @pytest.mark.parametrize("future", ["", "from __future__ import annotations\n"])
    def test_dataclasses_can_be_made_there(self, future):
        text = "from dataclasses import dataclass\n\n@dataclass\nclass Point:\n    x: int = 1\n"
        assert problem.execute(future + text, "reference/tiny.py")["Point"]().x == 1

    def test_the_files_own_future_imports_count_and_not_ours(self):
        namespace = problem.execute("def f(x: int): ...\n", "reference/tiny.py")
        assert namespace["f"].__annotations__ == {"x": int}

    def test_a_traceback_through_it_shows_its_lines(self):
        namespace = problem.execute("def f():\n    return 1 / 0  # the culprit\n", "problems/tiny/visible.py")
        with pytest.raises(ZeroDivisionError) as caught:
            namespace["f"]()
        assert "the culprit" in str(caught.traceback[-1].statement)


def test_the_texts_of_this_file_are_sound():
    assert load(visible=VISIBLE, reference=REFERENCE).points == 1
