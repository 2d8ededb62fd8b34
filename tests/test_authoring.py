"""The author's words mark functions, refuse what makes no sense, and demand refusals of a student."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from making import Candidate, Fake, a_check, fault, run

from grader import authoring, check, normal, refuses, right, settings, uniform, wrong
from grader.authoring import Settings
from grader.errors import AuthoringError, Failure, IsolationError, StudentFault
from grader.student import Log, Proxy
from grader.verdict import Status


@pytest.mark.parametrize(
    "decorator",
    [
        check(),
        right(replaces="f"),
        wrong(replaces="f", caught_by="c", hint="h"),
        wrong(replaces="f", caught_by="c", alike="w"),
    ],
)
def test_a_decorator_only_marks_the_function_that_it_is_given(decorator):
    def function():
        raise AssertionError("it ran")

    before = dict(vars(function))
    assert decorator(function) is function
    assert vars(function).keys() - before.keys() == {"__grader__"}


def test_a_mark_holds_what_the_author_wrote():
    strategy = {"x": st.integers()}

    @check(points=2.5, given=strategy, examples=3, free={"weights": "any basis will do"})
    def holds(student, x):
        """A promise."""

    assert holds.__grader__ == authoring.CheckMark(2.5, strategy, 3, {"weights": "any basis will do"})


def test_a_check_is_worth_one_point_and_draws_sixteen_examples_unless_it_says_otherwise():
    assert check()(lambda: None).__grader__ == authoring.CheckMark(1, None, 16, {})


@pytest.mark.parametrize("points", [-1, math.nan, math.inf, "2", None])
def test_points_are_a_number_from_0_up(points):
    with pytest.raises(AuthoringError, match=r"points=\.\.\."):
        check(points=points)


@pytest.mark.parametrize("examples", [0, -3, 2.5, "8"])
def test_examples_are_a_whole_number_from_1_up(examples):
    with pytest.raises(AuthoringError, match=r"examples=\.\.\."):
        check(examples=examples)


@pytest.mark.parametrize("words", [{}, {"hint": "h", "alike": "w"}])
def test_a_wrong_variant_has_a_hint_or_shares_one(words):
    with pytest.raises(AuthoringError, match="exactly one"):
        wrong(replaces="f", caught_by="c", **words)


class TestSettings:
    def test_the_defaults_are_those_of_a_problem_without_settings(self):
        assert settings() == Settings()

    @pytest.mark.parametrize("name", ["seconds", "import_seconds", "problem_seconds", "memory_mib", "threads"])
    @pytest.mark.parametrize("value", [0, -1, math.nan, math.inf, "2", None])
    def test_a_limit_is_a_finite_number_above_0(self, name, value):
        with pytest.raises(AuthoringError, match=rf"settings\({name}=\.\.\.\)"):
            settings(**{name: value})

    @pytest.mark.parametrize("name", ["memory_mib", "threads"])
    def test_mebibytes_and_threads_are_counted_whole(self, name):
        with pytest.raises(AuthoringError, match=rf"settings\({name}=\.\.\.\)"):
            settings(**{name: 1.5})

    @pytest.mark.parametrize("dtype", ["float16", "double", 64])
    def test_only_two_dtypes_can_be_pinned(self, dtype):
        with pytest.raises(AuthoringError, match="dtype"):
            settings(dtype=dtype)

    @pytest.mark.parametrize("devices", ["cuda", ("cpu", "tpu"), ("cuda:0",)])
    def test_only_known_devices_can_be_pinned(self, devices):
        with pytest.raises(AuthoringError, match="devices"):
            settings(devices=devices)

    def test_what_is_in_range_is_kept(self):
        kept = settings(seconds=1, threads=2, dtype="float32", devices=["cpu", "cuda"], by_hand=True, source="a text")
        assert kept == Settings(
            seconds=1.0, threads=2, dtype="float32", devices=("cpu", "cuda"), by_hand=True, source="a text"
        )


def raising(error):
    def function(*_args, **_kwargs):
        raise error

    return function


class TestRefuses:
    def test_the_wanted_error_and_its_subclasses_satisfy_it(self):
        refuses(ValueError, raising(ValueError("no")), 1)
        refuses(LookupError, raising(KeyError("no")), 1)

    def test_arguments_are_passed_on(self):
        refuses(ValueError, int, "12", base=2)

    def test_an_answer_that_returns_has_accepted_what_it_must_refuse(self):
        with pytest.raises(Failure, match="ValueError") as caught:
            refuses(ValueError, int, "7")
        assert caught.value.kind == "refusal"

    @pytest.mark.parametrize("wanted", [NotImplementedError, RuntimeError, Exception])
    @pytest.mark.parametrize(
        "error",
        [NotImplementedError(), fault(NotImplementedError), fault(NotImplementedError, status=Status.CRASHED)],
    )
    def test_not_implemented_never_satisfies_it(self, wanted, error):
        with pytest.raises(type(error)):
            refuses(wanted, raising(error), 1)

    @pytest.mark.parametrize("error", [TypeError("other"), fault(TypeError)])
    def test_another_error_stands(self, error):
        with pytest.raises(type(error)):
            refuses(ValueError, raising(error), 1)

    @pytest.mark.parametrize(
        ("kind", "status"),
        [
            (AttributeError, Status.NOT_ATTEMPTED),
            (MemoryError, Status.OUT_OF_MEMORY),
            (ValueError, Status.TIMED_OUT),
            (ValueError, Status.UNUSABLE),
        ],
    )
    def test_a_missing_function_or_a_limit_is_no_refusal_whatever_was_raised(self, kind, status):
        with pytest.raises(StudentFault):
            refuses(Exception, raising(fault(kind, status=status)), 1)

    @pytest.mark.parametrize("error", [IsolationError("the pipe broke"), AuthoringError("no such file")])
    def test_our_own_faults_are_no_refusal(self, error):
        with pytest.raises(type(error)):
            refuses(Exception, raising(error), 1)


class TestExcusedFaults:
    """A fault that a check asked for does not count against the student; every other one does."""

    @pytest.mark.parametrize("spelling", ["student.f, 1", "lambda: student.f(1)"])
    def test_a_wanted_fault_passes(self, spelling):
        outcome = run(a_check(f"refuses(ValueError, {spelling})"), Fake(f=fault(ValueError)))
        assert outcome.status is Status.PASSED

    @pytest.mark.parametrize("spelling", ["box, 1", "box.open, 1", "lambda: box.open(1)"])
    def test_a_wanted_fault_of_an_object_passes(self, spelling):
        student = Candidate("""
            class Box:
                def __call__(self, n):
                    raise ValueError(n)
                open = __call__
            """)
        outcome = run(a_check(f"box = student.Box()\nrefuses(ValueError, {spelling})"), student)
        assert outcome.status is Status.PASSED

    def test_a_fault_before_the_wanted_one_still_counts(self):
        check = a_check("""
            try:
                student.g(1)
            except Exception:
                pass
            refuses(ValueError, student.f, 1)
            """)
        assert run(check, Fake(f=fault(ValueError), g=fault(ValueError))).status is Status.CRASHED

    def test_an_object_that_accepts_is_named(self):
        student = Candidate("class Box:\n    def __call__(self, n): return n")
        outcome = run(a_check("refuses(ValueError, student.Box(), 1)"), student)
        assert "Box" in str(outcome.failure)

    def test_the_log_counts_no_excused_fault(self):
        log = Log()
        student = Proxy(Fake(f=fault(ValueError)), log, dtype="float64", takes_tensors={})
        refuses(ValueError, student.f, 1)
        assert log.fault is None
        assert [call.fault.status for call in log.calls] == [Status.CRASHED]


class TestStrategies:
    @given(normal((st.integers(0, 3), 2)))
    def test_normal_draws_a_float64_array_of_a_drawn_shape(self, array):
        assert array.dtype == np.float64
        assert array.shape[0] in range(4)
        assert array.shape[1:] == (2,)

    @given(normal(3), uniform((), 2.0, 3.0))
    def test_a_shape_may_be_a_number_or_empty(self, row, scalar):
        assert row.shape == (3,)
        assert np.shape(scalar) == ()

    @given(uniform((50,), -2.0, 3.0))
    def test_uniform_stays_within_its_ends(self, array):
        assert ((array >= -2.0) & (array < 3.0)).all()

    @given(normal((40,)))
    def test_entries_do_not_repeat(self, array):
        assert len(set(array.tolist())) == 40

    def test_scale_is_the_standard_deviation(self):
        drawn = []

        @given(normal((1000,), 5.0))
        def keep(array):
            drawn.append(array)

        keep()
        assert np.std(np.concatenate(drawn)) == pytest.approx(5.0, rel=0.05)
