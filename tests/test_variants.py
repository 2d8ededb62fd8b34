"""Stub and variants are the reference's text, changed where they must be and nowhere else."""

import ast
from textwrap import dedent

import pytest
from courses import PROBLEMS, solution

from grader import variants
from grader.errors import AuthoringError
from grader.problem import execute

REFERENCE = '''\
"""Means."""

from __future__ import annotations

import numpy as np

SCALE = 1.0


def total(x: np.ndarray) -> float:
    # BEGIN SOLUTION
    return float(np.sum(x)) * SCALE
    # END SOLUTION


@np.errstate(all="ignore")
def mean(x: np.ndarray) -> float:
    # BEGIN SOLUTION
    return total(x) / len(x)
    # END SOLUTION


class Counter:
    """Counts."""

    start = 10

    def __init__(self) -> None:
        self.n = self.start

    def up(self, by: int) -> int:
        """Count up."""
        self.n += by
        return self.n

    def twice(self, by: int) -> int:
        self.up(by)
        return self.up(by)
'''


def splice(text, reference=REFERENCE):
    return variants.read(dedent(text), reference, "variants.py")


def only(text, reference=REFERENCE):
    (variant,) = splice(text, reference)
    return execute(variant.text, "variant.py")


def refusal(text, reference=REFERENCE):
    with pytest.raises(AuthoringError) as caught:
        splice(text, reference)
    assert "variants.py" in str(caught.value)
    return str(caught.value)


class TestStub:
    def test_each_region_becomes_one_line_at_its_own_depth(self):
        text = dedent("""\
            def f(x):
                # BEGIN SOLUTION
                y = x
                return y
                # END SOLUTION


            class A:
                def g(self):
                    if self:
                        ### BEGIN SOLUTION
                        return 1

                        ### END SOLUTION
                    return 2
            """)
        assert variants.stub(text) == dedent("""\
            def f(x):
                raise NotImplementedError


            class A:
                def g(self):
                    if self:
                        raise NotImplementedError
                    return 2
            """)

    def test_a_region_outside_of_functions_is_left_out_whole(self):
        helper = "# BEGIN SOLUTION\ndef helper():\n    return 1\n# END SOLUTION\n"
        function = "def f():\n    # BEGIN SOLUTION\n    return helper()\n    # END SOLUTION\n"
        stub = variants.stub(f"A = 1\n\n\n{helper}\n\n{function}")
        assert stub == "A = 1\n\n\ndef f():\n    raise NotImplementedError\n"

    @pytest.mark.parametrize("slug", PROBLEMS)
    def test_a_stub_of_a_whole_problem_can_be_read_and_answers_nothing(self, slug):
        with pytest.raises(NotImplementedError):
            execute(variants.stub(solution(slug)), "stub.py")[slug](2.0)

    def test_a_docstring_and_an_annotation_stay(self):
        stub = variants.stub(solution("double"))
        assert "Return 2x, of the shape of x, which is (n,)." in stub
        assert "x: np.ndarray" in stub

    @pytest.mark.parametrize(
        ("text", "words"),
        [
            ("def f():\n    # BEGIN SOLUTION\n    return 1\n", ["END SOLUTION is missing"]),
            ("def f():\n    return 1\n    # END SOLUTION\n", ["line 3", "END SOLUTION", "counterpart"]),
            ("# BEGIN SOLUTION\n# BEGIN SOLUTION\n# END SOLUTION\n", ["line 2", "BEGIN SOLUTION", "counterpart"]),
            ("def f():\n    return 1\n", ["BEGIN SOLUTION is missing"]),
        ],
    )
    def test_regions_that_do_not_pair_are_refused_with_their_place(self, text, words):
        with pytest.raises(AuthoringError) as caught:
            variants.stub(text, "reference/f.py")
        assert all(word in str(caught.value) for word in ["reference/f.py", *words])

    def test_a_form_feed_is_no_line_end(self):
        text = "def f():\n    # a\x0cb\n    # BEGIN SOLUTION\n    return 1\n    # END SOLUTION\n"
        assert variants.stub(text) == "def f():\n    # a\x0cb\n    raise NotImplementedError\n"


class TestSplice:
    def test_a_function_is_replaced_and_its_callers_change_with_it(self):
        own = only("""
            from grader import right
            @right(replaces="total")
            def by_hand(x):
                return 3.0
            """)
        assert own["total"]([1, 2]) == 3.0
        assert own["mean"]([1, 2]) == 1.5
        assert "by_hand" not in own

    def test_all_else_stays_letter_by_letter(self):
        (variant,) = splice("@right(replaces='total')\ndef v(x):\n    return 3.0\n")
        before, after = REFERENCE.split("def total", maxsplit=1)[0], REFERENCE.split("# END SOLUTION\n\n\n@np")[1]
        assert variant.text.startswith(before)
        assert variant.text.endswith("@np" + after)

    def test_a_variant_calls_the_references_other_functions(self):
        own = only("@right(replaces='mean')\ndef v(x):\n    return total(x) / 10\n")
        assert own["mean"]([5, 5]) == 1.0

    def test_a_method_is_replaced_at_its_own_depth(self):
        own = only("@right(replaces='Counter.up')\ndef down(self, by):\n    self.n -= by\n    return self.n\n")
        assert own["Counter"]().twice(3) == 4

    def test_a_class_is_replaced(self):
        own = only("""
            @right(replaces="Counter")
            class Steps:
                def up(self, by):
                    return by
            """)
        assert own["Counter"]().up(3) == 3

    def test_decorators_of_the_variant_are_kept_and_the_references_own_go(self):
        own = only("""
            import functools

            @functools.lru_cache(
                maxsize=None,
            )
            @right(replaces="mean")
            def v(x):
                return 7
            """)
        assert own["mean"](1) == 7
        assert own["mean"].cache_info().misses == 1

    def test_a_mark_may_be_called_through_the_package(self):
        assert only("import grader\n@grader.right(replaces='total')\ndef v(x):\n    return 3.0\n")["total"](1) == 3.0

    def test_a_variant_may_call_itself_by_its_own_name(self):
        own = only("@right(replaces='total')\ndef rec(x):\n    return x[0] + rec(x[1:]) if len(x) else 0\n")
        assert own["mean"]([1, 2, 6]) == 3

    def test_a_variant_may_have_the_name_of_what_it_replaces(self):
        own = only("@right(replaces='total')\ndef total(x):\n    return x[0] + total(x[1:]) if len(x) else 0\n")
        assert own["mean"]([1, 2, 6]) == 3

    def test_helpers_constants_and_imports_come_along_and_nothing_else(self):
        (variant,) = splice("""
            import math
            import json
            from fractions import Fraction as Ratio

            HALF = Ratio(1, 2)
            UNUSED = json.dumps("nothing")

            def half(x):
                return HALF * quarter(x)

            def quarter(x):
                return math.floor(x)

            def unused(x):
                return UNUSED

            @right(replaces="total")
            def v(x):
                return half(x)
            """)
        assert execute(variant.text, "variant.py")["total"](3.5) == 1.5
        assert "unused" not in variant.text.lower()
        assert "json" not in variant.text

    def test_a_conditional_import_comes_along(self):
        own = only("""
            try:
                import math
            except ImportError:
                math = None

            @right(replaces="total")
            def v(x):
                return math.floor(x)
            """)
        assert own["total"](3.5) == 3

    def test_helpers_stand_before_all_code_even_if_the_reference_imports_again_further_down(self):
        reference = REFERENCE.replace("\n\n@np.errstate", "\n\nimport json\n\n\n@np.errstate")
        own = only(
            """
            STEP = 5

            @right(replaces="total")
            def v(x):
                long = STEP
                long += 1
                long += 1
                long += 1
                long += 1
                long += 1
                long += 1
                long += 1
                long += 1
                return long
            """,
            reference,
        )
        assert own["total"](0) == 13
        assert own["Counter"]().up(1) == 11

    def test_text_of_several_lines_is_not_indented_with_its_method(self):
        body = "def v(self, by):\n    return '''a\nb'''\n"
        own = only(f"@right(replaces='Counter.up')\n{body}")
        assert own["Counter"]().up(1) == "a\nb"

    def test_line_numbers_hold_where_a_reference_has_a_form_feed(self):
        reference = REFERENCE.replace("SCALE = 1.0", "SCALE = 1.0  # \x0c \x0c \x0c \x0c")
        assert only("@right(replaces='total')\ndef v(x):\n    return 3.0\n", reference)["total"](1) == 3.0

    def test_every_variant_is_a_text_of_its_own(self):
        one, other = splice("""
            @right(replaces="total")
            def one(x):
                return 1.0
            @wrong(replaces="mean", caught_by="c", hint="h")
            def other(x):
                return 2.0
            """)
        assert (one.name, one.right, one.replaces) == ("one", True, "total")
        assert (other.name, other.right, other.caught_by, other.hint) == ("other", False, "c", "h")
        assert execute(other.text, "variant.py")["total"]([4]) == 4.0

    def test_a_file_without_marks_has_no_variants(self):
        assert splice("def helper():\n    return 1\n") == ()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("x = 1\ndef f(:\n", ["line 2"]),
        ("@right(replaces='nothing')\ndef v(x): ...\n", ["v", "'nothing'"]),
        ("@right(replaces='Counter.down')\ndef v(x): ...\n", ["'Counter.down'"]),
        ("@right(replaces='SCALE')\ndef v(x): ...\n", ["'SCALE'"]),
        ("@right(replaces='')\ndef v(x): ...\n", ["v"]),
        ("@right(replaces=7)\ndef v(x): ...\n", ["v", "replaces"]),
        ("@right('total')\ndef v(x): ...\n", ["v", "positional"]),
        ("@right\ndef v(x): ...\n", ["v", "right(replaces="]),
        ("@wrong(replaces='total', caught_by='c')\ndef v(x): ...\n", ["v", "hint"]),
        ("@wrong(replaces='total', caught_by='c', hint=HINT)\ndef v(x): ...\n", ["v", "line 2", "literal"]),
        ("@wrong(replaces='total', hint='h')\ndef v(x): ...\n", ["v", "caught_by"]),
        ("@wrong(replaces='total', caught_by='c', hint='h', share=2)\ndef v(x): ...\n", ["v", "share"]),
        ("@wrong(**{'replaces': 'total'})\ndef v(x): ...\n", ["v"]),
        ("@right(replaces='total')\ndef v(x): ...\n@right(replaces='mean')\ndef v(x): ...\n", ["two", "v"]),
        ("def mean(x): ...\n@right(replaces='total')\ndef v(x):\n    return mean(x)\n", ["mean", "rename"]),
        ("SCALE = 2\n@right(replaces='total')\ndef v(x):\n    return SCALE\n", ["SCALE", "rename"]),
        ("@right(replaces='total')\ndef mean(x):\n    return mean(x)\n", ["mean", "rename"]),
    ],
)
def test_what_cannot_be_spliced_is_refused(text, words):
    sentence = refusal(text)
    assert all(word in sentence for word in words)
    assert "0x" not in sentence


class TestAlike:
    LEADER = "@wrong(replaces='total', caught_by='c', hint='h')\ndef leader(x): ...\n"

    def test_a_variant_may_share_the_hint_of_another(self):
        leader, follower = splice(
            self.LEADER + "@wrong(replaces='mean', caught_by='c', alike='leader')\ndef f(x): ...\n"
        )
        assert (leader.alike, follower.alike, follower.hint) == ("", "leader", "")

    @pytest.mark.parametrize("name", ["nobody", "f", "follower", "good"])
    def test_it_must_name_a_wrong_variant_that_has_a_hint(self, name):
        text = self.LEADER + dedent(f"""
            @wrong(replaces='total', caught_by='c', alike='leader')
            def follower(x): ...
            @right(replaces='total')
            def good(x): ...
            @wrong(replaces='total', caught_by='c', alike='{name}')
            def f(x): ...
            """)
        assert f"alike='{name}'" in refusal(text)


@pytest.mark.parametrize(
    ("text", "takes"),
    [
        ("def f(x: np.ndarray): ...", {"f": False}),
        ("def f(x): ...", {"f": False}),
        ("def f(x) -> torch.Tensor: ...", {"f": False}),
        ("def f(x: torch.Tensor): ...", {"f": True}),
        ("def f(x: 'Tensor'): ...", {"f": True}),
        ("def f(x, /, *, w: list[torch.Tensor] | None): ...", {"f": True}),
        ("def f(*xs: Tensor): ...", {"f": True}),
        ("def f(**xs: Tensor): ...", {"f": True}),
        ("class A:\n    def __init__(self, n: int): ...\n    def forward(self, x: Tensor): ...",
         {"A": False, "A.__init__": False, "A.forward": True}),
        ("class A:\n    def __init__(self, w: Tensor): ...", {"A": True, "A.__init__": True}),
        ("class A: ...", {"A": False}),
        ("", {}),
    ],
)  # fmt: skip
def test_annotations_of_parameters_say_who_takes_tensors(text, takes):
    assert variants.tensor_functions(text) == takes


def test_a_spliced_method_reads_as_its_author_wrote_it():
    body = 'def up(self, by):\n    """Count.\n\n    Down.\n    """\n    return -by\n'
    (variant,) = splice(f"@right(replaces='Counter.up')\n{body}")
    counter = next(node for node in ast.parse(variant.text).body if isinstance(node, ast.ClassDef))
    method = next(node for node in counter.body if isinstance(node, ast.FunctionDef) and node.name == "up")
    assert ast.dump(method) == ast.dump(ast.parse(body).body[0])
