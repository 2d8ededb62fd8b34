"""Who is to blame is found out by experiment, and nothing that a student returns can make it the grader."""

import contextlib
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from making import Fake, a_check, fault, run, values

from grader.blame import Bench
from grader.errors import AuthoringError, Failure, IsolationError
from grader.isolation.inside import wire
from grader.isolation.inside.wire import Handle
from grader.student import Log
from grader.verdict import Status

RIGHT = np.array([2.718281828, -3.14159265, 1.41421356])
SWALLOWS = "try:\n    student.f(1)\nexcept Exception:\n    pass\n"


class TestEachBranch:
    def test_what_holds_passes(self):
        outcome = run(a_check("close(student.f(1), 2.0)"), Fake(f=2.0))
        assert (outcome.status, outcome.share) == (Status.PASSED, 0.0)

    def test_a_failure_fails_and_keeps_what_was_said(self):
        check = a_check("close(student.f(x), 2.0)", given="{'x': st.just(1)}", takes=("x",))
        outcome = run(check, Fake(f=3.0), x=1)
        assert (outcome.status, outcome.failure.kind, outcome.example) == (Status.FAILED, "value", {"x": 1})
        assert outcome.share == outcome.failure.share > 1

    def test_an_authors_own_failure_fails(self):
        outcome = run(a_check("raise Failure('no')"), Fake())
        assert (outcome.status, outcome.failure.kind) == (Status.FAILED, "promise")

    @pytest.mark.parametrize("body", ["student.f(1)", SWALLOWS, f"{SWALLOWS}raise Failure('no')", f"{SWALLOWS}1 / 0"])
    @pytest.mark.parametrize("status", [Status.CRASHED, Status.TIMED_OUT, Status.NOT_ATTEMPTED, Status.UNUSABLE])
    def test_a_fault_gives_its_own_status_whatever_the_check_does_with_it(self, body, status):
        ended = fault(ValueError, status=status)
        outcome = run(a_check(body), Fake(f=ended), Fake(f=1))
        assert (outcome.status, outcome.fault) == (status, ended)

    def test_an_exception_that_the_reference_does_not_meet_makes_the_answer_unusable(self):
        outcome = run(a_check("float(student.f(1))", hidden=True), Fake(f="text"), Fake(f=2.0))
        assert outcome.status is Status.UNUSABLE
        assert "could not convert string" in outcome.trouble

    def test_an_exception_that_the_reference_meets_too_is_ours(self):
        outcome = run(a_check("student.f(1)\n1 / 0", hidden=True), Fake(f=1), Fake(f=1))
        assert outcome.status is Status.BROKEN
        assert "ZeroDivisionError" in outcome.trouble

    def test_an_exception_where_the_reference_fails_the_check_is_ours(self):
        outcome = run(a_check("close(1.0 / student.f(1), 7.0)", hidden=True), Fake(f=0), Fake(f=1))
        assert outcome.status is Status.BROKEN

    def test_without_a_reference_a_check_is_taken_to_be_sound(self):
        assert run(a_check("float(student.f(1))"), Fake(f="text")).status is Status.UNUSABLE

    def test_a_comparison_that_cannot_be_made_is_ours(self):
        outcome = run(a_check("close(student.f(1), 0.0)", hidden=True), Fake(f=0.0), Fake(f=0.0))
        assert outcome.status is Status.BROKEN
        assert "scale=" in outcome.trouble

    def test_a_comparison_that_only_this_answer_makes_impossible_is_the_answers_doing(self):
        check = a_check("close(student.f(1), student.g(1))", hidden=True)
        assert run(check, Fake(f=0.0, g=0.0), Fake(f=1.0, g=1.0)).status is Status.UNUSABLE

    def test_a_reference_that_raises_is_ours(self):
        check = a_check("close(student.f(1), reference.f(1))", hidden=True)
        assert run(check, Fake(f=1.0), Fake(f=ZeroDivisionError("reference"))).status is Status.BROKEN

    @pytest.mark.parametrize("body", ["student.f(1)", SWALLOWS, "refuses(Exception, student.f, 1)"])
    def test_our_own_pipe_is_ours_even_if_the_check_swallows_it(self, body):
        assert run(a_check(body), Fake(f=IsolationError("the pipe broke"))).status is Status.BROKEN


class TestTheBench:
    def test_objects_are_forgotten_on_both_sides_after_every_example(self):
        student, reference = Fake(f=1), Fake(f=1)
        for body in ("student.f(1)", "1 / 0", "raise Failure('no')"):
            run(a_check(body, hidden=True), student, reference)
        assert student.forgotten == 3
        assert reference.forgotten >= 3

    def test_the_log_holds_the_students_calls_alone(self):
        log = Log()
        check = a_check("float(student.f(reference.g(1)))", hidden=True)
        Bench(Fake(f=1, g=5), "float64", {}).run(check, {}, Fake(f="text"), log)
        assert [(call.name, call.args, call.value) for call in log.calls] == [("f", (5,), "text")]

    def test_the_worst_share_of_all_comparisons_is_kept(self):
        check = a_check("close(student.f(1), 1.0)\nclose(student.g(1), 1.0)")
        near, nearer = 1 + 2e-6, 1 + 1e-6
        outcome = run(check, Fake(f=near, g=nearer))
        assert outcome.share == pytest.approx(2e-6 / (2 * 16 * 2**-23), rel=1e-3)
        assert run(check, Fake(f=near, g=2.0)).share > 1000

    def test_where_nothing_was_compared_there_is_no_share(self):
        assert run(a_check("assert student.f(1)"), Fake(f=1)).share is None

    @pytest.mark.parametrize("error", [Failure("no"), AuthoringError("no"), ValueError("no")])
    def test_an_exception_leaves_no_trace_in_the_next_example(self, error):
        bench = Bench(Fake(f=1.0), "float64", {})
        check = a_check("close(student.f(1), 1.0)")
        with contextlib.suppress(Exception):
            bench.run(a_check("student.f(1)"), {}, Fake(f=error), Log())
        assert bench.run(check, {}, Fake(f=1.0), Log()).share == 0.0


def sent(value):
    """Return a value as it arrives from a child."""
    return wire.decode(wire.encode(value))


COMPARING = [
    "close(student.f(1), reference.f(1))",
    "close(student.f(1), [2.718281828, -3.14159265, 1.41421356])",
    "equal(student.f(1), reference.f(1))",
    "close({'a': student.f(1)}, {'a': reference.f(1)})",
    "close([student.f(1)], [reference.f(1)])",
    "close((1, student.f(1)), (1, reference.f(1)), growth=10)",
]
USING = [
    "close(float(student.f(1)[0]), 2.718281828)",
    "close(sum(student.f(1)), 0.99090272)",
    "a, b, c = student.f(1)\nclose([a, b, c], reference.f(1))",
    "close(2 * student.f(1), 2 * reference.f(1))",
    "close(np.asarray(student.f(1)).sum(), 0.99090272)",
    "close(np.dot(student.f(1), [1, 1, 1]), 0.99090272)",
    "close(student.f(1).sum(axis=0), 0.99090272)",
    "equal(len(student.f(1)), 3)\nclose(sorted(student.f(1)), [-3.14159265, 1.41421356, 2.718281828])",
    "close(reference.g(student.f(1)), [2 * 2.718281828, -2 * 3.14159265, 2 * 1.41421356])",
    "close(reference.g(x=[student.f(1)]), 2 * reference.f(1))",
    "close({str(i): v for i, v in enumerate(student.f(1))}, {'0': 2.718281828, '1': -3.14159265, '2': 1.41421356})",
    "if max(student.f(1)) < 2.7:\n    raise Failure('small')\nclose(student.f(1), reference.f(1))",
    "close(np.exp(np.asarray(student.f(1), dtype=float)), np.exp(reference.f(1)))",
]
REFERENCE = Fake(f=RIGHT, g=lambda x: np.asarray(x).reshape(3) * 2.0)


@pytest.mark.parametrize("body", COMPARING)
@given(values)
def test_a_comparison_takes_any_value_and_fails_it(body, value):
    outcome = run(CHECKS[body], Fake(f=sent(value)), REFERENCE)
    assert outcome.status is Status.FAILED, outcome.trouble


@pytest.mark.filterwarnings(
    "ignore::RuntimeWarning", "ignore::numpy.exceptions.ComplexWarning", "ignore::DeprecationWarning"
)
@pytest.mark.parametrize("body", USING)
@given(values)
def test_no_value_that_a_student_returns_passes_a_sound_check_or_breaks_it(body, value):
    outcome = run(CHECKS[body], Fake(f=sent(value)), REFERENCE)
    assert outcome.status in {Status.FAILED, Status.UNUSABLE}, outcome.trouble


@pytest.mark.parametrize("body", [*COMPARING, *USING])
def test_the_checks_of_these_experiments_are_sound(body):
    assert run(CHECKS[body], REFERENCE, REFERENCE).status is Status.PASSED


CHECKS = {body: a_check(body, hidden=True) for body in [*COMPARING, *USING]}


@pytest.mark.parametrize(
    "value",
    [
        10**299, -(10**299), float("nan"), [float("inf")] * 3, 1e308 * np.ones(3), np.ones((3, 1), np.float16),
        RIGHT[:, None], RIGHT[None], RIGHT[:2].tolist(), [*RIGHT.tolist(), 1.0], {0: 1.0}, {"f": RIGHT.tolist()},
        "2.718281828",
        [Fraction(1, 3)] * 3, RIGHT.astype(complex) + 1e-3j, RIGHT.astype(np.float16), [True] * 3, [Handle(1, "f")] * 3,
        np.zeros((3, 0)), np.zeros(0), [[], [], []], [[1.0], [2.0, 3.0], 4.0], -RIGHT, RIGHT[::-1].copy(),
    ],
)  # fmt: skip
@pytest.mark.parametrize("body", COMPARING)
def test_near_misses_fail_too(body, value):
    assert run(CHECKS[body], Fake(f=sent(value)), REFERENCE).status is Status.FAILED
